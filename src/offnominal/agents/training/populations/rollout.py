"""Rollouts of a population: transitions of its current policies, with their advantages."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.types import Array, BoolArray


class Rollout:
    """Transitions between two updates, one tensor per quantity.

    Args:
        steps: Transitions of each simulation.
        agents: Number of agents.
        rows: Simulations of each agent.
        widths: Widths of observation and action.
        device: Device of the tensors.
    """

    def __init__(self, steps: int, agents: int, rows: int, widths: tuple[int, int], device: torch.device) -> None:
        inputs, actions = widths

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(steps, agents, rows, *shape, device=device)

        self.inputs, self.actions = zeros(inputs), zeros(actions)
        self.log_prob, self.values, self.rewards = zeros(), zeros(), zeros()
        self.ended = zeros()
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether the next update is due."""
        return self.count == len(self.rewards)

    def add(self, chosen: tuple[Tensor, Tensor, Tensor, Tensor], rewards: Tensor, ended: BoolArray | Array) -> None:
        """Store the transitions of a vector step.

        Args:
            chosen: Inputs of the networks, actions, log-probabilities, values.
            rewards: (agents, rows): rewards; where a time limit ended the episode, with the value of what would follow.
            ended: (agents, rows): whether the episode ended.
        """
        places = self.inputs, self.actions, self.log_prob, self.values
        for place, values in zip(places, chosen, strict=True):
            place[self.count] = values
        self.rewards[self.count] = rewards
        self.ended[self.count] = torch.as_tensor(ended).to(self.ended)
        self.count += 1

    def advantages(self, last_values: Tensor, discount: float, decay: float) -> Tensor:
        """Return generalised advantage estimates, (steps, agents, rows).

        Args:
            last_values: (agents, rows): values of the states after the rollout.
            discount: Discount factor.
            decay: Decay of the estimates, lambda.

        Example:
            >>> rollout = Rollout(2, 1, 1, (1, 1), torch.device("cpu"))
            >>> rollout.rewards[:] = 1.0
            >>> rollout.advantages(torch.full((1, 1), 4.0), 0.5, 1.0).flatten()
            tensor([2.5000, 3.0000])
        """
        found = torch.zeros_like(self.values)
        following, ahead = last_values, torch.zeros_like(last_values)
        for step in reversed(range(len(self.rewards))):
            goes_on = 1.0 - self.ended[step]
            error = self.rewards[step] + discount * goes_on * following - self.values[step]
            ahead = error + discount * decay * goes_on * ahead
            found[step], following = ahead, self.values[step]
        return found

    def tensors(self) -> dict[str, Tensor]:
        """Return every tensor by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}
