"""How well and how soon does a detector notice? Numbers with intervals, from scores and labels."""

from offnominal.evaluation.cost import EqualCost, equal_cost
from offnominal.evaluation.discrimination import Discrimination, Ranking, discrimination
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate, average, average_over_seeds
from offnominal.evaluation.evaluate import effective_onsets, evaluate_split
from offnominal.evaluation.matched import TimeMatched, time_matched
from offnominal.evaluation.null import null_discrimination
from offnominal.evaluation.on_dataset import evaluate
from offnominal.evaluation.operating import OperatingCurve, operating_curve
from offnominal.evaluation.report import Line, Report
from offnominal.evaluation.split import SplitReport
from offnominal.evaluation.survival import DetectionCurve, detection_curve
from offnominal.evaluation.timing import FalseAlarms, Timing, false_alarms, timing

__all__ = [
    "DetectionCurve",
    "Discrimination",
    "EqualCost",
    "Estimate",
    "FalseAlarms",
    "InvalidLabels",
    "Line",
    "OperatingCurve",
    "Ranking",
    "Report",
    "SplitReport",
    "TimeMatched",
    "Timing",
    "average",
    "average_over_seeds",
    "detection_curve",
    "discrimination",
    "effective_onsets",
    "equal_cost",
    "evaluate",
    "evaluate_split",
    "false_alarms",
    "null_discrimination",
    "operating_curve",
    "time_matched",
    "timing",
]
