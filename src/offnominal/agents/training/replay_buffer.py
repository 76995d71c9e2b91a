"""Replay buffer on the learner's device."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import Array


class ReplayBuffer:
    """Ring buffer of transitions, one tensor row each.

    Args:
        capacity: Number of transitions.
        observation: Width of the observation.
        action: Width of the action.
        device: Device of the tensors.
    """

    def __init__(self, capacity: int, observation: int, action: int, device: torch.device) -> None:
        self.widths = [observation, action, 1, observation, 1]
        self.transitions = torch.zeros(capacity, sum(self.widths), device=device)
        self.filled = torch.zeros((), device=device)
        self.size = 0
        self._next = 0

    def add(self, observations: Array, actions: Array, rewards: Array, after: Array, ended: Array) -> None:
        """Store a batch of transitions; the oldest ones are overwritten."""
        block = np.concatenate(
            [observations, actions, rewards[:, None], after, ended[:, None]], axis=1, dtype=np.float32, casting="unsafe"
        )
        places = (self._next + np.arange(len(block))) % len(self.transitions)
        self.transitions[torch.as_tensor(places, device=self.transitions.device)] = torch.as_tensor(block).to(
            self.transitions.device
        )
        self._next = (self._next + len(block)) % len(self.transitions)
        self.size = min(self.size + len(block), len(self.transitions))
        self.filled.fill_(float(self.size))

    def sample(self, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return random transitions; a captured graph draws new ones at every replay."""
        index = (torch.rand(count, device=self.transitions.device) * self.filled).long()
        observations, actions, rewards, after, ended = self.transitions[index].split(self.widths, dim=1)  # type: ignore[no-untyped-call]
        return observations, actions, rewards.squeeze(1), after, ended.squeeze(1)

    def observations(self) -> Tensor:
        """Return the observations of all stored transitions."""
        return self.transitions[: self.size, : self.widths[0]]
