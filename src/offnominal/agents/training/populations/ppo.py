"""Populations of PPO."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from gymnasium.spaces import Box
from torch import Tensor, nn

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.networks import HALF_LOG_2PI, Standardization
from offnominal.agents.training.populations.population import Population
from offnominal.agents.training.populations.stacked_networks import Layers, StackedNetworks, adam
from offnominal.agents.training.ppo_settings import PPOSettings

EPSILON = 1e-5
"""Epsilon of Adam, as in Stable-Baselines3."""
HIDDEN_GAIN, ACTION_GAIN, VALUE_GAIN = 2.0**0.5, 0.01, 1.0
"""Gains of the orthogonal initial weights, as in Stable-Baselines3."""

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Inputs, actions, their log-probabilities when they were drawn, advantages, returns; the first axis is the agent."""


class PPOPopulation(Population):
    """PPO learners: Gaussian actors whose deviations do not depend on the observation, and value networks.

    Actions are unbounded; the simulations execute them clipped to [-1, 1].

    Args:
        inputs: Width of the observation.
        outputs: Width of the action.
        settings: Settings of every training.
        seeds: Seed of the weights and the random numbers of each agent.
        device: Device of the tensors.
    """

    def __init__(
        self, inputs: int, outputs: int, settings: PPOSettings, seeds: Sequence[int], device: torch.device
    ) -> None:
        super().__init__(seeds, device, settings.learning_rate)
        self.settings, self.n_actions = settings, outputs
        agents = len(seeds)
        self.mean = torch.zeros(agents, 1, inputs, device=device)
        self.std = torch.ones(agents, 1, inputs, device=device)
        actors, critics = [], []
        for seed in seeds:
            generator = torch.Generator().manual_seed(seed)
            actors.append(_initial([inputs, *settings.hidden, outputs], ACTION_GAIN, generator))
            critics.append(_initial([inputs, *settings.critic_hidden, 1], VALUE_GAIN, generator))
        self.actor = StackedNetworks(actors, activation=torch.tanh).to(device)
        self.critic = StackedNetworks(critics, activation=torch.tanh).to(device)
        self.log_std = nn.Parameter(torch.zeros(agents, 1, outputs, device=device))
        self.parameters = [*self.actor.parameters(), *self.critic.parameters(), self.log_std]
        self.optimizer = adam(self.parameters, self.learning_rate, epsilon=EPSILON)

    def standardize(self, observations: Tensor) -> None:
        """Take mean and standard deviation of the observations from (agents, rows, channels)."""
        for agent, seen in enumerate(observations):
            module = Standardization(observations.shape[-1]).to(self.device)
            module.fit(seen)
            self.mean[agent, 0], self.std[agent, 0] = module.mean, module.std

    def inputs(self, observations: Tensor) -> Tensor:
        """Return the inputs of the networks, (agents, rows, channels): standardised observations."""
        return (observations - self.mean) / self.std

    def act(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return random actions, (agents, rows, action), their log-probabilities and the values of the states."""
        noise = self.draws.normal(inputs.shape[1], self.n_actions)
        mean = self.actor(inputs)
        actions = mean + self.log_std.exp() * noise
        return actions, self.log_probability(mean, actions), self.values(inputs)

    def values(self, inputs: Tensor) -> Tensor:
        """Return the values of states, (agents, rows)."""
        found: Tensor = self.critic(inputs)
        return found.squeeze(-1)

    def log_probability(self, mean: Tensor, actions: Tensor) -> Tensor:
        """Return the log-probabilities of actions, (agents, rows)."""
        scaled = (actions - mean) * (-self.log_std).exp()
        return (-0.5 * scaled.square() - self.log_std - HALF_LOG_2PI).sum(dim=-1)

    def update(self, batch: Batch) -> None:
        """Take one gradient step of every agent."""
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(*batch).backward()  # type: ignore[no-untyped-call]
        self._clip_gradients()
        self.optimizer.step()

    def loss(self, *values: Tensor) -> Tensor:
        """Return the sum of the agents' losses."""
        inputs, actions, old_log_prob, advantages, returns = values
        settings = self.settings
        advantages = advantages - advantages.mean(dim=1, keepdim=True)
        advantages = advantages / (advantages.std(dim=1, keepdim=True) + 1e-8)
        ratio = (self.log_probability(self.actor(inputs), actions) - old_log_prob).exp()
        clipped = ratio.clamp(1.0 - settings.clip_range, 1.0 + settings.clip_range)
        gain = torch.minimum(advantages * ratio, advantages * clipped).mean(dim=1)
        error = (returns - self.values(inputs)).square().mean(dim=1)
        entropy = (self.log_std + HALF_LOG_2PI + 0.5).sum(dim=(1, 2))
        return (settings.value_weight * error - gain - settings.entropy_weight * entropy).sum()

    def compile(self) -> None:
        """Compile the loss into few kernels."""
        self.loss = torch.compile(self.loss)  # type: ignore[method-assign]

    def policies(self, space: Box) -> list[NetworkPolicy]:
        """Return the greedy policy of each agent, which runs without torch: the mean action, clipped to the bounds."""
        middle, reach = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
        found = []
        for agent in range(len(self.mean)):
            layers = [[part.detach().cpu().numpy() for part in layer] for layer in self.actor.of_member(agent)]
            std, mean = self.std[agent, 0].cpu().numpy(), self.mean[agent, 0].cpu().numpy()
            weight, bias = layers[0]
            layers[0] = [weight / std[:, None], bias - (mean / std) @ weight]
            weight, bias = layers[-1]
            layers[-1] = [weight * reach, middle + reach * bias]
            pairs = [(weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in layers]
            found.append(NetworkPolicy(pairs, space, activation="tanh", squash=False))
        return found

    @torch.no_grad()
    def _clip_gradients(self) -> None:
        """Scale the gradients of each agent down to the largest norm."""
        gradients = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        squares = torch.stack([gradient.square().sum(dim=(1, 2)) for gradient in gradients]).sum(dim=0)
        scale = (self.settings.max_gradient_norm / (squares.sqrt() + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_(gradients, [scale[:, None, None]] * len(gradients))


def _initial(sizes: Sequence[int], gain: float, generator: torch.Generator) -> Layers:
    """Return the layers of a new network: orthogonal weights, biases of zero."""
    layers: list[tuple[Tensor, Tensor]] = []
    for fan_in, fan_out in pairwise(sizes):
        weight = torch.empty(fan_out, fan_in)
        last = len(layers) == len(sizes) - 2
        nn.init.orthogonal_(weight, gain if last else HIDDEN_GAIN, generator=generator)
        layers.append((weight.T[None].contiguous(), torch.zeros(1, 1, fan_out)))
    return layers
