"""Populations of TQC and SAC."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.training.learners import TQC
from offnominal.agents.training.networks import LOG_STD_RANGE, quantile_loss, squashed_gaussian
from offnominal.agents.training.populations.off_policy import Batch, OffPolicyPopulation
from offnominal.agents.training.populations.population import step
from offnominal.agents.training.populations.stacked_networks import adam


class TQCPopulation(OffPolicyPopulation[TQC]):
    """TQC learners, each with a temperature of its own.

    Args:
        learners: Learners, one per agent; their weights are copied.
        seeds: Seed of the random numbers of each agent.
    """

    def __init__(self, learners: Sequence[TQC], seeds: Sequence[int]) -> None:
        super().__init__(learners, seeds)
        self.target_entropy = learners[0].target_entropy
        self.log_alpha = nn.Parameter(torch.cat([learner.temperature.log_alpha.detach() for learner in learners]))
        self.alpha_optimizer = adam([self.log_alpha], self.learning_rate)

    def explore(self, observations: Tensor) -> Tensor:
        """Sample from the policies."""
        noise = self.draws.normal(observations.shape[1], self.n_actions)
        return self._sample(self.inputs(observations), noise)[0]

    def update(self, batch: Batch, noise: Tensor, *, actor: bool = True) -> None:
        """Update critics, actor, temperature and targets."""
        observations, actions, rewards, after, ended = self.prepared(batch)
        alpha = self.log_alpha.detach().exp()[:, None]
        loss = self.critic_loss(observations, actions, rewards, after, ended, alpha, noise[:, 0])
        step(self.critic_optimizer, loss)
        self.critics.requires_grad_(False)
        loss, log_prob = self.actor_loss(observations, alpha, noise[:, 1])
        step(self.actor_optimizer, loss)
        self.critics.requires_grad_(True)
        surplus = log_prob.detach().mean(dim=1) + self.target_entropy
        step(self.alpha_optimizer, -(self.log_alpha * surplus).sum())
        self.average(self.targets, self.critics, self.settings.polyak)
        self.average(self.averaged_actor, self.actor, self.settings.actor_polyak)

    def critic_loss(self, *values: Tensor) -> Tensor:
        """Return the sum of the agents' losses of their critics."""
        observations, actions, rewards, after, ended, alpha, noise = values
        with torch.no_grad():
            next_actions, next_log_prob = self._sample(after, noise)
            future = self.future(self.values(self.targets, after, next_actions)) - (alpha * next_log_prob)[..., None]
            target = rewards[..., None] + self.settings.discount * (1.0 - ended[..., None]) * future
        return self.loss(self.values(self.critics, observations, actions), target)

    def actor_loss(self, *values: Tensor) -> tuple[Tensor, Tensor]:
        """Return the sum of the losses of the actors, and the log-probabilities of their actions."""
        observations, alpha, noise = values
        actions, log_prob = self._sample(observations, noise)
        value = self.action_value(self.values(self.critics, observations, actions))
        return (alpha * log_prob - value).mean(dim=1).sum(), log_prob

    def future(self, values: Tensor) -> Tensor:
        """Return the target quantiles of a state: all except the largest."""
        pooled = values.transpose(1, 2).flatten(2).sort(dim=2).values
        return pooled[..., : pooled.shape[2] - self.settings.n_dropped_quantiles * values.shape[1]]

    def loss(self, values: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the critics against targets, summed over agents and critics."""
        return quantile_loss(values, target)

    def action_value(self, values: Tensor) -> Tensor:
        """Return the value of actions, (agents, batch)."""
        return values.mean(dim=(1, 3))

    @torch.no_grad()
    def write_back(self) -> None:
        """Copy weights, standardisation and temperatures to the learners."""
        super().write_back()
        for agent, learner in enumerate(self.learners):
            learner.temperature.log_alpha.copy_(self.log_alpha[agent : agent + 1])

    def _sample(self, inputs: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return actions and their log-probabilities."""
        mean, log_std = self.actor(inputs).split(self.n_actions, dim=-1)
        return squashed_gaussian(mean, log_std.clamp(*LOG_STD_RANGE), noise)


class SACPopulation(TQCPopulation):
    """SAC learners: critics of one value, of which the smaller one counts."""

    def future(self, values: Tensor) -> Tensor:
        """Return the smaller value."""
        return values.amin(dim=1)

    def loss(self, values: Tensor, target: Tensor) -> Tensor:
        """Return half the squared error, summed over agents and critics."""
        return 0.5 * (values - target[:, None]).square().mean(dim=(2, 3)).sum()

    def action_value(self, values: Tensor) -> Tensor:
        """Return the smaller value, (agents, batch)."""
        return values.amin(dim=1).squeeze(2)
