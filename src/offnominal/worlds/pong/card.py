"""Name and limits of Pong."""

from __future__ import annotations

from offnominal.worlds.world import Channel, WorldCard

SKIP = 4
"""Emulated frames per step."""
FRAMES_PER_SECOND = 60
SHORTEST = 764
"""Steps of the shortest game, in which every ball is missed."""
ACTIONS = ("nothing", "fire", "up", "down", "up and fire", "down and fire")

PONG = WorldCard(
    id="OOD-Pong-v0",
    summary="play Pong from pictures, to 21 points",
    dt=SKIP / FRAMES_PER_SECOND,
    max_steps=27_000,
    expert_length=SHORTEST,
    expert_return=None,
    random_return=None,
    observation=(),
    action=(Channel("paddle", ", ".join(f"{k} {name}" for k, name in enumerate(ACTIONS))),),
)
