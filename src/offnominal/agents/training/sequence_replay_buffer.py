"""Replay buffer of sequences, for n-step returns and stacked frames, on the learner's device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import Array


class NStepBatch(NamedTuple):
    """Batch of n-step transitions; the first axis is the member.

    Args:
        observations: (members, batch, ...).
        actions: (members, batch) if discrete, (members, batch, width) if continuous.
        rewards: (members, batch): discounted sums of n rewards.
        next_observations: (members, batch, ...): observations n steps later.
        bootstrap_weight: (members, batch): weight of the value of `next_observations`; 0 after a terminal state.
        valid: (members, batch): 1 for a complete transition, 0 if a time limit truncated it.
        bounds: Smallest and largest possible value, given all rewards so far.
    """

    observations: Tensor
    actions: Tensor
    rewards: Tensor
    next_observations: Tensor
    bootstrap_weight: Tensor
    valid: Tensor
    bounds: tuple[Tensor, Tensor]


class SequenceReplayBuffer:
    """The latest vector steps of the simulations of all members.

    Of stacked frames only the newest is stored; the stack is rebuilt on sampling.

    Args:
        capacity: Number of vector steps.
        members: Number of members.
        n_envs: Simulations per member.
        observation_shape: Shape of an observation.
        action: Shape of an action; () for discrete actions.
        stacked: Whether an observation is a stack of frames, the newest last.
        device: Device of the tensors.
        generator: Source of randomness of sampling.
    """

    def __init__(
        self,
        capacity: int,
        members: int,
        n_envs: int,
        observation_shape: Sequence[int],
        action: Sequence[int],
        *,
        stacked: bool,
        device: torch.device,
        generator: torch.Generator,
    ) -> None:
        self.capacity, self.members, self.n_envs = capacity, members, n_envs
        self.stack = observation_shape[0] if stacked else 0
        self.generator = generator
        lanes = members * n_envs
        kept = torch.uint8 if stacked else torch.float32
        self.observations = torch.zeros(
            (capacity, lanes, *(observation_shape[1:] if stacked else observation_shape)), dtype=kept, device=device
        )
        self.actions = torch.zeros(
            (capacity, lanes, *action), dtype=torch.float32 if action else torch.int64, device=device
        )
        self.rewards, self.ended, self.truncated = (torch.zeros((capacity, lanes), device=device) for _ in range(3))
        self.age = torch.zeros((capacity, lanes), dtype=torch.int64, device=device)
        self.size = 0
        self.next = 0
        self.least, self.most = (torch.zeros((), device=device) for _ in range(2))
        # Also on the device, so that a captured graph uses the current content at each replay.
        self._oldest, self._whole = (torch.zeros((), dtype=torch.int64, device=device) for _ in range(2))
        self._lane = torch.arange(lanes, device=device).view(members, n_envs)
        self._ages = torch.zeros(lanes, dtype=torch.int64, device=device)

    def add(self, observations: Array, actions: Array, rewards: Array, ended: Array, truncated: Array) -> None:
        """Store one step of every simulation.

        Args:
            observations: (lanes, ...): observations before the action.
            actions: (lanes, ...).
            rewards: (lanes,).
            ended: (lanes,): whether the world ended the episode.
            truncated: (lanes,): whether the time limit ended it.
        """
        device, place = self.observations.device, self.next
        newest = observations[:, -1] if self.stack else observations
        self.observations[place] = torch.as_tensor(np.ascontiguousarray(newest)).to(device, non_blocking=True)
        self.actions[place] = torch.as_tensor(actions).to(device)
        numbers = torch.as_tensor(np.stack([rewards, ended, truncated]).astype(np.float32)).to(device)
        self.rewards[place], self.ended[place], self.truncated[place] = numbers
        torch.minimum(self.least, self.rewards[place].min(), out=self.least)
        torch.maximum(self.most, self.rewards[place].max(), out=self.most)
        self.age[place] = self._ages
        self._ages = (self._ages + 1) * (numbers[1] + numbers[2] == 0)
        self.next = (place + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)
        # The earlier frames of the oldest stacks are overwritten.
        lost = max(self.stack - 1, 0) if self.size == self.capacity else 0
        self._oldest.fill_((self.next if self.size == self.capacity else 0) + lost)
        self._whole.fill_(self.size - lost)

    def sample(self, batch_size: int, steps: int, discount: float) -> NStepBatch:
        """Return random transitions of every member; a captured graph draws new ones at every replay.

        Args:
            batch_size: Number of transitions per member.
            steps: Number of steps of a transition.
            discount: Discount factor per step.
        """
        device = self.observations.device
        shape = (self.members, batch_size)
        ago = (torch.rand(shape, generator=self.generator, device=device) * (self._whole - steps)).long()
        when = (self._oldest + ago) % self.capacity
        row = (torch.rand(shape, generator=self.generator, device=device) * self.n_envs).long()
        lane = self._lane.gather(1, row)
        rewards, going = torch.zeros(shape, device=device), torch.ones(shape, device=device)
        valid, weight = torch.ones(shape, device=device), 1.0
        for k in range(steps):
            vector_step = (when + k) % self.capacity
            rewards = rewards + weight * going * self.rewards[vector_step, lane]
            valid = valid * (1.0 - going * self.truncated[vector_step, lane])
            going = going * (1.0 - self.ended[vector_step, lane])
            weight *= discount
        later = (when + steps) % self.capacity
        return NStepBatch(
            self._observed(when, lane),
            self.actions[when, lane],
            rewards,
            self._observed(later, lane),
            weight * going,
            valid,
            (self.least / (1.0 - discount), self.most / (1.0 - discount)),
        )

    def _observed(self, when: Tensor, lane: Tensor) -> Tensor:
        if not self.stack:
            return self.observations[when, lane]
        age = self.age[when, lane]
        back = [torch.clamp(age, max=k) for k in range(self.stack - 1, -1, -1)]
        # Channels-last memory format, which is fastest for convolutions on a GPU.
        return torch.stack([self.observations[(when - lag) % self.capacity, lane] for lag in back], dim=-1).movedim(
            -1, 2
        )
