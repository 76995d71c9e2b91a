"""Presets: what each world is trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from offnominal.core.checks import boolean, integer_in, number_in, positive_number, shown
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, did_you_mean

Algorithm = Literal["tqc", "sac", "td3"]
Teacher = Literal["nobody", "scripted", "expert"]
TEACHERS: tuple[Teacher, ...] = ("nobody", "scripted", "expert")
ALGORITHMS: tuple[Algorithm, ...] = ("tqc", "sac", "td3")
FIRST_SEED = 1_000_000_000
"""Training episodes begin here, far from the seeds that policies are judged on."""
MANY, LARGE, LARGEST_SEED, MOST_MINUTES = 2**40, 2**20, 10**12, 10_000_000
"""Of a training: most transitions, largest size of one batch or layer, largest seed, longest time."""


@dataclass(frozen=True)
class LearningSettings(Config):
    """Everything that decides a training run.

    Args:
        algorithm: ``tqc``, ``sac`` or ``td3``.
        steps: Transitions to collect in all.
        rows: Simulations stepped together.
        updates: Gradient steps per vector step.
        batch: Transitions per gradient step.
        hidden: Widths of the actor's hidden layers.
        critic_hidden: Widths of the critics' hidden layers.
        critic_norm: Whether the critics' hidden layers are normalised.
        rate: Learning rate at the start.
        anneal: Whether the rate falls linearly: to a twentieth, through Stable-Baselines3 to zero.
        discount: Discount factor.
        polyak: Share of the critics that enters the targets per update.
        steadiness: Share of the actor that enters the exported policy per update: 1 exports the actor as it is, less an
            average over its past.
        starts: Transitions with random actions before learning.
        buffer: Transitions kept.
        drop: Largest quantiles dropped per critic (TQC).
        entropy: Target entropy per action dimension (TQC, SAC).
        teacher: Whose episodes are in the replay at the start, and whom the actor imitates: ``"scripted"``,
            ``"expert"`` (the shipped policy), or ``"nobody"``.
        lessons: How many episodes the teacher shows, with noise of different size on its actions.
        stumble: Largest standard deviation of that noise, as a share of half the range of the actions.
        listen: Gradient steps of the critics after the lessons, before the actor moves.
        seed: Seed of everything.
    """

    algorithm: Algorithm = "tqc"
    steps: int = 1_000_000
    rows: int = 64
    updates: int = 32
    batch: int = 512
    hidden: tuple[int, ...] = (256, 256)
    critic_hidden: tuple[int, ...] = (256, 256)
    critic_norm: bool = False
    rate: float = 3e-4
    anneal: bool = True
    discount: float = 0.99
    polyak: float = 0.005
    steadiness: float = 1.0
    starts: int = 5_000
    buffer: int = 1_000_000
    drop: int = 2
    entropy: float = -1.0
    teacher: Teacher = "nobody"
    lessons: int = 1_000
    stumble: float = 0.3
    listen: int = 20_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        check_choice("teacher", self.teacher, TEACHERS)
        check_sizes(self, ("steps", "buffer"), 1, MANY)
        check_sizes(self, ("starts", "listen"), 0, MANY)
        check_sizes(self, ("rows", "updates", "batch", "lessons"), 1, LARGE)
        check_sizes(self, ("drop",), 0, LARGE)
        check_widths("hidden", self.hidden)
        check_widths("critic_hidden", self.critic_hidden)
        boolean("critic_norm", self.critic_norm)
        boolean("anneal", self.anneal)
        positive_number("rate", self.rate)
        number_in("discount", self.discount, 0.0, 1.0)
        number_in("polyak", self.polyak, 0.0, 1.0, open_low=True)
        number_in("steadiness", self.steadiness, 0.0, 1.0, open_low=True)
        number_in("entropy", self.entropy)
        number_in("stumble", self.stumble, 0.0)
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


_TAUGHT = LearningSettings(
    steps=2_500_000,
    rows=256,
    updates=64,
    batch=1024,
    discount=0.995,
    rate=5e-4,
    buffer=2_000_000,
    drop=0,
    entropy=-3.0,
    teacher="scripted",
    lessons=1_500,
)
PRESETS = {
    "SAP-Goal0-v0": LearningSettings(steps=400_000),
    "SAP-Goal1-v0": LearningSettings(steps=1_500_000),
    "SAP-Goal2-v0": LearningSettings(steps=4_000_000, updates=24),
    "MJC-CartpoleSwingup-v0": _TAUGHT,
    "MJC-Reacher3D-v0": _TAUGHT.replace(steps=1_000_000, discount=0.99, rate=3e-4, entropy=-2.0, lessons=3_000),
    "MJC-HalfCheetah-v0": LearningSettings(
        steps=9_000_000,
        rows=512,
        updates=64,
        critic_hidden=(512, 512, 512),
        rate=4e-4,
        starts=10_000,
        buffer=4_000_000,
        drop=0,
        lessons=2_000,
    ),
}


def preset(world: str, algorithm: Algorithm) -> LearningSettings:
    """Return the settings for a world and an algorithm."""
    return PRESETS.get(world, LearningSettings()).replace(algorithm=algorithm)


_SAP = LearningSettings(
    steps=250_000,
    rows=5,
    updates=1,
    batch=256,
    hidden=(256, 256),
    critic_hidden=(256, 256),
    rate=3e-4,
    anneal=False,
    discount=0.99,
    polyak=0.005,
    starts=100,
    buffer=1_000_000,
    drop=2,
    entropy=-1.0,
)
PUBLISHED = {
    "SAP": _SAP,
    "MJC": _SAP.replace(
        steps=1_000_000,
        batch=512,
        hidden=(512, 512, 512),
        critic_hidden=(512, 512, 512),
        rate=1e-3,
        anneal=True,
        discount=0.98,
        starts=1_000,
    ),
}
"""What Anomaly-Gym's paper prints for the agents of each family of worlds."""


def published(world: str, algorithm: Algorithm) -> LearningSettings:
    """Return the settings of the published agent of a world; others get the common ones and a million steps."""
    family = world.partition("-")[0]
    return PUBLISHED.get(family, _SAP.replace(steps=1_000_000)).replace(algorithm=algorithm)
