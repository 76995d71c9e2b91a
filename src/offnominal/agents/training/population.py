"""Many TQC learners in one: the same gradient steps for each of them, in batched matrix products.

A learner of a small network leaves a GPU idle. Five of them stacked take little longer than one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.training.counter_draws import CounterDraws
from offnominal.agents.training.learners import TQC
from offnominal.agents.training.networks import (
    LOG_STD_RANGE,
    batched_layers,
    quantile_loss,
    squashed_gaussian,
    with_differences,
)

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Observations, actions in [-1, 1], rewards, next observations, terminated; the first axis is the agent."""


class Population:
    """TQC learners of the same settings, each with weights, temperature, batches and random numbers of its own.

    Args:
        learners: Learners, one per agent; their weights are copied.
        seeds: Seed of the random numbers of each agent. Those of an agent do not depend on the other agents.

    Attributes:
        learners: The learners; :meth:`write_back` updates them.
    """

    def __init__(self, learners: Sequence[TQC], seeds: Sequence[int]) -> None:
        first = learners[0]
        self.learners = learners
        self.settings, self.device, self.target_entropy = first.settings, first.device, first.target_entropy
        self.learning_rate = first.learning_rate.clone()
        self.actor = StackedNetworks([_actor_layers(learner) for learner in learners]).to(self.device)
        self.critics = StackedNetworks(
            [_critic_layers(learner) for learner in learners], norm=first.settings.critic_layer_norm
        ).to(self.device)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.averaged_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.log_alpha = nn.Parameter(torch.cat([learner.temperature.log_alpha.detach() for learner in learners]))
        self.standardize()
        self.actor_optimizer = self._optimizer([*self.actor.parameters()])
        self.critic_optimizer = self._optimizer([*self.critics.parameters()])
        self.alpha_optimizer = self._optimizer([self.log_alpha])
        self.draws = CounterDraws(seeds, self.device)

    def standardize(self) -> None:
        """Take over the standardisation of the learners."""
        self.mean = torch.stack([learner.standardize.mean for learner in self.learners])[:, None]
        self.std = torch.stack([learner.standardize.std for learner in self.learners])[:, None]

    def explore(self, observations: Tensor) -> Tensor:
        """Return random actions in [-1, 1]; observations are (agents, rows, channels)."""
        noise = self.draws.normal(observations.shape[1], self.n_actions)
        return self._sample(self.inputs(observations), noise)[0]

    def inputs(self, observations: Tensor) -> Tensor:
        """Return the inputs of the networks: standardised observations, and the differences of the settings."""
        module = self.learners[0].standardize
        return with_differences((observations - self.mean) / self.std, observations, module.pairs, module.scale)

    @property
    def n_actions(self) -> int:
        """Width of an action. The actor's outputs are as many means, then as many logarithms of deviations."""
        return int(self.actor.weights[-1].shape[-1]) // 2

    def update(self, batch: Batch, next_noise: Tensor, noise: Tensor) -> None:
        """Take one gradient step of every agent.

        Args:
            batch: Batch of each agent.
            next_noise: Standard normal numbers of the next actions, (agents, batch, action).
            noise: The same of the actions that the actor is judged by.
        """
        observations, actions, rewards, after, ended = batch
        observations, after = self.inputs(observations), self.inputs(after)
        rewards = rewards * self.settings.reward_scale
        alpha = self.log_alpha.detach().exp()[:, None]
        loss = self.critic_loss(observations, actions, rewards, after, ended, alpha, next_noise)
        self._step(self.critic_optimizer, loss)
        self.critics.requires_grad_(False)
        loss, log_prob = self.actor_loss(observations, alpha, noise)
        self._step(self.actor_optimizer, loss)
        self.critics.requires_grad_(True)
        surplus = log_prob.detach().mean(dim=1) + self.target_entropy
        self._step(self.alpha_optimizer, -(self.log_alpha * surplus).sum())
        self._average(self.targets, self.critics, self.settings.polyak)
        self._average(self.averaged_actor, self.actor, self.settings.actor_polyak)

    def critic_loss(
        self,
        observations: Tensor,
        actions: Tensor,
        rewards: Tensor,
        after: Tensor,
        ended: Tensor,
        alpha: Tensor,
        noise: Tensor,
    ) -> Tensor:
        """Return the sum of the agents' losses of their critics."""
        with torch.no_grad():
            next_actions, next_log_prob = self._sample(after, noise)
            values = self._values(self.targets, after, next_actions)
            pooled = values.transpose(1, 2).flatten(2).sort(dim=2).values
            kept = pooled[..., : pooled.shape[2] - self.settings.n_dropped_quantiles * values.shape[1]]
            future = kept - (alpha * next_log_prob)[..., None]
            target = rewards[..., None] + self.settings.discount * (1.0 - ended[..., None]) * future
        return quantile_loss(self._values(self.critics, observations, actions), target)

    def actor_loss(self, observations: Tensor, alpha: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return the sum of the losses of the actors, and the log-probabilities of their actions."""
        actions, log_prob = self._sample(observations, noise)
        value = self._values(self.critics, observations, actions).mean(dim=(1, 3))
        return (alpha * log_prob - value).mean(dim=1).sum(), log_prob

    def compile(self) -> None:
        """Compile the losses into few kernels."""
        self.critic_loss = torch.compile(self.critic_loss)  # type: ignore[method-assign]
        self.actor_loss = torch.compile(self.actor_loss)  # type: ignore[method-assign]

    @torch.no_grad()
    def write_back(self) -> None:
        """Copy the weights to the learners."""
        for agent, learner in enumerate(self.learners):
            for stacked, own in ((self.actor, learner.actor), (self.averaged_actor, learner.averaged_actor)):
                for layer, (weight, bias) in zip(own.linear(), stacked.of_member(agent), strict=True):
                    layer.weight.copy_(weight[:, : layer.out_features].T)
                    layer.bias.copy_(bias[: layer.out_features])
                assert own.log_std is not None
                own.log_std.weight.copy_(weight[:, self.n_actions :].T)
                own.log_std.bias.copy_(bias[self.n_actions :])
            for stacked, critics in ((self.critics, learner.critics), (self.targets, learner.targets)):
                members = critics.weights[0].shape[0]
                part = slice(agent * members, (agent + 1) * members)
                for ours, theirs in zip(stacked.weights, critics.weights, strict=True):
                    theirs.copy_(ours[part])
                for ours, theirs in zip(stacked.biases, critics.biases, strict=True):
                    theirs.copy_(ours[part])
            learner.temperature.log_alpha.copy_(self.log_alpha[agent : agent + 1])

    def _sample(self, observations: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return actions and their log-probabilities for standardised observations."""
        mean, log_std = self.actor(observations).split(self.n_actions, dim=-1)
        return squashed_gaussian(mean, log_std.clamp(*LOG_STD_RANGE), noise)

    def _values(self, critics: StackedNetworks, observations: Tensor, actions: Tensor) -> Tensor:
        """Return (agents, critics of each, batch, quantiles)."""
        agents, batch = observations.shape[:2]
        seen = torch.cat([observations, actions], dim=-1)[:, None]
        members = critics.weights[0].shape[0] // agents
        values: Tensor = critics(seen.expand(-1, members, -1, -1).reshape(agents * members, batch, -1))
        return values.view(agents, members, batch, -1)

    def _optimizer(self, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
        cuda = self.device.type == "cuda"
        return torch.optim.Adam(parameters, lr=self.learning_rate, capturable=cuda, fused=cuda or None)

    def _step(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def _average(self, targets: nn.Module, source: nn.Module, share: float) -> None:
        torch._foreach_lerp_(list(targets.parameters()), list(source.parameters()), share)


class StackedNetworks(nn.Module):
    """Networks of one shape, evaluated in one batched matrix product per layer.

    Args:
        networks: (weight, bias) of each layer of each network or group of networks: weights are (members, inputs,
            outputs), biases (members, 1, outputs).
        norm: Whether hidden layers have layer normalisation.
    """

    def __init__(self, networks: Sequence[Sequence[tuple[Tensor, Tensor]]], *, norm: bool = False) -> None:
        super().__init__()
        self.norm = norm
        layers = list(zip(*networks, strict=True))
        self.weights = nn.ParameterList([torch.cat([weight for weight, _ in layer]) for layer in layers])
        self.biases = nn.ParameterList([torch.cat([bias for _, bias in layer]) for layer in layers])

    def forward(self, values: Tensor) -> Tensor:
        """Return (members, batch, outputs) of (members, batch, inputs)."""
        return batched_layers(values, self.weights, self.biases, norm=self.norm)

    def of_member(self, member: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Return the (weight, bias) pairs of a network."""
        for weight, bias in zip(self.weights, self.biases, strict=True):
            yield weight[member], bias[member, 0]


def _actor_layers(learner: TQC) -> list[tuple[Tensor, Tensor]]:
    """Return the layers of a learner's actor; those of mean and deviation are one."""
    *hidden, mean = learner.actor.linear()
    log_std = learner.actor.log_std
    assert log_std is not None
    layers: list[tuple[Tensor, Tensor]] = [(layer.weight, layer.bias) for layer in hidden]
    layers.append((torch.cat([mean.weight, log_std.weight]), torch.cat([mean.bias, log_std.bias])))
    return [(weight.detach().T[None].contiguous(), bias.detach()[None, None]) for weight, bias in layers]


def _critic_layers(learner: TQC) -> list[tuple[Tensor, Tensor]]:
    """Return the layers of a learner's critics."""
    return [
        (weight.detach(), bias.detach())
        for weight, bias in zip(learner.critics.weights, learner.critics.biases, strict=True)
    ]
