"""Deep Q-learning of several members side by side."""

from __future__ import annotations

import copy

import torch
from gymnasium.spaces import Discrete
from torch import Tensor

from offnominal.agents.training.sequence_replay_buffer import NStepBatch
from offnominal.agents.training.uncertainty_learner import UncertaintyLearner
from offnominal.agents.uncertainty.batched_network import BatchedNetwork
from offnominal.agents.uncertainty.convolution import NATURE_CNN
from offnominal.agents.uncertainty.policy import UncertainPolicy
from offnominal.core.errors import InvalidParameter


class DQN(UncertaintyLearner):
    """Double deep Q-learning (Mnih et al., 2015; van Hasselt et al., 2016)."""

    def _build(self) -> None:
        assert isinstance(self.space, Discrete)
        self.convolutions = NATURE_CNN if len(self.observation_shape) == 3 else ()
        if self.convolutions and self.settings.uncertainty == "dropout":
            raise InvalidParameter("networks with image observations have no dropout; choose ensemble or dropconnect.")
        self.network = self.moved(
            BatchedNetwork(
                self.observation_shape,
                [*self.settings.hidden, int(self.space.n)],
                members=self.members,
                generator=self.generator,
                convolutions=self.convolutions,
            )
        )
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self.optimizer = self.adam(self.network)

    def explore(self, observations: Tensor, share: float) -> Tensor:
        """Return epsilon-greedy actions of one pass; epsilon decreases."""
        assert isinstance(self.space, Discrete)
        shape = observations.shape[:2]
        random = torch.randint(int(self.space.n), shape, generator=self.generator, device=self.device)
        if share < 0.0:
            return random
        epsilon = 1.0 - (1.0 - self.settings.exploration) * min(share / self.settings.exploration_fraction, 1.0)
        greedy = self.forward(self.network, observations, dropout_masks=True).argmax(dim=-1)
        return torch.where(torch.rand(shape, generator=self.generator, device=self.device) < epsilon, random, greedy)

    def update(self, batch: NStepBatch) -> None:
        """Take one gradient step of every member."""
        with torch.no_grad():
            best = self.forward(self.network, batch.next_observations, dropout_masks=False).argmax(dim=-1, keepdim=True)
            future = self.forward(self.target, batch.next_observations, dropout_masks=False).gather(2, best).squeeze(2)
            target = (batch.rewards + batch.bootstrap_weight * future).clamp(*batch.bounds)
        values = self.forward(self.network, batch.observations, dropout_masks=True)
        chosen = values.gather(2, batch.actions.unsqueeze(2)).squeeze(2)
        errors = torch.nn.functional.smooth_l1_loss(chosen, target, reduction="none")
        self.step(self.optimizer, (batch.valid * errors).mean(dim=1).sum())
        self.update_target(self.target, self.network)

    def policy(self) -> UncertainPolicy:
        """Return the current policy, which needs torch only with image observations."""
        return UncertainPolicy(
            self.exported(self.network),
            self.space,
            kind=self.settings.uncertainty,
            probability=self.probability,
            passes=self.passes,
            discount=self.settings.discount,
        )
