"""Settings of a training run, and the presets of each world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from offnominal.core.checks import boolean, integer_in, number_in, positive_number, shown
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.worlds.catalogue import worlds

Algorithm = Literal["tqc", "sac", "td3"]
Demonstrator = Literal["none", "scripted", "expert"]
DEMONSTRATORS: tuple[Demonstrator, ...] = ("none", "scripted", "expert")
ALGORITHMS: tuple[Algorithm, ...] = ("tqc", "sac", "td3")
FIRST_SEED = 1_000_000_000
"""Training episodes begin here, far from the seeds that policies are judged on."""
MANY, LARGE, LARGEST_SEED, MOST_MINUTES = 2**40, 2**20, 10**12, 10_000_000
"""Of a training: most transitions, largest size of one batch or layer, largest seed, longest time."""


@dataclass(frozen=True)
class TrainingSettings(Config):
    """Everything that decides a training run.

    Args:
        algorithm: ``tqc``, ``sac`` or ``td3``.
        steps: Transitions to collect in all.
        n_envs: Simulations stepped together.
        gradient_steps: Gradient steps per vector step.
        batch_size: Transitions per gradient step.
        hidden: Widths of the actor's hidden layers.
        critic_hidden: Widths of the critics' hidden layers.
        critic_layer_norm: Whether the critics' hidden layers are normalised.
        learning_rate: Learning rate at the start.
        anneal_learning_rate: Whether the rate falls linearly: to a twentieth, through Stable-Baselines3 to zero.
        discount: Discount factor.
        polyak: Share of the critics that enters the targets per update.
        actor_polyak: Share of the actor that enters the exported policy per update: 1 exports the actor as it is, less
            an average over its past.
        learning_starts: Transitions with random actions before learning.
        buffer_size: Transitions kept.
        n_dropped_quantiles: Largest quantiles dropped per critic (TQC).
        target_entropy: Target entropy per action dimension (TQC, SAC).
        demonstrator: Whose episodes are in the replay at the start, and whom the actor imitates: ``"scripted"``,
            ``"expert"`` (the shipped policy), or ``"none"``.
        n_demonstrations: How many episodes the teacher shows, with noise of different size on its actions.
        action_noise: Largest standard deviation of that noise, as a share of half the range of the actions.
        critic_warmup: Gradient steps of the critics after the lessons, before the actor moves.
        seed: Seed of everything.
    """

    algorithm: Algorithm = "tqc"
    steps: int = 1_000_000
    n_envs: int = 64
    gradient_steps: int = 32
    batch_size: int = 512
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    critic_layer_norm: bool = False
    learning_rate: float = 3e-4
    anneal_learning_rate: bool = True
    discount: float = 0.99
    polyak: float = 0.005
    actor_polyak: float = 1.0
    learning_starts: int = 5_000
    buffer_size: int = 1_000_000
    n_dropped_quantiles: int = 2
    target_entropy: float = -1.0
    demonstrator: Demonstrator = "none"
    n_demonstrations: int = 1_000
    action_noise: float = 0.3
    critic_warmup: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_choice("demonstrator", self.demonstrator, DEMONSTRATORS)
        check_sizes(self, ("steps", "buffer_size"), 1, MANY)
        check_sizes(self, ("learning_starts", "critic_warmup"), 0, MANY)
        check_sizes(self, ("n_envs", "gradient_steps", "batch_size", "n_demonstrations"), 1, LARGE)
        check_sizes(self, ("n_dropped_quantiles",), 0, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        boolean("critic_layer_norm", self.critic_layer_norm)
        boolean("anneal_learning_rate", self.anneal_learning_rate)
        positive_number("learning_rate", self.learning_rate)
        number_in("discount", self.discount, 0.0, 1.0)
        number_in("polyak", self.polyak, 0.0, 1.0, open_low=True)
        number_in("actor_polyak", self.actor_polyak, 0.0, 1.0, open_low=True)
        number_in("target_entropy", self.target_entropy)
        number_in("action_noise", self.action_noise, 0.0)
        check_sizes(self, ("seed",), 0, LARGEST_SEED)


def check_choice(name: str, given: Any, known: Sequence[str]) -> None:
    """Refuse a word that is not known, with the nearest one that is."""
    if not isinstance(given, str) or given not in known:
        near = did_you_mean(str(given), known) if isinstance(given, str) else ""
        raise InvalidParameter(f"no {name} {shown(given)}.{near} Choose from {', '.join(known)}.")


def check_sizes(settings: Config, names: Sequence[str], low: int, high: int) -> None:
    """Refuse settings that are not whole numbers within bounds."""
    for name in names:
        integer_in(name, getattr(settings, name), low, high)


def check_widths(name: str, widths: Any) -> None:
    """Refuse widths of hidden layers that cannot be."""
    if not isinstance(widths, tuple | list):
        raise InvalidParameter(f"{name} is {shown(widths)}; expected the widths of hidden layers, such as (256, 256).")
    for width in widths:
        integer_in(f"a width in {name}", width, 1, LARGE)


def check_effort(minutes: float | None, evaluations: int) -> None:
    """Refuse limits of a training that are not numbers: minutes may be left out, evaluations may not."""
    if minutes is not None:
        number_in("minutes", minutes, 0.0, MOST_MINUTES, open_low=True)
    integer_in("evaluations", evaluations, 1, LARGE)


def preset(world: str, algorithm: Algorithm) -> TrainingSettings:
    """Return the settings that suit a world, with another algorithm."""
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


def published(world: str, algorithm: Algorithm) -> TrainingSettings:
    """Return the settings of the published agent of a world, with another algorithm."""
    return _PUBLISHED.replace(**worlds.training_presets(world).published, algorithm=algorithm)
