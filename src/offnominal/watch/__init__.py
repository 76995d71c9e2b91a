"""A monitor in a process of its own: deployable folders, robots, alarms that hold over time, and the service."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "channel_checks": ("ChannelCheck", "Checks", "TimingCheck", "learn_checks"),
        "deployment": ("Deployment", "Manifest"),
        "deployment_check": ("verify_deployment",),
        "deployment_writer": ("write_deployment",),
        "event": ("Event",),
        "fleet": ("Fleet",),
        "log_review.page": ("write_log_page",),
        "log_review.review": ("LogEvent", "LogReview", "review_log"),
        "rules": ("AlarmRule", "Rules", "load_rules"),
        "sample": ("InvalidSample",),
        "tuning.allowed_rate": ("AllowedRate",),
        "tuning.measured_rate": ("MeasuredRate",),
        "tuning.result": ("TuningResult",),
        "tuning.search": ("tune",),
    },
)
