# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.evaluation import novelty as novelty
from offnominal.evaluation import scenes as scenes
from offnominal.evaluation.alarm_budget import AlarmBudget as AlarmBudget
from offnominal.evaluation.alarm_budget import measure_alarm_budget as measure_alarm_budget
from offnominal.evaluation.cumulative_incidence import CumulativeIncidence as CumulativeIncidence
from offnominal.evaluation.cumulative_incidence import Incidence as Incidence
from offnominal.evaluation.cumulative_incidence import estimate_cumulative_incidence as estimate_cumulative_incidence
from offnominal.evaluation.dataset_evaluation import evaluate as evaluate
from offnominal.evaluation.discrimination import Discrimination as Discrimination
from offnominal.evaluation.discrimination import Ranking as Ranking
from offnominal.evaluation.discrimination import measure_discrimination as measure_discrimination
from offnominal.evaluation.errors import InvalidLabels as InvalidLabels
from offnominal.evaluation.estimate import Estimate as Estimate
from offnominal.evaluation.estimate import average as average
from offnominal.evaluation.estimate import average_over_seeds as average_over_seeds
from offnominal.evaluation.evaluation_report import EvaluationReport as EvaluationReport
from offnominal.evaluation.evaluation_report import ReportLine as ReportLine
from offnominal.evaluation.event_timing import EventTiming as EventTiming
from offnominal.evaluation.event_timing import measure_events as measure_events
from offnominal.evaluation.failure import FailureTiming as FailureTiming
from offnominal.evaluation.false_alarm_budget import FalseAlarmBudget as FalseAlarmBudget
from offnominal.evaluation.false_alarm_rate import per_1000_steps as per_1000_steps
from offnominal.evaluation.net_detection import NetDetection as NetDetection
from offnominal.evaluation.net_detection import measure_net_detection as measure_net_detection
from offnominal.evaluation.null_discrimination import measure_null_discrimination as measure_null_discrimination
from offnominal.evaluation.recovery import Recovery as Recovery
from offnominal.evaluation.recovery import measure_recovery as measure_recovery
from offnominal.evaluation.series_scores import SeriesScores as SeriesScores
from offnominal.evaluation.series_scores import event_f1 as event_f1
from offnominal.evaluation.series_scores import measure_series as measure_series
from offnominal.evaluation.series_scores import nab_score as nab_score
from offnominal.evaluation.series_scores import vus as vus
from offnominal.evaluation.simultaneous import Simultaneous as Simultaneous
from offnominal.evaluation.simultaneous import simultaneous_intervals as simultaneous_intervals
from offnominal.evaluation.split_evaluation import effective_onsets as effective_onsets
from offnominal.evaluation.split_evaluation import evaluate_split as evaluate_split
from offnominal.evaluation.split_report import SplitReport as SplitReport
from offnominal.evaluation.time_matched import TimeMatched as TimeMatched
from offnominal.evaluation.time_matched import measure_time_matched as measure_time_matched
from offnominal.evaluation.time_order import check_time_order as check_time_order
from offnominal.evaluation.timing import FalseAlarms as FalseAlarms
from offnominal.evaluation.timing import Timing as Timing
from offnominal.evaluation.timing import measure_false_alarms as measure_false_alarms
from offnominal.evaluation.timing import measure_timing as measure_timing
from offnominal.evaluation.variance_split import VariancePart as VariancePart
from offnominal.evaluation.variance_split import VarianceSplit as VarianceSplit
from offnominal.evaluation.variance_split import split_variance as split_variance
from offnominal.evaluation.verdicts import Verdicts as Verdicts
from offnominal.evaluation.verdicts import detector_verdicts as detector_verdicts

__all__ = [
    "AlarmBudget",
    "CumulativeIncidence",
    "Discrimination",
    "Estimate",
    "EvaluationReport",
    "EventTiming",
    "FailureTiming",
    "FalseAlarmBudget",
    "FalseAlarms",
    "Incidence",
    "InvalidLabels",
    "NetDetection",
    "Ranking",
    "Recovery",
    "ReportLine",
    "SeriesScores",
    "Simultaneous",
    "SplitReport",
    "TimeMatched",
    "Timing",
    "VariancePart",
    "VarianceSplit",
    "Verdicts",
    "average",
    "average_over_seeds",
    "check_time_order",
    "detector_verdicts",
    "effective_onsets",
    "estimate_cumulative_incidence",
    "evaluate",
    "evaluate_split",
    "event_f1",
    "measure_alarm_budget",
    "measure_discrimination",
    "measure_events",
    "measure_false_alarms",
    "measure_net_detection",
    "measure_null_discrimination",
    "measure_recovery",
    "measure_series",
    "measure_time_matched",
    "measure_timing",
    "nab_score",
    "per_1000_steps",
    "simultaneous_intervals",
    "split_variance",
    "vus",
]
