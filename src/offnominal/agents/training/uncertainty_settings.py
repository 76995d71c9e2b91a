"""Settings for the training of policies with uncertainty estimates, and the presets of each world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.agents.training.settings import (
    DEMONSTRATORS,
    LARGE,
    LARGEST_SEED,
    MANY,
    Demonstrator,
    check_sizes,
    check_widths,
)
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS, UncertaintyKind
from offnominal.core.checks import number_in, one_of, positive_number
from offnominal.core.config import Config
from offnominal.worlds.catalogue import worlds

UncertaintyAlgorithm = Literal["dqn", "ddpg"]
UNCERTAINTY_ALGORITHMS: tuple[UncertaintyAlgorithm, ...] = ("dqn", "ddpg")


@dataclass(frozen=True)
class UncertaintyTrainingSettings(Config):
    """All settings of a training run of a policy with uncertainty estimates.

    Args:
        algorithm: ``dqn`` for discrete actions, ``ddpg`` for continuous actions.
        uncertainty: ``ensemble``, ``dropout`` or ``dropconnect``.
        members: Members of an ensemble; each has its own initial weights, simulations, replay and exploration.
        probability: Probability that a dropout mask drops a unit or a weight.
        passes: Number of predictions that the policy averages.
        steps: Transitions per member.
        n_envs: Simulations per member, stepped together.
        gradient_steps: Gradient steps per vector step.
        batch_size: Transitions per member and gradient step.
        hidden: Widths of the hidden layers.
        critic_hidden: Widths of the critics' hidden layers (DDPG).
        learning_rate: Initial learning rate; it decreases linearly to a twentieth.
        discount: Discount factor.
        n_step: Number of steps of the n-step return.
        polyak: Weight of the networks in the update of the target networks.
        exploration: Final fraction of random actions (DQN), or standard deviation of the noise as a fraction of half
            the range of the actions (DDPG).
        exploration_fraction: Fraction of `steps` over which the fraction of random actions decreases (DQN).
        learning_starts: Transitions per member before the first gradient step, with random or demonstrated actions.
        demonstrator: Policy that acts before the first gradient step, with some random actions: ``none``, ``scripted``
            or ``expert``.
        buffer_size: Capacity of the replay buffer in transitions per member.
        action_penalty: Weight of the squared excess of an action over its bounds (DDPG).
        seed: Seed of the training.
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
        one_of("algorithm", self.algorithm, UNCERTAINTY_ALGORITHMS)
        one_of("uncertainty", self.uncertainty, UNCERTAINTY_KINDS)
        one_of("demonstrator", self.demonstrator, DEMONSTRATORS)
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
    """Return the preset of a world, for an algorithm and a kind of uncertainty."""
    settings = UncertaintyTrainingSettings(**worlds.training_presets(world).uncertain_policy)
    settings = settings.replace(algorithm=algorithm, uncertainty=uncertainty)
    return settings if uncertainty == "ensemble" else settings.replace(members=1)
