"""Deep Q-learning of several members side by side."""

from __future__ import annotations

import copy

import torch
from gymnasium.spaces import Discrete
from torch import Tensor

from offnominal.agents.learning.member_learner import MemberLearner
from offnominal.agents.learning.ring import Lived
from offnominal.agents.uncertain.member_network import MemberNetwork
from offnominal.agents.uncertain.pictures import NATURE
from offnominal.agents.uncertain.policy import UncertainPolicy
from offnominal.core.errors import InvalidParameter


class DQN(MemberLearner):
    """Deep Q-learning (Mnih et al., 2015): the choice by one network, its value by a slower one (van Hasselt, 2016)."""

    def _build(self) -> None:
        assert isinstance(self.space, Discrete)
        self.filters = NATURE if len(self.seen) == 3 else ()
        if self.filters and self.settings.uncertainty == "dropout":
            raise InvalidParameter("networks that see pictures have no dropout; choose an ensemble or dropconnect.")
        self.network = self.moved(
            MemberNetwork(
                self.seen,
                [*self.settings.hidden, int(self.space.n)],
                members=self.members,
                draw=self.draw,
                filters=self.filters,
            )
        )
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self.optimizer = self.adam(self.network)

    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Choose greedily by one pass, or at random, less and less often."""
        assert isinstance(self.space, Discrete)
        shape = observations.shape[:2]
        random = torch.randint(int(self.space.n), shape, generator=self.draw, device=self.device)
        if share < 0.0:
            return random
        often = 1.0 - (1.0 - self.settings.explore) * min(share / self.settings.settling, 1.0)
        greedy = self.forward(self.network, observations, gaps=True).argmax(dim=-1)
        return torch.where(torch.rand(shape, generator=self.draw, device=self.device) < often, random, greedy)

    def update(self, lived: Lived) -> None:
        """Take one gradient step of every member."""
        with torch.no_grad():
            best = self.forward(self.network, lived.after, gaps=False).argmax(dim=-1, keepdim=True)
            future = self.forward(self.target, lived.after, gaps=False).gather(2, best).squeeze(2)
            wanted = (lived.rewards + lived.carry * future).clamp(*lived.bounds)
        values = self.forward(self.network, lived.observations, gaps=True)
        chosen = values.gather(2, lived.actions.unsqueeze(2)).squeeze(2)
        wrong = torch.nn.functional.smooth_l1_loss(chosen, wanted, reduction="none")
        self.step(self.optimizer, (lived.counts * wrong).mean(dim=1).sum())
        self.follow(self.target, self.network)

    def policy(self) -> UncertainPolicy:
        """Return the policy as it is now, which runs without torch unless it sees pictures."""
        return UncertainPolicy(
            self.exported(self.network),
            self.space,
            kind=self.settings.uncertainty,
            probability=self.probability,
            passes=self.passes,
            discount=self.settings.discount,
        )
