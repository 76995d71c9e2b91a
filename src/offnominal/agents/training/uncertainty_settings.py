"""Presets: what each world's agents with uncertainty are trained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.agents.training.settings import (
    DEMONSTRATORS,
    LARGE,
    LARGEST_SEED,
    MANY,
    Demonstrator,
    check_choice,
    check_sizes,
    check_widths,
)
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS, UncertaintyKind
from offnominal.core.checks import number_in, positive_number
from offnominal.core.config import Config
from offnominal.worlds.catalogue import worlds

UncertaintyAlgorithm = Literal["dqn", "ddpg"]
UNCERTAINTY_ALGORITHMS: tuple[UncertaintyAlgorithm, ...] = ("dqn", "ddpg")


@dataclass(frozen=True)
class UncertaintyTrainingSettings(Config):
    """Everything that decides a training run of an agent with uncertainty.

    Args:
        algorithm: ``dqn`` for choices, ``ddpg`` for numbers.
        uncertainty: ``ensemble``, ``dropout`` or ``dropconnect``.
        members: Agents of an ensemble; each has its own first weights, simulations, replay and exploration.
        probability: Of a unit or a weight being dropped.
        passes: Predictions that the policy averages.
        steps: Transitions that each member collects.
        n_envs: Simulations of each member, stepped together.
        gradient_steps: Gradient steps per vector step.
        batch_size: Transitions per member and gradient step.
        hidden: Widths of the hidden layers.
        critic_hidden: Widths of the critics' hidden layers (DDPG).
        learning_rate: Learning rate at the start; it falls linearly to a twentieth.
        discount: Discount factor.
        n_step: Rewards that are summed before a value takes over.
        polyak: Share of the networks that enters the targets per update.
        exploration: Share of random choices at the end (DQN), or standard deviation of the noise as a share of half the
            range of the actions (DDPG).
        exploration_fraction: Share of `steps` over which random choices become so few, also if time is up before the
            last step.
        learning_starts: Transitions per member before learning, with random actions or a teacher's.
        demonstrator: ``none``, ``scripted_expert`` or ``expert``: who acts then, some actions left to chance.
        buffer_size: Transitions per member that are kept.
        action_penalty: Weight of the squared part of an action beyond the limits (DDPG).
        seed: Seed of everything.
    """

    algorithm: UncertaintyAlgorithm = "dqn"
    uncertainty: UncertaintyKind = "ensemble"
    members: int = 5
    probability: float = 0.05
    passes: int = 5
    steps: int = 60_000
    n_envs: int = 16
    gradient_steps: int = 4
    batch_size: int = 128
    hidden: tuple[int, ...] = (64, 64)
    critic_hidden: tuple[int, ...] = (64, 64)
    learning_rate: float = 1e-3
    discount: float = 0.99
    n_step: int = 3
    polyak: float = 0.02
    exploration: float = 0.1
    exploration_fraction: float = 0.3
    learning_starts: int = 500
    demonstrator: Demonstrator = "none"
    buffer_size: int = 50_000
    action_penalty: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("algorithm with uncertainty", self.algorithm, UNCERTAINTY_ALGORITHMS)
        check_choice("uncertainty", self.uncertainty, UNCERTAINTY_KINDS)
        check_choice("demonstrator", self.demonstrator, DEMONSTRATORS)
        check_sizes(self, ("steps", "buffer_size"), 1, MANY)
        check_sizes(self, ("learning_starts",), 0, MANY)
        check_sizes(self, ("members", "passes", "n_envs", "gradient_steps", "batch_size", "n_step"), 1, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        number_in("probability", self.probability, 0.0, 1.0, open_high=True)
        positive_number("learning_rate", self.learning_rate)
        number_in("discount", self.discount, 0.0, 1.0)
        number_in("polyak", self.polyak, 0.0, 1.0, open_low=True)
        number_in("exploration", self.exploration, 0.0)
        number_in("exploration_fraction", self.exploration_fraction, 0.0, 1.0, open_low=True)
        number_in("action_penalty", self.action_penalty, 0.0)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


def uncertainty_preset(world: str, algorithm: str, uncertainty: str) -> UncertaintyTrainingSettings:
    """Return the settings for a world, an algorithm and a kind of uncertainty."""
    settings = UncertaintyTrainingSettings(**worlds.training_presets(world).uncertain_policy)
    settings = settings.replace(algorithm=algorithm, uncertainty=uncertainty)
    return settings if uncertainty == "ensemble" else settings.replace(members=1)
