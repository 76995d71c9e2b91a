"""Deterministic policy gradients of several members side by side."""

from __future__ import annotations

import copy
import math

import torch
from gymnasium.spaces import Box
from torch import Tensor

from offnominal.agents.training.sequence_replay_buffer import NStepBatch
from offnominal.agents.training.uncertainty_learner import UncertaintyLearner
from offnominal.agents.uncertainty.batched_network import BatchedNetwork
from offnominal.agents.uncertainty.policy import UncertainPolicy


class DDPG(UncertaintyLearner):
    """Deep deterministic policy gradient (Lillicrap et al., 2016), with an actor without squashing.

    The network's actions are unbounded, so that they can be far outside the bounds if the actor is uncertain; the world
    clips them.
    """

    def _build(self) -> None:
        assert isinstance(self.space, Box)
        width = math.prod(self.space.shape)
        sizes = [*self.settings.hidden, width]
        self.actor = self.moved(
            BatchedNetwork(self.observation_shape, sizes, members=self.members, generator=self.generator)
        )
        self.critic = self.moved(
            BatchedNetwork(
                (math.prod(self.observation_shape) + width,),
                [*self.settings.critic_hidden, 1],
                members=self.members,
                generator=self.generator,
            )
        )
        self.slow_actor, self.slow_critic = (
            copy.deepcopy(each).requires_grad_(False) for each in (self.actor, self.critic)
        )
        self.actor_optimizer, self.critic_optimizer = self.adam(self.actor), self.adam(self.critic)
        self.low, self.high = (torch.as_tensor(each, device=self.device) for each in (self.space.low, self.space.high))

    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Return the actions of one pass with Gaussian noise."""
        shape = (*observations.shape[:2], *self.low.shape)
        reach = (self.high - self.low) / 2.0
        if share < 0.0:
            return self.low + 2.0 * reach * torch.rand(shape, generator=self.generator, device=self.device)
        noise = torch.randn(shape, generator=self.generator, device=self.device)
        greedy = self.forward(self.actor, observations, dropout_masks=True).view(shape)
        return greedy + self.settings.exploration * reach * noise

    def update(self, batch: NStepBatch) -> None:
        """Update critics, actors and targets."""
        with torch.no_grad():
            then = self.forward(self.slow_actor, batch.next_observations, dropout_masks=False)
            future = self._action_value(self.slow_critic, batch.next_observations, then)
            target = (batch.rewards + batch.bootstrap_weight * future).clamp(*batch.bounds)
        errors = self._action_value(self.critic, batch.observations, batch.actions.flatten(2)) - target
        self.step(self.critic_optimizer, (batch.valid * errors.square()).mean(dim=1).sum())
        self.critic.requires_grad_(False)
        chosen = self.forward(self.actor, batch.observations, dropout_masks=True)
        beyond = chosen - chosen.clamp(self.low.flatten(), self.high.flatten())
        loss = self.settings.action_penalty * beyond.square().sum(dim=2) - self._action_value(
            self.critic, batch.observations, chosen
        )
        self.step(self.actor_optimizer, loss.mean(dim=1).sum())
        self.critic.requires_grad_(True)
        self.update_target(self.slow_actor, self.actor)
        self.update_target(self.slow_critic, self.critic)

    def _action_value(self, critic: BatchedNetwork, observations: Tensor, actions: Tensor) -> Tensor:
        both = torch.cat([observations.flatten(2), actions], dim=2)
        return self.forward(critic, both, dropout_masks=False).squeeze(2)

    def policy(self) -> UncertainPolicy:
        """Return the current policy, which runs without torch."""
        return UncertainPolicy(
            self.exported(self.actor),
            self.space,
            kind=self.settings.uncertainty,
            probability=self.probability,
            passes=self.passes,
            critic=self.exported(self.critic),
            discount=self.settings.discount,
        )
