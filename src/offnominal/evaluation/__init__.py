"""Evaluation: discrimination, timing, time-matched and null-corrected metrics, with confidence intervals."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "dataset_evaluation": ("evaluate",),
        "discrimination": ("Discrimination", "Ranking", "measure_discrimination"),
        "equal_cost": ("EqualCost", "measure_equal_cost"),
        "errors": ("InvalidLabels",),
        "estimate": ("Estimate", "average", "average_over_seeds"),
        "evaluation_report": ("EvaluationReport", "ReportLine"),
        "event_timing": ("EventTiming", "measure_events"),
        "guarantee_check": ("GuaranteeCheck", "check_guarantee"),
        "null_discrimination": ("measure_null_discrimination",),
        "operating_curve": ("OperatingCurve", "measure_operating_curve"),
        "split_evaluation": ("effective_onsets", "evaluate_split"),
        "split_report": ("SplitReport",),
        "survival": ("DetectionCurve", "estimate_detection_curve"),
        "time_matched": ("TimeMatched", "measure_time_matched"),
        "timing": ("FalseAlarms", "Timing", "measure_false_alarms", "measure_timing"),
    },
)
