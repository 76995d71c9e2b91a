"""Cells of the study: one agent in all settings of its world, with some detectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.agents.uncertainty import UncertaintyKind
from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.studies.base import BaseCell, Target

SHIPPED = 0
"""Number of the agent that comes with the package."""


@dataclass(frozen=True)
class MethodEntry(Config):
    """A detector of the study.

    Args:
        name: Name in tables.
        detector: Its registered id, or ``"package.module:Class"``; the name if empty.
        parameters: Arguments of its constructor.
        internal: Whether it uses signals from inside the policy; its constructor then takes `policy`.
        parts: Names of the methods whose scores it fuses, if any.
        uncertainties: Only agents of these kinds; all if None.
    """

    name: str
    detector: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    internal: bool = False
    parts: tuple[str, ...] = ()
    uncertainties: tuple[UncertaintyKind, ...] | None = None

    def __post_init__(self) -> None:
        text("the name of a method", self.name)

    @property
    def id(self) -> str:
        """Registered id or path of the class."""
        return self.detector or self.name


@dataclass(frozen=True)
class OODCell(BaseCell):
    """One agent in all settings of Table 1 that its world has, in several trials, with detectors.

    A trial has `episodes` unmodified episodes and as many in each setting, with the same initial states. Trials have
    different initial states. Detectors outside the policy are trained on other unmodified episodes.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agent.
        methods: Detectors that share the episodes.
        parts: Detectors whose scores are only needed for those that fuse them.
        group: Name of the group of methods.
        seed: Number of the agent: 0 is the shipped one, others are trained with that seed.
        trials: Number of trials.
        episodes: Number of unmodified episodes of each trial, and of episodes of each setting.
        train: Number of training episodes of detectors outside the policy.
        max_steps: Time limit; the world's own if None.
        onset: First modified transition; 0 as in the paper.
        anomalies: Only settings of these.
        max_settings: Settings of each anomaly at most, spread evenly; None for all.
        kind: Id of the study kind.

    Example:
        >>> OODCell("OOD-CartPole-v0", "ensemble", (MethodEntry("Time"),), seed=2).label
        'OOD-CartPole-v0/ensemble/policy/2'
    """

    world: str
    uncertainty: UncertaintyKind
    methods: tuple[MethodEntry, ...]
    parts: tuple[MethodEntry, ...] = ()
    group: str = "policy"
    seed: int = SHIPPED
    trials: int = 5
    episodes: int = 20
    train: int = 50
    max_steps: int | None = None
    onset: int = 0
    anomalies: tuple[str, ...] | None = None
    max_settings: int | None = None
    kind: Literal["ood-rl"] = "ood-rl"

    @property
    def label(self) -> str:
        """World, kind of agent, group of methods and number of the agent."""
        return f"{self.world}/{self.uncertainty}/{self.group}/{self.seed}"

    @property
    def source(self) -> str:
        """Hash of world, kind and number of the agent."""
        return hashlib.sha256(json.dumps(["agent", self.world, self.uncertainty, self.seed]).encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its agent in progress messages."""
        return f"agent {self.world}/{self.uncertainty}/{self.seed}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row; the kind of the agent is stored as the policy."""
        return {"world": self.world, "policy": self.uncertainty, "name": self.group}

    def targets(self) -> Iterator[Target]:
        """Yield the methods and their parts."""
        for entry in (*self.methods, *self.parts):
            yield from ((detector_registry, name) for name in detector_registry.names(entry.id, entry.parameters))
