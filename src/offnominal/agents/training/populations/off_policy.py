"""Many off-policy learners in one: the same gradient steps for each of them, in batched matrix products."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

import torch
from gymnasium.spaces import Box
from torch import Tensor, nn

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.learners import Learner
from offnominal.agents.training.loop import greedy
from offnominal.agents.training.networks import Actor, with_differences
from offnominal.agents.training.populations.population import Population
from offnominal.agents.training.populations.stacked_networks import StackedNetworks, adam

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Observations, actions in [-1, 1], rewards, next observations, terminated; the first axis is the agent."""
AnyLearner = TypeVar("AnyLearner", bound=Learner)


class OffPolicyPopulation(Population, Generic[AnyLearner]):
    """Learners with a replay buffer, of the same settings.

    Args:
        learners: Learners, one per agent; their weights are copied.
        seeds: Seed of the random numbers of each agent.

    Attributes:
        learners: The learners; :meth:`write_back` updates them.
        noises: Random actions that an update draws for each transition of a batch.
        delay: Gradient steps of the critics per gradient step of the actor.
    """

    noises: ClassVar[int] = 2
    delay: ClassVar[int] = 1

    def __init__(self, learners: Sequence[AnyLearner], seeds: Sequence[int]) -> None:
        first = learners[0]
        super().__init__(seeds, first.device, first.settings.learning_rate)
        self.learners, self.settings = learners, first.settings
        self.n_actions = first.actor.mean.out_features
        self.mean = torch.stack([learner.standardize.mean for learner in learners])[:, None]
        self.std = torch.stack([learner.standardize.std for learner in learners])[:, None]
        self.actor = StackedNetworks([_actor_layers(learner) for learner in learners]).to(self.device)
        self.critics = StackedNetworks(
            [_critic_layers(learner) for learner in learners], norm=first.settings.critic_layer_norm
        ).to(self.device)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.averaged_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.actor_optimizer = adam(self.actor.parameters(), self.learning_rate)
        self.critic_optimizer = adam(self.critics.parameters(), self.learning_rate)

    @abstractmethod
    def explore(self, observations: Tensor) -> Tensor:
        """Return actions in [-1, 1] for collecting data; observations are (agents, rows, channels)."""

    @abstractmethod
    def update(self, batch: Batch, noise: Tensor, *, actor: bool = True) -> None:
        """Take one gradient step of every agent.

        Args:
            batch: Batch of each agent.
            noise: Standard normal numbers, (agents, noises, batch, action).
            actor: Whether the actor is updated, which is so in every `delay`-th step.
        """

    @abstractmethod
    def critic_loss(self, *values: Tensor) -> Tensor:
        """Return the sum of the agents' losses of their critics."""

    @abstractmethod
    def actor_loss(self, *values: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        """Return the sum of the losses of the actors."""

    def compile(self) -> None:
        """Compile the losses into few kernels."""
        self.critic_loss = torch.compile(self.critic_loss)  # type: ignore[method-assign]
        self.actor_loss = torch.compile(self.actor_loss)  # type: ignore[method-assign]

    def standardize(self, observations: Tensor) -> None:
        """Take mean and standard deviation of the observations from (agents, rows, channels)."""
        for agent, learner in enumerate(self.learners):
            learner.standardize.fit(observations[agent])
        self.take_standardisation()

    def take_standardisation(self) -> None:
        """Take over the standardisation of the learners."""
        self.mean.copy_(torch.stack([learner.standardize.mean for learner in self.learners])[:, None])
        self.std.copy_(torch.stack([learner.standardize.std for learner in self.learners])[:, None])

    def inputs(self, observations: Tensor) -> Tensor:
        """Return the inputs of the networks: standardised observations, and the differences of the settings."""
        module = self.learners[0].standardize
        return with_differences((observations - self.mean) / self.std, observations, module.pairs, module.scale)

    def prepared(self, batch: Batch) -> Batch:
        """Return a batch with the inputs of the networks and scaled rewards."""
        observations, actions, rewards, after, ended = batch
        return self.inputs(observations), actions, rewards * self.settings.reward_scale, self.inputs(after), ended

    def values(self, critics: StackedNetworks, observations: Tensor, actions: Tensor) -> Tensor:
        """Return (agents, critics of each, batch, quantiles)."""
        agents, batch = observations.shape[:2]
        seen = torch.cat([observations, actions], dim=-1)[:, None]
        members = critics.weights[0].shape[0] // agents
        found: Tensor = critics(seen.expand(-1, members, -1, -1).reshape(agents * members, batch, -1))
        return found.view(agents, members, batch, -1)

    @torch.no_grad()
    def average(self, targets: nn.Module, source: nn.Module, share: float) -> None:
        """Update the targets: a weighted mean with their source."""
        torch._foreach_lerp_(list(targets.parameters()), list(source.parameters()), share)

    def policies(self, space: Box) -> list[NetworkPolicy]:
        """Return the greedy policy of each agent, which runs without torch."""
        self.write_back()
        return [greedy(learner, space) for learner in self.learners]

    @torch.no_grad()
    def write_back(self) -> None:
        """Copy weights and standardisation to the learners."""
        for agent, learner in enumerate(self.learners):
            learner.standardize.mean.copy_(self.mean[agent, 0])
            learner.standardize.std.copy_(self.std[agent, 0])
            for stacked, actor in self.actors_of(learner):
                _write_actor(stacked.of_member(agent), actor, self.n_actions)
            for stacked, critics in ((self.critics, learner.critics), (self.targets, learner.targets)):
                members = critics.weights[0].shape[0]
                part = slice(agent * members, (agent + 1) * members)
                for ours, theirs in zip(stacked.parameters(), critics.parameters(), strict=True):
                    theirs.copy_(ours[part])

    def actors_of(self, learner: AnyLearner) -> list[tuple[StackedNetworks, Actor]]:
        """Return the stacked actors, each with the learner's own."""
        return [(self.actor, learner.actor), (self.averaged_actor, learner.averaged_actor)]


def _actor_layers(learner: Learner) -> list[tuple[Tensor, Tensor]]:
    """Return the layers of a learner's actor; those of mean and deviation are one."""
    *hidden, mean = learner.actor.linear()
    layers: list[tuple[Tensor, Tensor]] = [(layer.weight, layer.bias) for layer in hidden]
    outputs = [mean] if learner.actor.log_std is None else [mean, learner.actor.log_std]
    layers.append((torch.cat([each.weight for each in outputs]), torch.cat([each.bias for each in outputs])))
    return [(weight.detach().T[None].contiguous(), bias.detach()[None, None]) for weight, bias in layers]


def _critic_layers(learner: Learner) -> list[tuple[Tensor, Tensor]]:
    """Return the layers of a learner's critics."""
    critics = learner.critics
    return [(weight.detach(), bias.detach()) for weight, bias in zip(critics.weights, critics.biases, strict=True)]


def _write_actor(layers: Iterator[tuple[Tensor, Tensor]], actor: Actor, n_actions: int) -> None:
    """Copy layers to an actor."""
    for layer, (weight, bias) in zip(actor.linear(), layers, strict=True):
        layer.weight.copy_(weight[:, : layer.out_features].T)
        layer.bias.copy_(bias[: layer.out_features])
    if actor.log_std is not None:
        actor.log_std.weight.copy_(weight[:, n_actions:].T)
        actor.log_std.bias.copy_(bias[n_actions:])
