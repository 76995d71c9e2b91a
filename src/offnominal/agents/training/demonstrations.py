"""Training with demonstrations: replay pre-fill and behaviour cloning."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from gymnasium.spaces import Box
from torch import Tensor

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.learners import TQC, Learner
from offnominal.agents.training.replay_buffer import ReplayBuffer
from offnominal.core.cuda_graph import capture
from offnominal.core.episode import Episode
from offnominal.core.policy import Policy
from offnominal.core.types import Array

CLONING_STEPS = 20_000
CLONING_BATCH_SIZE = 1024
CLONING_LEARNING_RATE = 1e-3
FINAL_RATE = 0.01
STEPS_PER_RATE = 10
# Exploration after cloning: standard deviation before squashing, and entropy coefficient.
IMITATION_LOG_STD = -2.0
IMITATION_ALPHA = 0.05

Demonstrated = tuple[Tensor, Tensor]
"""Observations of demonstrations, and the demonstrator's actions there in [-1, 1]."""


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


def imitate(learner: Learner, demonstrated: Demonstrated, demonstrator: Policy | None) -> None:
    """Start the actor as the demonstrator: copy its weights, or clone its actions."""
    if not (isinstance(demonstrator, NetworkPolicy) and copy_weights(learner, demonstrator)):
        clone_behaviour(learner, *demonstrated)


def demonstrated_actions(
    demonstrations: Sequence[Episode], demonstrator: Policy | None, space: Box, device: torch.device
) -> Demonstrated:
    """Return the observations of demonstrations and the demonstrator's actions there, in [-1, 1].

    Args:
        demonstrations: Episodes of the demonstrator, with or without action noise.
        demonstrator: The policy, whose actions are without noise; None if only the recorded actions are known.
        space: Action space.
        device: Device of the tensors.
    """
    observations = np.concatenate([demonstration.observations[:-1] for demonstration in demonstrations])
    if demonstrator is None:
        actions = [demonstration.actions for demonstration in demonstrations]
    else:
        actions = noise_free_actions(demonstrations, demonstrator)
    return (
        torch.as_tensor(observations, dtype=torch.float32).to(device),
        torch.as_tensor(to_unit(np.concatenate(actions), space), dtype=torch.float32).to(device),
    )


def noise_free_actions(demonstrations: Sequence[Episode], demonstrator: Policy) -> list[Array]:
    """Return what a demonstrator without action noise does in the situations of its demonstrations."""
    lengths = np.array([len(demonstration) for demonstration in demonstrations])
    observations = np.zeros((len(lengths), lengths.max(), *demonstrations[0].observations.shape[1:]), np.float32)
    for row, demonstration in zip(observations, demonstrations, strict=True):
        row[: len(demonstration)] = demonstration.observations[:-1]
    state = demonstrator.start(np.array([each.seed for each in demonstrations]), np.zeros(len(lengths), np.int64))
    actions = []
    for step in range(lengths.max()):
        chosen, state = demonstrator.act(observations[:, step], state)
        actions.append(chosen)
    return [row[:length] for row, length in zip(np.stack(actions, axis=1), lengths, strict=True)]


def clone_behaviour(learner: Learner, observations: Tensor, actions: Tensor, steps: int = CLONING_STEPS) -> None:
    """Train the actor to actions in [-1, 1], then reduce its exploration."""
    inputs = learner.standardize(observations)
    learning_rate = torch.tensor(CLONING_LEARNING_RATE, device=learner.device)
    optimizer = learner.optimizer(learner.actor, learning_rate)

    def update() -> None:
        rows = torch.randint(len(inputs), (CLONING_BATCH_SIZE,), device=learner.device)
        learner.step(optimizer, (learner.actor(inputs[rows]) - actions[rows]).square().mean())

    take = capture(update, times=STEPS_PER_RATE).replay if learner.device.type == "cuda" else None
    for step in range(0, steps, STEPS_PER_RATE):
        learning_rate.fill_(CLONING_LEARNING_RATE * max(1.0 - step / steps, FINAL_RATE))
        if take is not None:
            take()
            continue
        for _ in range(STEPS_PER_RATE):
            update()
    reduce_exploration(learner)


def copy_weights(learner: Learner, policy: NetworkPolicy) -> bool:
    """Copy the weights of a policy to the actor and reduce its exploration; return False if the shapes differ."""
    pairs = list(zip(learner.actor.linear(), policy.layers, strict=False))
    fits = len(learner.actor.linear()) == len(policy.layers) and policy.activation == "relu" and policy.squash
    fits = fits and policy.normaliser is None
    if not fits or any(layer.weight.shape != weight.T.shape for layer, (weight, _) in pairs):
        return False
    with torch.no_grad():
        for index, (layer, layer_weights) in enumerate(pairs):
            weight, bias = (torch.as_tensor(part).to(learner.device) for part in layer_weights)
            if index == 0:
                weight, bias = learner.standardize.unfold(weight, bias)
            layer.weight.copy_(weight.T)
            layer.bias.copy_(bias)
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
