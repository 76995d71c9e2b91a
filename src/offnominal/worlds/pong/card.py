"""Card of Pong."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, EvaluationTerms, TrainingPresets, WorldCard

SKIP = 4
"""Emulated frames per step."""
FRAMES_PER_SECOND = 60
SHORTEST = 764
"""Number of steps of the shortest game, in which the agent misses every ball."""
ACTIONS = ("nothing", "fire", "up", "down", "up and fire", "down and fire")

PONG = WorldCard(
    id="OOD-Pong-v0",
    summary="play Pong from pixels, to 21 points",
    dt=SKIP / FRAMES_PER_SECOND,
    max_steps=27_000,
    expert_length=SHORTEST,
    observation=(),
    action=(Channel("paddle", ", ".join(f"{k} {name}" for k, name in enumerate(ACTIONS))),),
    target="offnominal.worlds.pong.world:Pong",
    tags=("camera",),
    scripted_expert=Spec("BallFollower", "offnominal.worlds.pong.ball_follower:BallFollower"),
    training=TrainingPresets(
        uncertain_policy={
            "steps": 1_500_000,
            "n_envs": 16,
            "gradient_steps": 8,
            "batch_size": 32,
            "hidden": (256,),
            "learning_rate": 3e-4,
            "n_step": 3,
            "polyak": 0.005,
            "exploration": 0.02,
            "exploration_fraction": 0.05,
            "learning_starts": 20_000,
            "demonstrator": "scripted",
            "buffer_size": 150_000,
        }
    ),
    # The time limits are needed because two players that never miss do not end. Without no-ops all games start equal.
    evaluation=EvaluationTerms(
        episodes=30,
        training_episodes=4,
        max_steps=10_000,
        training_max_steps=4_000,
        batch_size=4,
        training_evaluations=8,
        options={"noops": 30},
    ),
    page="pong",
)

CARDS = {PONG.id: PONG}
