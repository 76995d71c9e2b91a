"""Evaluation: discrimination, timing, time-matched and null-corrected metrics, with confidence intervals."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "alarm_budget": ("AlarmBudget", "measure_alarm_budget"),
        "cumulative_incidence": ("CumulativeIncidence", "Incidence", "estimate_cumulative_incidence"),
        "dataset_evaluation": ("evaluate",),
        "discrimination": ("Discrimination", "Ranking", "measure_discrimination"),
        "errors": ("InvalidLabels",),
        "estimate": ("Estimate", "average", "average_over_seeds"),
        "evaluation_report": ("EvaluationReport", "ReportLine"),
        "event_timing": ("EventTiming", "measure_events"),
        "failure": ("FailureTiming",),
        "false_alarm_budget": ("FalseAlarmBudget",),
        "false_alarm_rate": ("per_1000_steps",),
        "net_detection": ("NetDetection", "measure_net_detection"),
        "null_discrimination": ("measure_null_discrimination",),
        "recovery": ("Recovery", "measure_recovery"),
        "series_scores": ("SeriesScores", "event_f1", "measure_series", "nab_score", "vus"),
        "simultaneous": ("Simultaneous", "simultaneous_intervals"),
        "split_evaluation": ("effective_onsets", "evaluate_split"),
        "split_report": ("SplitReport",),
        "time_matched": ("TimeMatched", "measure_time_matched"),
        "time_order": ("check_time_order",),
        "timing": ("FalseAlarms", "Timing", "measure_false_alarms", "measure_timing"),
        "variance_split": ("VariancePart", "VarianceSplit", "split_variance"),
        "verdicts": ("Verdicts", "detector_verdicts"),
    },
)
