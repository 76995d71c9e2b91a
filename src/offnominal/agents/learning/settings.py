"""Presets: what each world is trained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from offnominal.core.config import Config

Algorithm = Literal["tqc", "sac", "td3"]
Teacher = Literal["nobody", "scripted", "expert"]
TEACHERS: tuple[Teacher, ...] = ("nobody", "scripted", "expert")
ALGORITHMS: tuple[Algorithm, ...] = ("tqc", "sac", "td3")
FIRST_SEED = 1_000_000_000
"""Training episodes begin here, far from the seeds that policies are judged on."""


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
