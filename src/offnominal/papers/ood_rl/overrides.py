"""Changes of the study: in a world, and at a scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from offnominal.agents.uncertainty import UncertaintyKind
from offnominal.core.config import Config


@dataclass(frozen=True)
class WorldOverrides(Config):
    """Changes in a world; None leaves a field of the study unchanged.

    Args:
        excluded_uncertainties: Kinds of agents that do not exist for it.
        excluded_methods: Names of methods that do not apply there.
        episodes: Number of episodes of each trial and setting.
        train: Number of training episodes of detectors outside the policy.
        max_steps: Time limit, if not the world's own.
    """

    excluded_uncertainties: tuple[UncertaintyKind, ...] = ()
    excluded_methods: tuple[str, ...] = ()
    episodes: int | None = None
    train: int | None = None
    max_steps: int | None = None


@dataclass(frozen=True)
class OODScale(Config):
    """Scale of the study; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        worlds: Ids of worlds.
        uncertainties: Kinds of agents.
        methods: Names of methods.
        agents: Numbers of the agents; 0 is the shipped one, others are trained with that seed.
        trials: Number of trials.
        episodes: Number of episodes of each trial and setting.
        train: Number of training episodes of detectors outside the policy.
        onset: First modified transition.
        anomalies: Ids of anomalies; other settings are left out.
        max_settings: Maximum number of settings of each anomaly.
        parameters: Changed parameters by name of the method.
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
