"""Offnominal: benchmarks and tools for anomaly detection around acting agents.

Names and packages load when they are first used, so that ``import offnominal`` stays light. ``off.detectors``,
``off.sensing`` and all other packages are attributes of this one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal._gymnasium import register_when_imported
from offnominal._version import __version__

if TYPE_CHECKING:
    from offnominal import agents as agents
    from offnominal import alarms as alarms
    from offnominal import anomalies as anomalies
    from offnominal import calibration as calibration
    from offnominal import core as core
    from offnominal import datasets as datasets
    from offnominal import detectors as detectors
    from offnominal import evaluation as evaluation
    from offnominal import kinds as kinds
    from offnominal import laws as laws
    from offnominal import papers as papers
    from offnominal import reports as reports
    from offnominal import rollouts as rollouts
    from offnominal import sensing as sensing
    from offnominal import studies as studies
    from offnominal import worlds as worlds
    from offnominal.agents import Policy, expert
    from offnominal.alarms import Alarm, Monitor, audit_alarm
    from offnominal.anomalies import Anomaly, Fault, Schedule, inject
    from offnominal.anomalies.factory import make, make_vec
    from offnominal.calibration import calibrate
    from offnominal.core import Episode, OffnominalError
    from offnominal.datasets import Dataset, Recipe, episodes_from, generate, load_dataset
    from offnominal.detectors import Detector
    from offnominal.evaluation import evaluate
    from offnominal.kinds import Study
    from offnominal.laws import check_alarm, check_anomaly, check_detector, check_environment, check_world
    from offnominal.reports import compare, write_report
    from offnominal.rollouts import Twin, collect, effective_onset, evaluate_policy, twins
    from offnominal.studies import load_study
    from offnominal.worlds import World

_PACKAGES = (
    "agents",
    "alarms",
    "anomalies",
    "calibration",
    "core",
    "datasets",
    "detectors",
    "evaluation",
    "kinds",
    "laws",
    "papers",
    "reports",
    "rollouts",
    "sensing",
    "studies",
    "worlds",
)
_HOMES = {
    "agents": ("Policy", "expert"),
    "alarms": ("Alarm", "Monitor", "audit_alarm"),
    "anomalies": ("Anomaly", "Fault", "Schedule", "inject"),
    "anomalies.factory": ("make", "make_vec"),
    "calibration": ("calibrate",),
    "core": ("Episode", "OffnominalError"),
    "datasets": ("Dataset", "Recipe", "episodes_from", "generate", "load_dataset"),
    "detectors": ("Detector",),
    "evaluation": ("evaluate",),
    "laws": ("check_alarm", "check_anomaly", "check_detector", "check_environment", "check_world"),
    "reports": ("compare", "write_report"),
    "rollouts": ("Twin", "collect", "effective_onset", "evaluate_policy", "twins"),
    "kinds": ("Study",),
    "studies": ("load_study",),
    "worlds": ("World",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Alarm",
    "Anomaly",
    "Dataset",
    "Detector",
    "Episode",
    "Fault",
    "Monitor",
    "OffnominalError",
    "Policy",
    "Recipe",
    "Schedule",
    "Study",
    "Twin",
    "World",
    "__version__",
    "audit_alarm",
    "calibrate",
    "check_alarm",
    "check_anomaly",
    "check_detector",
    "check_environment",
    "check_world",
    "collect",
    "compare",
    "effective_onset",
    "episodes_from",
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
        from offnominal.core.public_calls import public

        globals()[name] = value = public(
            getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name), __name__
        )
        return value
    if name in _PACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})


register_when_imported()
