"""Settings of a training run, and the presets of each world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from offnominal.core.checks import boolean, integer_in, number_in, one_of, positive_number
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.worlds.catalogue import worlds

Algorithm = Literal["tqc", "sac", "td3"]
Demonstrator = Literal["none", "scripted", "expert"]
DEMONSTRATORS: tuple[Demonstrator, ...] = ("none", "scripted", "expert")
ALGORITHMS: tuple[Algorithm, ...] = ("tqc", "sac", "td3")
FIRST_SEED = 1_000_000_000
"""First seed of training episodes, far from the seeds of evaluations."""
MANY, LARGE, LARGEST_SEED, MOST_MINUTES = 2**40, 2**20, 10**12, 10_000_000
"""Upper bounds: transitions, batch or layer size, seed, minutes."""


@dataclass(frozen=True)
class TrainingSettings(Config):
    """All settings of a training run.

    Args:
        algorithm: ``tqc``, ``sac`` or ``td3``.
        steps: Total number of transitions.
        n_envs: Number of simulations that are stepped together.
        gradient_steps: Gradient steps per vector step.
        batch_size: Transitions per gradient step.
        hidden: Widths of the actor's hidden layers.
        critic_hidden: Widths of the critics' hidden layers.
        critic_layer_norm: Whether the critics have layer normalisation.
        standardize_observations: Whether the networks see observations minus their mean, divided by their standard
            deviation, in the demonstrations or else in the first `learning_starts` transitions.
        learning_rate: Initial learning rate.
        anneal_learning_rate: Whether the rate decreases linearly: to a twentieth, with Stable-Baselines3 to zero.
        discount: Discount factor.
        reward_scale: Factor of the rewards that the critics see. The entropy coefficient (TQC, SAC) is relative to it.
        polyak: Weight of the critics in the update of the target critics.
        actor_polyak: Weight of the actor in the update of the exported policy: 1 exports the actor itself, a smaller
            value an exponential average.
        learning_starts: Number of transitions with random actions before the first gradient step.
        buffer_size: Capacity of the replay buffer in transitions.
        n_dropped_quantiles: Number of largest quantiles that are dropped per critic (TQC).
        target_entropy: Target entropy per action dimension (TQC, SAC).
        demonstrator: Policy whose episodes pre-fill the replay buffer and which the actor clones: ``"scripted"``,
            ``"expert"`` (the shipped policy), or ``"none"``.
        n_demonstrations: Number of demonstration episodes, with different levels of action noise.
        action_noise: Largest standard deviation of that noise, as a fraction of half the range of the actions.
        cloning_weight: Initial weight of the squared distance between the actor's actions and those of the demonstrator
            in the loss of the actor; it decreases linearly to zero. It keeps the actor near the demonstrator while the
            critics are inaccurate.
        critic_warmup: Gradient steps of the critics after behaviour cloning, before the actor is updated.
        hindsight: Share of a batch whose goal is replaced by a position that the same episode reached later, with the
            reward for that goal (Andrychowicz et al., 2017, strategy "future"). Only populations, in worlds with goals.
        held_actions: Probability per step that an action channel starts to be held at one of its limits while data is
            collected. Only populations; it increases from zero in the first simulation of an agent to this in the last.
        held_steps: Largest number of steps for which a channel is held.
        differences: Pairs of observation channels whose difference the networks see as well.
        difference_scale: Value by which these differences are divided.
        seed: Seed of the training.
    """

    algorithm: Algorithm = "tqc"
    steps: int = 1_000_000
    n_envs: int = 64
    gradient_steps: int = 32
    batch_size: int = 512
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    critic_layer_norm: bool = False
    standardize_observations: bool = False
    learning_rate: float = 3e-4
    anneal_learning_rate: bool = True
    discount: float = 0.99
    reward_scale: float = 1.0
    polyak: float = 0.005
    actor_polyak: float = 1.0
    learning_starts: int = 5_000
    buffer_size: int = 1_000_000
    n_dropped_quantiles: int = 2
    target_entropy: float = -1.0
    demonstrator: Demonstrator = "none"
    n_demonstrations: int = 1_000
    action_noise: float = 0.3
    cloning_weight: float = 0.0
    critic_warmup: int = 20_000
    hindsight: float = 0.0
    held_actions: float = 0.0
    held_steps: int = 20
    differences: tuple[tuple[int, int], ...] = ()
    difference_scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("algorithm", self.algorithm, ALGORITHMS)
        one_of("demonstrator", self.demonstrator, DEMONSTRATORS)
        check_sizes(self, ("steps", "buffer_size"), 1, MANY)
        check_sizes(self, ("learning_starts", "critic_warmup"), 0, MANY)
        check_sizes(self, ("n_envs", "gradient_steps", "batch_size", "n_demonstrations"), 1, LARGE)
        check_sizes(self, ("n_dropped_quantiles",), 0, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        boolean("critic_layer_norm", self.critic_layer_norm)
        boolean("standardize_observations", self.standardize_observations)
        boolean("anneal_learning_rate", self.anneal_learning_rate)
        positive_number("learning_rate", self.learning_rate)
        number_in("discount", self.discount, 0.0, 1.0)
        positive_number("reward_scale", self.reward_scale)
        number_in("polyak", self.polyak, 0.0, 1.0, open_low=True)
        number_in("actor_polyak", self.actor_polyak, 0.0, 1.0, open_low=True)
        number_in("target_entropy", self.target_entropy)
        number_in("action_noise", self.action_noise, 0.0)
        number_in("cloning_weight", self.cloning_weight, 0.0)
        number_in("hindsight", self.hindsight, 0.0, 1.0)
        number_in("held_actions", self.held_actions, 0.0, 1.0)
        check_sizes(self, ("held_steps",), 1, LARGE)
        check_pairs("differences", self.differences)
        positive_number("difference_scale", self.difference_scale)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


def check_sizes(settings: Config, names: Sequence[str], low: int, high: int) -> None:
    """Raise if settings are not integers within bounds."""
    for name in names:
        integer_in(name, getattr(settings, name), low, high)


def check_widths(name: str, widths: Any) -> None:
    """Raise if the widths of hidden layers are invalid."""
    if not isinstance(widths, tuple | list):
        raise InvalidParameter(f"{name} is {shown(widths)}; expected the widths of hidden layers, such as (256, 256).")
    for width in widths:
        integer_in(f"a width in {name}", width, 1, LARGE)


def check_pairs(name: str, pairs: Any) -> None:
    """Raise unless a value is a sequence of pairs of channel numbers."""
    good = isinstance(pairs, tuple | list) and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs)
    if not good:
        raise InvalidParameter(f"{name} is {shown(pairs)}; expected pairs of channels, such as ((0, 7), (1, 8)).")
    for pair in pairs:
        for channel in pair:
            integer_in(f"a channel in {name}", channel, 0, LARGE)


def check_effort(minutes: float | None, evaluations: int) -> None:
    """Raise if the time limit or the number of evaluations is invalid."""
    if minutes is not None:
        number_in("minutes", minutes, 0.0, MOST_MINUTES, open_low=True)
    integer_in("evaluations", evaluations, 1, LARGE)


def preset(world: str, algorithm: Algorithm) -> TrainingSettings:
    """Return the preset of a world, for the given algorithm."""
    return TrainingSettings(**worlds.training_presets(world).policy).replace(algorithm=algorithm)


_PUBLISHED = TrainingSettings(
    steps=1_000_000,
    n_envs=5,
    gradient_steps=1,
    batch_size=256,
    hidden=(256, 256),
    critic_hidden=(256, 256),
    learning_rate=3e-4,
    anneal_learning_rate=False,
    discount=0.99,
    polyak=0.005,
    learning_starts=100,
    buffer_size=1_000_000,
    n_dropped_quantiles=2,
    target_entropy=-1.0,
)
"""Settings that Anomaly-Gym published for all its agents; the card of a world has those that differ."""
_MORE = 8


def published(world: str, algorithm: Algorithm) -> TrainingSettings:
    """Return the published settings of a world, for the given algorithm."""
    return _PUBLISHED.replace(**worlds.training_presets(world).published, algorithm=algorithm)


def published_with_more_simulations(world: str, algorithm: Algorithm) -> TrainingSettings:
    """Return the published settings with eight times as many simulations and gradient steps per vector step.

    There are as many gradient steps per transition as published, and the steps of a GPU are not spent waiting.
    """
    few = published(world, algorithm)
    return few.replace(n_envs=_MORE * few.n_envs, gradient_steps=_MORE * few.gradient_steps)


def population_settings(world: str) -> TrainingSettings:
    """Return the settings of several trainings at once: the published ones, except for what a card says."""
    return published_with_more_simulations(world, "tqc").replace(**worlds.training_presets(world).population)
