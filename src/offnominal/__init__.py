"""Offnominal: does a detector notice when an agent's world stops being normal, how soon, at what cost?

Names load when they are first used, so that importing the package stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal._gymnasium import register_when_imported
from offnominal._version import __version__

if TYPE_CHECKING:
    from offnominal.agents import FunctionPolicy, NetworkPolicy, Policy, RandomPolicy, expert
    from offnominal.alarms import Alarm, Monitor, audit_alarm
    from offnominal.anomalies import Anomaly, CameraAnomaly, DynamicsAnomaly, Fault, Schedule, SignalAnomaly, inject
    from offnominal.anomalies.factory import make, make_vec
    from offnominal.core import Episode, Event, OffnominalError
    from offnominal.datasets import Dataset, generate, load_dataset
    from offnominal.detectors import Detector
    from offnominal.evaluation import evaluate
    from offnominal.laws import check_alarm, check_anomaly, check_detector, check_world
    from offnominal.reports import write_report
    from offnominal.rollouts import Twin, collect, effective_onset, evaluate_policy, twins
    from offnominal.studies import Study, load_study
    from offnominal.worlds import World

_HOMES = {
    "agents": ("FunctionPolicy", "NetworkPolicy", "Policy", "RandomPolicy", "expert"),
    "alarms": ("Alarm", "Monitor", "audit_alarm"),
    "anomalies": ("Anomaly", "CameraAnomaly", "DynamicsAnomaly", "Fault", "Schedule", "SignalAnomaly", "inject"),
    "anomalies.factory": ("make", "make_vec"),
    "core": ("Episode", "Event", "OffnominalError"),
    "datasets": ("Dataset", "generate", "load_dataset"),
    "detectors": ("Detector",),
    "evaluation": ("evaluate",),
    "laws": ("check_alarm", "check_anomaly", "check_detector", "check_world"),
    "reports": ("write_report",),
    "rollouts": ("Twin", "collect", "effective_onset", "evaluate_policy", "twins"),
    "studies": ("Study", "load_study"),
    "worlds": ("World",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Alarm",
    "Anomaly",
    "CameraAnomaly",
    "Dataset",
    "Detector",
    "DynamicsAnomaly",
    "Episode",
    "Event",
    "Fault",
    "FunctionPolicy",
    "Monitor",
    "NetworkPolicy",
    "OffnominalError",
    "Policy",
    "RandomPolicy",
    "Schedule",
    "SignalAnomaly",
    "Study",
    "Twin",
    "World",
    "__version__",
    "audit_alarm",
    "check_alarm",
    "check_anomaly",
    "check_detector",
    "check_world",
    "collect",
    "effective_onset",
    "evaluate",
    "evaluate_policy",
    "expert",
    "generate",
    "inject",
    "load_dataset",
    "load_study",
    "make",
    "make_vec",
    "twins",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    if name in {home.partition(".")[0] for home in _HOMES}:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_when_imported()
