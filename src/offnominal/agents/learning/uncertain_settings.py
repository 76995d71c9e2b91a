"""Presets: what each world's agents with uncertainty are trained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.agents.learning.settings import (
    LARGE,
    LARGEST_SEED,
    MANY,
    TEACHERS,
    Teacher,
    check_choice,
    check_sizes,
    check_widths,
)
from offnominal.agents.uncertain.policy import KINDS, Kind
from offnominal.core.checks import number_in, positive_number
from offnominal.core.config import Config

UncertainAlgorithm = Literal["dqn", "ddpg"]
UNCERTAIN_ALGORITHMS: tuple[UncertainAlgorithm, ...] = ("dqn", "ddpg")


@dataclass(frozen=True)
class UncertainSettings(Config):
    """Everything that decides a training run of an agent with uncertainty.

    Args:
        algorithm: ``dqn`` for choices, ``ddpg`` for numbers.
        uncertainty: ``ensemble``, ``dropout`` or ``dropconnect``.
        members: Agents of an ensemble; each has its own first weights, simulations, replay and exploration.
        probability: Of a unit or a weight being dropped.
        passes: Predictions that the policy averages.
        steps: Transitions that each member collects.
        rows: Simulations of each member, stepped together.
        updates: Gradient steps per vector step.
        batch: Transitions per member and gradient step.
        hidden: Widths of the hidden layers.
        critic_hidden: Widths of the critics' hidden layers (DDPG).
        rate: Learning rate at the start; it falls linearly to a twentieth.
        discount: Discount factor.
        ahead: Rewards that are summed before a value takes over.
        polyak: Share of the networks that enters the targets per update.
        explore: Share of random choices at the end (DQN), or standard deviation of the noise as a share of half the
            range of the actions (DDPG).
        settling: Share of `steps` over which random choices become so few, also if time is up before the last step.
        starts: Transitions per member before learning, with random actions or a teacher's.
        teacher: ``nobody``, ``scripted`` or ``expert``: who acts then, some actions left to chance.
        buffer: Transitions per member that are kept.
        restraint: Weight of the squared part of an action beyond the limits (DDPG).
        seed: Seed of everything.
    """

    algorithm: UncertainAlgorithm = "dqn"
    uncertainty: Kind = "ensemble"
    members: int = 5
    probability: float = 0.05
    passes: int = 5
    steps: int = 60_000
    rows: int = 16
    updates: int = 4
    batch: int = 128
    hidden: tuple[int, ...] = (64, 64)
    critic_hidden: tuple[int, ...] = (64, 64)
    rate: float = 1e-3
    discount: float = 0.99
    ahead: int = 3
    polyak: float = 0.02
    explore: float = 0.1
    settling: float = 0.3
    starts: int = 500
    teacher: Teacher = "nobody"
    buffer: int = 50_000
    restraint: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("algorithm with uncertainty", self.algorithm, UNCERTAIN_ALGORITHMS)
        check_choice("uncertainty", self.uncertainty, KINDS)
        check_choice("teacher", self.teacher, TEACHERS)
        check_sizes(self, ("steps", "buffer"), 1, MANY)
        check_sizes(self, ("starts",), 0, MANY)
        check_sizes(self, ("members", "passes", "rows", "updates", "batch", "ahead"), 1, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        number_in("probability", self.probability, 0.0, 1.0, open_high=True)
        positive_number("rate", self.rate)
        number_in("discount", self.discount, 0.0, 1.0)
        number_in("polyak", self.polyak, 0.0, 1.0, open_low=True)
        number_in("explore", self.explore, 0.0)
        number_in("settling", self.settling, 0.0, 1.0, open_low=True)
        number_in("restraint", self.restraint, 0.0)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


UNCERTAIN_PRESETS = {
    "OOD-CartPole-v0": UncertainSettings(),
    "OOD-Pendulum-v0": UncertainSettings(
        algorithm="ddpg", steps=30_000, ahead=1, polyak=0.01, explore=0.15, restraint=1.0
    ),
    "OOD-Pong-v0": UncertainSettings(
        steps=1_500_000,
        rows=16,
        updates=8,
        batch=32,
        hidden=(256,),
        rate=3e-4,
        ahead=3,
        polyak=0.005,
        explore=0.02,
        settling=0.05,
        starts=20_000,
        teacher="scripted",
        buffer=150_000,
    ),
}


def uncertain_preset(world: str, algorithm: str, uncertainty: str) -> UncertainSettings:
    """Return the settings for a world, an algorithm and a kind of uncertainty."""
    settings = UNCERTAIN_PRESETS.get(world, UncertainSettings()).replace(algorithm=algorithm, uncertainty=uncertainty)
    return settings if uncertainty == "ensemble" else settings.replace(members=1)
