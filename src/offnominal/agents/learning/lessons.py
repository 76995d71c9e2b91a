"""Lessons: a learner begins with what a teacher showed it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from gymnasium.spaces import Box

from offnominal.agents.learning.learners import TQC, Learner
from offnominal.agents.learning.replay import Replay
from offnominal.agents.network import NetworkPolicy
from offnominal.core.episode import Episode
from offnominal.core.types import Array

IMITATION_STEPS = 20_000
IMITATION_BATCH = 1024
IMITATION_RATE = 1e-3
# A taught policy explores near what it was taught: standard deviation before squashing, and weight of the entropy.
TAUGHT_LOG_STD = -2.0
TAUGHT_ALPHA = 0.05


def remember(replay: Replay, lessons: Sequence[Episode], space: Box) -> None:
    """Put lessons into a replay as if the learner had lived them; what does not fit is left out."""
    room = len(replay.rows) - replay.size
    for lesson in lessons:
        count = min(len(lesson), room)
        room -= count
        ended = np.zeros(len(lesson))
        ended[-1] = lesson.terminated
        seen, acted = lesson.observations, to_unit(lesson.actions, space)
        replay.add(seen[:count], acted[:count], lesson.rewards[:count], seen[1 : count + 1], ended[:count])
        if room == 0:
            return


def imitate(learner: Learner, replay: Replay, steps: int = IMITATION_STEPS) -> None:
    """Let the actor choose what was chosen in the replay, and start to explore from there."""
    optimizer = torch.optim.Adam(learner.actor.parameters(), lr=IMITATION_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    for _ in range(steps):
        seen, acted, *_ = replay.sample(IMITATION_BATCH)
        learner.step(optimizer, (learner.actor(seen) - acted).square().mean())
        schedule.step()
    settle(learner)


def become(learner: Learner, policy: NetworkPolicy) -> bool:
    """Copy the weights of a policy of the actor's shape and start to explore from there; say whether it fits."""
    pairs = list(zip(learner.actor.linear(), policy.layers, strict=False))
    fits = len(learner.actor.linear()) == len(policy.layers) and policy.activation == "relu" and policy.squash
    if not fits or any(layer.weight.shape != weight.T.shape for layer, (weight, _) in pairs):
        return False
    with torch.no_grad():
        for layer, (weight, bias) in pairs:
            layer.weight.copy_(torch.as_tensor(weight.T))
            layer.bias.copy_(torch.as_tensor(bias))
    settle(learner)
    return True


@torch.no_grad()
def settle(learner: Learner) -> None:
    """Make a learner whose actor was taught explore gently."""
    if learner.actor.log_std is not None:
        learner.actor.log_std.weight.zero_()
        learner.actor.log_std.bias.fill_(TAUGHT_LOG_STD)
    if isinstance(learner, TQC):
        learner.temperature.log_alpha.fill_(math.log(TAUGHT_ALPHA))
    learner.follow_at_once()


def to_unit(actions: Array, space: Box) -> Array:
    """Return actions as the learner knows them, in [-1, 1]."""
    middle, reach = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
    unit: Array = np.clip((actions - middle) / reach, -1.0, 1.0)
    return unit
