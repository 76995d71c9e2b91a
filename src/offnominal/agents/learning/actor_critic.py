"""Deterministic policy gradients of several members side by side."""

from __future__ import annotations

import copy
import math

import torch
from gymnasium.spaces import Box
from torch import Tensor

from offnominal.agents.learning.member_learner import MemberLearner
from offnominal.agents.learning.ring import Lived
from offnominal.agents.uncertain.member_network import MemberNetwork
from offnominal.agents.uncertain.policy import UncertainPolicy


class DDPG(MemberLearner):
    """Deep deterministic policy gradient (Lillicrap et al., 2016), with an actor that nothing squashes.

    Actions leave the network as they are, so that they can lie far outside when the actor is unsure; the world applies
    its limits.
    """

    def _build(self) -> None:
        assert isinstance(self.space, Box)
        width = math.prod(self.space.shape)
        sizes = [*self.settings.hidden, width]
        self.actor = self.moved(MemberNetwork(self.seen, sizes, members=self.members, draw=self.draw))
        self.critic = self.moved(
            MemberNetwork(
                (math.prod(self.seen) + width,),
                [*self.settings.critic_hidden, 1],
                members=self.members,
                draw=self.draw,
            )
        )
        self.slow_actor, self.slow_critic = (
            copy.deepcopy(each).requires_grad_(False) for each in (self.actor, self.critic)
        )
        self.actor_optimizer, self.critic_optimizer = self.adam(self.actor), self.adam(self.critic)
        self.low, self.high = (torch.as_tensor(each, device=self.device) for each in (self.space.low, self.space.high))

    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Shake the action of one pass."""
        shape = (*observations.shape[:2], *self.low.shape)
        reach = (self.high - self.low) / 2.0
        if share < 0.0:
            return self.low + 2.0 * reach * torch.rand(shape, generator=self.draw, device=self.device)
        noise = torch.randn(shape, generator=self.draw, device=self.device)
        greedy = self.forward(self.actor, observations, gaps=True).view(shape)
        return greedy + self.settings.explore * reach * noise

    def update(self, lived: Lived) -> None:
        """Critics, actors, targets."""
        with torch.no_grad():
            then = self.forward(self.slow_actor, lived.after, gaps=False)
            future = self._worth(self.slow_critic, lived.after, then)
            wanted = (lived.rewards + lived.carry * future).clamp(*lived.bounds)
        wrong = self._worth(self.critic, lived.observations, lived.actions.flatten(2)) - wanted
        self.step(self.critic_optimizer, (lived.counts * wrong.square()).mean(dim=1).sum())
        self.critic.requires_grad_(False)
        chosen = self.forward(self.actor, lived.observations, gaps=True)
        beyond = chosen - chosen.clamp(self.low.flatten(), self.high.flatten())
        loss = self.settings.restraint * beyond.square().sum(dim=2) - self._worth(
            self.critic, lived.observations, chosen
        )
        self.step(self.actor_optimizer, loss.mean(dim=1).sum())
        self.critic.requires_grad_(True)
        self.follow(self.slow_actor, self.actor)
        self.follow(self.slow_critic, self.critic)

    def _worth(self, critic: MemberNetwork, observations: Tensor, actions: Tensor) -> Tensor:
        both = torch.cat([observations.flatten(2), actions], dim=2)
        return self.forward(critic, both, gaps=False).squeeze(2)

    def policy(self) -> UncertainPolicy:
        """Return the policy as it is now, which runs without torch."""
        return UncertainPolicy(
            self.exported(self.actor),
            self.space,
            kind=self.settings.uncertainty,
            probability=self.probability,
            passes=self.passes,
            critic=self.exported(self.critic),
            discount=self.settings.discount,
        )
