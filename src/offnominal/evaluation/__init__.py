"""Evaluation: discrimination, timing, time-matched and null-corrected metrics, with confidence intervals."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.evaluation.dataset_evaluation import evaluate
from offnominal.evaluation.discrimination import Discrimination, Ranking, measure_discrimination
from offnominal.evaluation.equal_cost import EqualCost, measure_equal_cost
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate, average, average_over_seeds
from offnominal.evaluation.evaluation_report import EvaluationReport, ReportLine
from offnominal.evaluation.event_timing import EventTiming, measure_events
from offnominal.evaluation.guarantee_check import GuaranteeCheck, check_guarantee
from offnominal.evaluation.null_discrimination import measure_null_discrimination
from offnominal.evaluation.operating_curve import OperatingCurve, measure_operating_curve
from offnominal.evaluation.split_evaluation import effective_onsets, evaluate_split
from offnominal.evaluation.split_report import SplitReport
from offnominal.evaluation.survival import DetectionCurve, estimate_detection_curve
from offnominal.evaluation.time_matched import TimeMatched, measure_time_matched
from offnominal.evaluation.timing import FalseAlarms, Timing, measure_false_alarms, measure_timing

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

name_wrong_arguments(__name__)
