"""Offnominal: benchmarks and tools for anomaly detection around acting agents.

Names and packages load when they are first used, so that ``import offnominal`` stays light. ``off.detectors``,
``off.sensing`` and all other packages are attributes of this one.
"""

from offnominal._gymnasium import register_when_imported
from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "_version": ("__version__",),
        "agents": ("Policy", "expert"),
        "alarms": ("Alarm", "Monitor", "audit_alarm"),
        "anomalies": ("Anomaly", "Fault", "Schedule", "inject"),
        "anomalies.factory": ("make", "make_vec"),
        "calibration": ("calibrate",),
        "core": ("Episode", "OffnominalError"),
        "datasets": ("Dataset", "Recipe", "episodes_from", "generate", "inject_log", "load_dataset"),
        "detectors": ("Detector",),
        "evaluation": ("evaluate",),
        "kinds": ("Study",),
        "laws": ("check_alarm", "check_anomaly", "check_detector", "check_environment", "check_world"),
        "reports": ("compare", "write_report"),
        "rollouts": ("Twin", "collect", "effective_onset", "evaluate_policy", "twins"),
        "studies": ("load_study",),
        "worlds": ("World",),
    },
)

register_when_imported()
