"""A replay that keeps time: what each simulation of each member lived through, in order, on the learner's device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import Array


class Lived(NamedTuple):
    """Transitions, members first.

    Args:
        observations: (members, batch, ...).
        actions: (members, batch) choices, or (members, batch, width).
        rewards: (members, batch): summed over the steps, discounted.
        after: (members, batch, ...): what was seen some steps later.
        carry: (members, batch): what the value of `after` counts; 0 where the world ended.
        counts: (members, batch): whether it is a whole transition; 0 where a time limit cut it off.
        bounds: What a value can be at least and at most, given all rewards so far.
    """

    observations: Tensor
    actions: Tensor
    rewards: Tensor
    after: Tensor
    carry: Tensor
    counts: Tensor
    bounds: tuple[Tensor, Tensor]


class Ring:
    """The last moments of members times rows simulations.

    Of pictures that are stacked only the newest is kept, and the stack is put together again when it is asked for.

    Args:
        moments: How many are kept.
        members: How many agents learn.
        rows: Simulations per agent.
        seen: Shape of an observation.
        action: Shape of an action; () for choices.
        stacked: Whether an observation is a stack of pictures, the newest last.
        device: Where they are kept.
        draw: What sampling draws from.
    """

    def __init__(
        self,
        moments: int,
        members: int,
        rows: int,
        seen: Sequence[int],
        action: Sequence[int],
        *,
        stacked: bool,
        device: torch.device,
        draw: torch.Generator,
    ) -> None:
        self.moments, self.members, self.rows = moments, members, rows
        self.stack = seen[0] if stacked else 0
        self.draw = draw
        lanes = members * rows
        kept = torch.uint8 if stacked else torch.float32
        self.seen = torch.zeros((moments, lanes, *(seen[1:] if stacked else seen)), dtype=kept, device=device)
        self.actions = torch.zeros(
            (moments, lanes, *action), dtype=torch.float32 if action else torch.int64, device=device
        )
        self.rewards, self.ended, self.cut = (torch.zeros((moments, lanes), device=device) for _ in range(3))
        self.age = torch.zeros((moments, lanes), dtype=torch.int64, device=device)
        self.size = 0
        self.next = 0
        self.least, self.most = (torch.zeros((), device=device) for _ in range(2))
        # On the device too, so that a captured graph samples from what there is at each replay.
        self._oldest, self._whole = (torch.zeros((), dtype=torch.int64, device=device) for _ in range(2))
        self._lane = torch.arange(lanes, device=device).view(members, rows)
        self._ages = torch.zeros(lanes, dtype=torch.int64, device=device)

    def add(self, observations: Array, actions: Array, rewards: Array, ended: Array, cut: Array) -> None:
        """Keep one moment of every simulation: what was seen, what was done and what came of it.

        Args:
            observations: (lanes, ...): before the action.
            actions: (lanes, ...).
            rewards: (lanes,).
            ended: (lanes,): the world ended the episode.
            cut: (lanes,): the time limit did.
        """
        device, place = self.seen.device, self.next
        newest = observations[:, -1] if self.stack else observations
        self.seen[place] = torch.as_tensor(np.ascontiguousarray(newest)).to(device, non_blocking=True)
        self.actions[place] = torch.as_tensor(actions).to(device)
        numbers = torch.as_tensor(np.stack([rewards, ended, cut]).astype(np.float32)).to(device)
        self.rewards[place], self.ended[place], self.cut[place] = numbers
        torch.minimum(self.least, self.rewards[place].min(), out=self.least)
        torch.maximum(self.most, self.rewards[place].max(), out=self.most)
        self.age[place] = self._ages
        self._ages = (self._ages + 1) * (numbers[1] + numbers[2] == 0)
        self.next = (place + 1) % self.moments
        self.size = min(self.size + 1, self.moments)
        # The oldest moments have lost the pictures they were stacked on.
        lost = max(self.stack - 1, 0) if self.size == self.moments else 0
        self._oldest.fill_((self.next if self.size == self.moments else 0) + lost)
        self._whole.fill_(self.size - lost)

    def sample(self, batch: int, steps: int, discount: float) -> Lived:
        """Return random transitions of every member; a captured graph draws anew at every replay.

        Args:
            batch: How many of each.
            steps: How many steps `after` is later.
            discount: Per step.
        """
        device = self.seen.device
        shape = (self.members, batch)
        ago = (torch.rand(shape, generator=self.draw, device=device) * (self._whole - steps)).long()
        when = (self._oldest + ago) % self.moments
        row = (torch.rand(shape, generator=self.draw, device=device) * self.rows).long()
        lane = self._lane.gather(1, row)
        rewards, going = torch.zeros(shape, device=device), torch.ones(shape, device=device)
        counts, weight = torch.ones(shape, device=device), 1.0
        for k in range(steps):
            moment = (when + k) % self.moments
            rewards = rewards + weight * going * self.rewards[moment, lane]
            counts = counts * (1.0 - going * self.cut[moment, lane])
            going = going * (1.0 - self.ended[moment, lane])
            weight *= discount
        later = (when + steps) % self.moments
        return Lived(
            self._observed(when, lane),
            self.actions[when, lane],
            rewards,
            self._observed(later, lane),
            weight * going,
            counts,
            (self.least / (1.0 - discount), self.most / (1.0 - discount)),
        )

    def _observed(self, when: Tensor, lane: Tensor) -> Tensor:
        if not self.stack:
            return self.seen[when, lane]
        age = self.age[when, lane]
        back = [torch.clamp(age, max=k) for k in range(self.stack - 1, -1, -1)]
        # Channels last in memory, which is how GPUs filter.
        return torch.stack([self.seen[(when - each) % self.moments, lane] for each in back], dim=-1).movedim(-1, 2)
