"""The card of a world: everything that is known of it before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from offnominal.core.capabilities import Tag
from offnominal.core.registry import Spec


@dataclass(frozen=True, slots=True)
class Channel:
    """One entry of an observation or action vector.

    Args:
        name: Readable name.
        unit: Unit of the value.
        low: Lowest value that a sensor of this channel can report, or that its actuator takes; -inf if none is known.
        high: Highest such value.
        range_of: What gives this range.
    """

    name: str
    unit: str = ""
    low: float = -np.inf
    high: float = np.inf
    range_of: str = ""

    def __str__(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class PhysicsParameter:
    """One physical parameter that can be changed per simulation while it runs.

    Args:
        name: Name of the parameter; the anomaly ``dynamics/<name>`` changes it.
        neutral: Nominal value.
        summary: Effect of the parameter.
        unit: Unit of the value.
        minimum: Smallest allowed value.
        combine: How several faults on this parameter act together.
        typical: A value with a visible effect within a few steps; None for twice the neutral value, or 8 if that is 0.
        levels: Values with names of their own, which need no calibration: name and value.
        plausible: Lowest and highest value that a real system could have; named strengths are within.
        range_of: What gives these two values.
    """

    name: str
    neutral: float
    summary: str
    unit: str = ""
    minimum: float = -np.inf
    combine: Literal["add", "multiply"] = "add"
    typical: float | None = None
    levels: tuple[tuple[str, float], ...] = ()
    plausible: tuple[float, float] = (-np.inf, np.inf)
    range_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTerms:
    """How policies of a world are evaluated. The defaults suit short episodes.

    Args:
        episodes: Number of episodes of a final evaluation; None for as many as the caller asks for.
        training_episodes: Number of episodes of an evaluation during training; None as above.
        max_steps: Time limit of the final evaluation; None for the world's own.
        training_max_steps: Time limit during training; None for the world's own.
        batch_size: Largest number of episodes held in memory at once; None for all.
        training_evaluations: Number of evaluations during one training run; None for the default.
        options: Options of the world for training and evaluation.
    """

    episodes: int | None = None
    training_episodes: int | None = None
    max_steps: int | None = None
    training_max_steps: int | None = None
    batch_size: int | None = None
    training_evaluations: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPresets:
    """Keyword arguments of the training settings that suit a world.

    Args:
        policy: Of :class:`~offnominal.agents.training.settings.TrainingSettings`.
        uncertain_policy: Of :class:`~offnominal.agents.training.uncertainty_settings.UncertaintyTrainingSettings`.
        fine_tuning: Of :class:`~offnominal.agents.training.fine_tuning.FineTuningSettings`.
        published: As `policy`, for the agents of the publication that introduced the world.
        population: As `policy`, for several seeds at once without demonstrations; what differs from `published`.
    """

    policy: Mapping[str, Any] = field(default_factory=dict, hash=False)
    uncertain_policy: Mapping[str, Any] = field(default_factory=dict, hash=False)
    fine_tuning: Mapping[str, Any] = field(default_factory=dict, hash=False)
    published: Mapping[str, Any] = field(default_factory=dict, hash=False)
    population: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalTerms:
    """The part of a reward that depends on a goal: minus the distance to it and minus `miss`, or 0 within `tolerance`.

    Args:
        goal: First of the three channels with the position of the goal, in the observation before a step.
        achieved: First of the three channels, in the observation after it, with the position that should be there.
        tolerance: Distance within which the goal is reached.
        miss: Cost of each step at which it is not.
    """

    goal: int
    achieved: int
    tolerance: float = 0.0
    miss: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldCard:
    """Description of a world. Reading it needs no optional package.

    Args:
        id: Versioned name.
        summary: One line.
        dt: Seconds per transition.
        max_steps: Time limit in transitions.
        expert_length: Transitions a good policy needs; random onsets are drawn inside it.
        expert_return: Mean return of the published expert.
        random_return: Mean return of uniformly random actions, as published.
        observation: Channels of the observation, in order.
        action: Channels of the action, in order.
        physics_parameters: Physical parameters that faults can change.
        target: The class as ``"package.module:Class"``; empty for a world that is not registered by its card.
        options: Keyword arguments of the class.
        tags: What the world can do: ``"camera"``, ``"threads"``.
        scripted_expert: The scripted expert; its target is loaded on first use.
        training: Presets of the training settings.
        evaluation: How policies are evaluated.
        goal: How the reward depends on a goal in the observation; None for a world without.
        strengths: CSV table of named strengths, as `offnominal calibrate` writes it; None for the shipped table.
        page: Documentation page: a name under ``docs/worlds``, or an address.
        version: Raised by hand when the episodes of the world change; part of the keys of results that use it.
    """

    id: str
    summary: str
    dt: float
    max_steps: int
    expert_length: int
    expert_return: float | None = None
    random_return: float | None = None
    observation: tuple[Channel, ...]
    action: tuple[Channel, ...]
    physics_parameters: tuple[PhysicsParameter, ...] = ()
    target: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    tags: tuple[Tag, ...] = ()
    scripted_expert: Spec | None = None
    training: TrainingPresets = TrainingPresets()
    evaluation: EvaluationTerms = EvaluationTerms()
    goal: GoalTerms | None = None
    strengths: Path | None = None
    page: str = ""
    version: int = 1
