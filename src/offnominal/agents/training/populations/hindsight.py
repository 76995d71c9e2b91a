"""Hindsight experience replay: transitions as if the goal had been a position that the episode reached later."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.agents.training.checkpoint import State
from offnominal.core.types import BoolArray
from offnominal.worlds.world_card import GoalTerms


class Hindsight:
    """Replaces goals in batches of a population's replay buffer (Andrychowicz et al., 2017, strategy "future").

    Args:
        agents: Number of agents.
        rows: Number of transitions that each agent adds at once, one per simulation.
        capacity: Number of transitions of each agent, a multiple of `rows`.
        width: Width of an observation.
        n_actions: Width of an action.
        goal: How the reward depends on the goal.
        share: Share of the transitions whose goal is replaced.
        device: Device of the tensors.
    """

    def __init__(
        self,
        agents: int,
        rows: int,
        capacity: int,
        *,
        width: int,
        n_actions: int,
        goal: GoalTerms,
        share: float,
        device: torch.device,
    ) -> None:
        self.rows, self.capacity, self.blocks, self.terms, self.share = rows, capacity, capacity // rows, goal, share
        self.reward, self.after = width + n_actions, width + n_actions + 1
        self.agents = torch.arange(agents, device=device)[:, None]
        self.each_row = torch.arange(rows, device=device)[None]
        self.added = torch.zeros(self.blocks, dtype=torch.int64, device=device)
        self.episode = torch.zeros(agents, rows, dtype=torch.int64, device=device)
        self.episodes = torch.zeros(agents, capacity, dtype=torch.int64, device=device)
        # A row has at most as many episodes in the buffer as blocks, so their numbers do not collide.
        self.lasts = torch.zeros(agents, self.blocks + 1, rows, dtype=torch.int64, device=device)
        self._count = 0

    def add(self, place: int, ended: BoolArray) -> None:
        """Note which episodes the transitions at a place belong to, and which of these end with them.

        Args:
            place: Position of the first of them.
            ended: (agents, rows): whether the episode ended.
        """
        self.added[place // self.rows] = self._count
        self.episodes[:, place : place + self.rows] = self.episode
        self.lasts[self.agents, self.episode, self.each_row] = self._count
        over = torch.from_numpy(ended).to(self.episode.device)
        self.episode = (self.episode + over) % (self.blocks + 1)
        self._count += 1

    def state(self) -> State:
        """Return the state."""
        tensors = {"added": self.added, "episode": self.episode, "episodes": self.episodes, "lasts": self.lasts}
        return {**tensors, "count": self._count}

    def restore(self, state: State) -> None:
        """Restore a state."""
        self.episode, self._count = state["episode"], state["count"]
        for name in ("added", "episodes", "lasts"):
            getattr(self, name).copy_(state[name])

    def relabel(self, batch: Tensor, index: Tensor, transitions: Tensor, draws: Tensor) -> None:
        """Replace goals and rewards of a batch in place.

        Args:
            batch: (agents, batch, channels) transitions.
            index: Their positions in the buffer.
            transitions: All transitions of the buffer.
            draws: (agents, 2, batch) uniform numbers: which goals are replaced, and by which later step.
        """
        block, row = index // self.rows, index % self.rows
        remaining = self.lasts[self.agents, self.episodes[self.agents, index], row] - self.added[block]
        later = block + (draws[:, 1] * (remaining + 1)).long()
        reached = self.after + self.terms.achieved
        new = transitions[self.agents, later % self.blocks * self.rows + row, reached : reached + 3]
        old = batch[..., self.terms.goal : self.terms.goal + 3]
        achieved = batch[..., reached : reached + 3]
        chosen = draws[:, 0] < self.share
        gain = goal_reward(achieved, new, self.terms) - goal_reward(achieved, old, self.terms)
        batch[..., self.reward] += torch.where(chosen, gain, 0.0)
        goal = torch.where(chosen[..., None], new, old)
        for first in (0, self.after):
            batch[..., first + self.terms.goal : first + self.terms.goal + 3] = goal


def goal_reward(achieved: Tensor, goal: Tensor, terms: GoalTerms) -> Tensor:
    """Return the part of the reward that depends on the goal.

    Example:
        >>> here, goal = torch.zeros(3), torch.tensor([0.0, 3.0, 4.0])
        >>> goal_reward(here, goal, GoalTerms(goal=0, achieved=0, tolerance=0.02, miss=1.0))
        tensor(-6.)
    """
    distance = torch.linalg.vector_norm(achieved - goal, dim=-1)
    return torch.where(distance < terms.tolerance, 0.0, -distance - terms.miss)
