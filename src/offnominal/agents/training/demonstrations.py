"""Training with demonstrations: replay pre-fill and behaviour cloning."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from gymnasium.spaces import Box

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.learners import TQC, Learner
from offnominal.agents.training.replay_buffer import ReplayBuffer
from offnominal.core.episode import Episode
from offnominal.core.types import Array

CLONING_STEPS = 20_000
CLONING_BATCH_SIZE = 1024
CLONING_LEARNING_RATE = 1e-3
# Exploration after cloning: standard deviation before squashing, and entropy coefficient.
IMITATION_LOG_STD = -2.0
IMITATION_ALPHA = 0.05


def add_demonstrations(replay_buffer: ReplayBuffer, demonstrations: Sequence[Episode], space: Box) -> None:
    """Store demonstrations in a replay buffer, as many transitions as fit."""
    room = len(replay_buffer.transitions) - replay_buffer.size
    for demonstration in demonstrations:
        count = min(len(demonstration), room)
        room -= count
        ended = np.zeros(len(demonstration))
        ended[-1] = demonstration.terminated
        observations, actions = demonstration.observations, to_unit(demonstration.actions, space)
        rewards, after = demonstration.rewards[:count], observations[1 : count + 1]
        replay_buffer.add(observations[:count], actions[:count], rewards, after, ended[:count])
        if room == 0:
            return


def clone_behaviour(learner: Learner, replay_buffer: ReplayBuffer, steps: int = CLONING_STEPS) -> None:
    """Train the actor to the actions in the replay buffer, then reduce its exploration."""
    optimizer = torch.optim.Adam(learner.actor.parameters(), lr=CLONING_LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    for _ in range(steps):
        observations, actions, *_ = replay_buffer.sample(CLONING_BATCH_SIZE)
        learner.step(optimizer, (learner.actor(observations) - actions).square().mean())
        schedule.step()
    reduce_exploration(learner)


def copy_weights(learner: Learner, policy: NetworkPolicy) -> bool:
    """Copy the weights of a policy to the actor and reduce its exploration; return False if the shapes differ."""
    pairs = list(zip(learner.actor.linear(), policy.layers, strict=False))
    fits = len(learner.actor.linear()) == len(policy.layers) and policy.activation == "relu" and policy.squash
    if not fits or any(layer.weight.shape != weight.T.shape for layer, (weight, _) in pairs):
        return False
    with torch.no_grad():
        for layer, (weight, bias) in pairs:
            layer.weight.copy_(torch.as_tensor(weight.T))
            layer.bias.copy_(torch.as_tensor(bias))
    reduce_exploration(learner)
    return True


@torch.no_grad()
def reduce_exploration(learner: Learner) -> None:
    """Set a small exploration noise and entropy coefficient, and copy the actor to its targets."""
    if learner.actor.log_std is not None:
        learner.actor.log_std.weight.zero_()
        learner.actor.log_std.bias.fill_(IMITATION_LOG_STD)
    if isinstance(learner, TQC):
        learner.temperature.log_alpha.fill_(math.log(IMITATION_ALPHA))
    learner.reset_targets()


def to_unit(actions: Array, space: Box) -> Array:
    """Return actions scaled to [-1, 1]."""
    middle, reach = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
    unit: Array = np.clip((actions - middle) / reach, -1.0, 1.0)
    return unit
