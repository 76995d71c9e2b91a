"""What differs from the study: in a world, and at a scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from offnominal.agents.uncertainty import UncertaintyKind
from offnominal.core.config import Config


@dataclass(frozen=True)
class WorldOverrides(Config):
    """What differs in a world; what is None is as the study says.

    Args:
        excluded_uncertainties: Kinds of agents that it has none of.
        excluded_methods: Methods that cannot watch there, by name.
        episodes: Of each trial and setting.
        train: Episodes that detectors outside the policy learn from.
        max_steps: Time limit, if not the world's own.
    """

    excluded_uncertainties: tuple[UncertaintyKind, ...] = ()
    excluded_methods: tuple[str, ...] = ()
    episodes: int | None = None
    train: int | None = None
    max_steps: int | None = None


@dataclass(frozen=True)
class OODScale(Config):
    """How much of the study to run; what is None is as the study says.

    Args:
        summary: One line for listings.
        worlds: Only these.
        uncertainties: Only agents of these kinds.
        methods: Only these, by name.
        agents: Numbers of the agents; 0 comes with the package, others are trained with that seed.
        trials: How many.
        episodes: Of each trial and setting.
        train: Episodes that detectors outside the policy learn from.
        onset: First changed transition.
        anomalies: Only settings of these.
        max_settings: Settings of each anomaly at most.
        parameters: Parameters that differ, by name of the method.
    """

    summary: str = ""
    worlds: tuple[str, ...] | None = None
    uncertainties: tuple[UncertaintyKind, ...] | None = None
    methods: tuple[str, ...] | None = None
    agents: tuple[int, ...] | None = None
    trials: int | None = None
    episodes: int | None = None
    train: int | None = None
    onset: int | None = None
    anomalies: tuple[str, ...] | None = None
    max_settings: int | None = None
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
