"""Populations of TD3."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor

from offnominal.agents.training.learners import TD3
from offnominal.agents.training.networks import Actor
from offnominal.agents.training.populations.off_policy import Batch, OffPolicyPopulation
from offnominal.agents.training.populations.population import step
from offnominal.agents.training.populations.stacked_networks import StackedNetworks


class TD3Population(OffPolicyPopulation[TD3]):
    """TD3 learners: deterministic actors, which learn in every second step.

    Args:
        learners: Learners, one per agent; their weights are copied.
        seeds: Seed of the random numbers of each agent.
    """

    noises: ClassVar[int] = 1
    delay: ClassVar[int] = TD3.DELAY

    def __init__(self, learners: Sequence[TD3], seeds: Sequence[int]) -> None:
        super().__init__(learners, seeds)
        self.actor_target = copy.deepcopy(self.actor).requires_grad_(False)

    def explore(self, observations: Tensor) -> Tensor:
        """Add noise to the greedy actions."""
        noise = self.draws.normal(observations.shape[1], self.n_actions)
        return (torch.tanh(self.actor(self.inputs(observations))) + TD3.NOISE * noise).clamp(-1.0, 1.0)

    def update(self, batch: Batch, noise: Tensor, *, actor: bool = True) -> None:
        """Update the critics, and with `actor` also the actor and the targets."""
        observations, actions, rewards, after, ended = self.prepared(batch)
        step(self.critic_optimizer, self.critic_loss(observations, actions, rewards, after, ended, noise[:, 0]))
        if not actor:
            return
        self.critics.requires_grad_(False)
        step(self.actor_optimizer, self.actor_loss(observations))
        self.critics.requires_grad_(True)
        self.average(self.targets, self.critics, self.settings.polyak)
        self.average(self.actor_target, self.actor, self.settings.polyak)
        self.average(self.averaged_actor, self.actor, self.settings.actor_polyak)

    def critic_loss(self, *values: Tensor) -> Tensor:
        """Return the sum of the agents' losses of their critics."""
        observations, actions, rewards, after, ended, noise = values
        with torch.no_grad():
            shift = (TD3.SMOOTHING * noise).clamp(-TD3.CLIP, TD3.CLIP)
            next_actions = (torch.tanh(self.actor_target(after)) + shift).clamp(-1.0, 1.0)
            future = self.values(self.targets, after, next_actions).amin(dim=1)
            target = rewards[..., None] + self.settings.discount * (1.0 - ended[..., None]) * future
        found = self.values(self.critics, observations, actions)
        return (found - target[:, None]).square().mean(dim=(2, 3)).sum()

    def actor_loss(self, *values: Tensor) -> Tensor:
        """Return the sum of the losses of the actors: minus the value that the first critic gives their actions."""
        (observations,) = values
        actions = torch.tanh(self.actor(observations))
        return -self.values(self.critics, observations, actions)[:, 0].mean(dim=(1, 2)).sum()

    def actors_of(self, learner: TD3) -> list[tuple[StackedNetworks, Actor]]:
        """Return the stacked actors, each with the learner's own."""
        return [*super().actors_of(learner), (self.actor_target, learner.actor_target)]
