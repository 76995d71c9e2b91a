# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.evaluation import novelty as novelty
from offnominal.evaluation import scenes as scenes
from offnominal.evaluation.dataset_evaluation import evaluate as evaluate
from offnominal.evaluation.discrimination import Discrimination as Discrimination
from offnominal.evaluation.discrimination import Ranking as Ranking
from offnominal.evaluation.discrimination import measure_discrimination as measure_discrimination
from offnominal.evaluation.equal_cost import EqualCost as EqualCost
from offnominal.evaluation.equal_cost import measure_equal_cost as measure_equal_cost
from offnominal.evaluation.errors import InvalidLabels as InvalidLabels
from offnominal.evaluation.estimate import Estimate as Estimate
from offnominal.evaluation.estimate import average as average
from offnominal.evaluation.estimate import average_over_seeds as average_over_seeds
from offnominal.evaluation.evaluation_report import EvaluationReport as EvaluationReport
from offnominal.evaluation.evaluation_report import ReportLine as ReportLine
from offnominal.evaluation.event_timing import EventTiming as EventTiming
from offnominal.evaluation.event_timing import measure_events as measure_events
from offnominal.evaluation.guarantee_check import GuaranteeCheck as GuaranteeCheck
from offnominal.evaluation.guarantee_check import check_guarantee as check_guarantee
from offnominal.evaluation.null_discrimination import measure_null_discrimination as measure_null_discrimination
from offnominal.evaluation.operating_curve import OperatingCurve as OperatingCurve
from offnominal.evaluation.operating_curve import measure_operating_curve as measure_operating_curve
from offnominal.evaluation.split_evaluation import effective_onsets as effective_onsets
from offnominal.evaluation.split_evaluation import evaluate_split as evaluate_split
from offnominal.evaluation.split_report import SplitReport as SplitReport
from offnominal.evaluation.survival import DetectionCurve as DetectionCurve
from offnominal.evaluation.survival import estimate_detection_curve as estimate_detection_curve
from offnominal.evaluation.time_matched import TimeMatched as TimeMatched
from offnominal.evaluation.time_matched import measure_time_matched as measure_time_matched
from offnominal.evaluation.timing import FalseAlarms as FalseAlarms
from offnominal.evaluation.timing import Timing as Timing
from offnominal.evaluation.timing import measure_false_alarms as measure_false_alarms
from offnominal.evaluation.timing import measure_timing as measure_timing

__all__ = [
    "DetectionCurve",
    "Discrimination",
    "EqualCost",
    "Estimate",
    "EvaluationReport",
    "EventTiming",
    "FalseAlarms",
    "GuaranteeCheck",
    "InvalidLabels",
    "OperatingCurve",
    "Ranking",
    "ReportLine",
    "SplitReport",
    "TimeMatched",
    "Timing",
    "average",
    "average_over_seeds",
    "check_guarantee",
    "effective_onsets",
    "estimate_detection_curve",
    "evaluate",
    "evaluate_split",
    "measure_discrimination",
    "measure_equal_cost",
    "measure_events",
    "measure_false_alarms",
    "measure_null_discrimination",
    "measure_operating_curve",
    "measure_time_matched",
    "measure_timing",
]
