"""Replay buffers of a population."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.populations.hindsight import Hindsight
from offnominal.agents.training.populations.off_policy import Batch
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray
from offnominal.worlds.world_card import GoalTerms


class PopulationReplayBuffer:
    """Ring buffers of transitions, one per agent, that are filled at the same pace.

    Args:
        agents: Number of agents.
        rows: Number of transitions that each agent adds at once.
        capacity: Number of transitions of each agent, rounded up to whole additions.
        widths: Widths of observation and action.
        device: Device of the tensors.
        goal: How the reward depends on a goal; only for hindsight.
        hindsight: Share of the transitions of a batch whose goal is replaced by one that was reached later.
    """

    def __init__(
        self,
        agents: int,
        rows: int,
        capacity: int,
        widths: tuple[int, int],
        device: torch.device,
        *,
        goal: GoalTerms | None = None,
        hindsight: float = 0.0,
    ) -> None:
        observation, action = widths
        self.widths = [observation, action, 1, observation, 1]
        self.rows = rows
        self.transitions = torch.zeros(agents, -(-capacity // rows) * rows, sum(self.widths), device=device)
        self.agents = torch.arange(agents, device=device)[:, None]
        self.filled = torch.zeros((), device=device)
        self.size = 0
        self._next = 0
        self.hindsight = None
        if hindsight:
            if goal is None:
                raise InvalidParameter("hindsight needs a world whose card has a goal; use 0 in other worlds.")
            self.hindsight = Hindsight(
                agents,
                rows,
                self.transitions.shape[1],
                width=observation,
                n_actions=action,
                goal=goal,
                share=hindsight,
                device=device,
            )

    def add(self, block: Array, ended: BoolArray) -> None:
        """Store (agents, rows, channels) transitions; the oldest ones are overwritten.

        Args:
            block: Transitions.
            ended: (agents, rows): whether an episode ended with the transition, also by its time limit.
        """
        if self.hindsight is not None:
            self.hindsight.add(self._next, ended)
        ours = torch.from_numpy(block).to(self.transitions.device)
        self.transitions[:, self._next : self._next + self.rows] = ours
        capacity = self.transitions.shape[1]
        self._next = (self._next + self.rows) % capacity
        self.size = min(self.size + self.rows, capacity)
        self.filled.fill_(float(self.size))

    def state(self) -> State:
        """Return the state: transitions, and where the next ones go."""
        state: State = {"transitions": self.transitions[:, : self.size], "size": self.size, "next": self._next}
        return state | ({} if self.hindsight is None else {"hindsight": self.hindsight.state()})

    def restore(self, state: State) -> None:
        """Restore a state."""
        self.size, self._next = state["size"], state["next"]
        self.transitions[:, : self.size] = state["transitions"]
        self.filled.fill_(float(self.size))
        if self.hindsight is not None:
            self.hindsight.restore(state["hindsight"])

    def at(self, shares: Tensor, draws: Tensor | None = None) -> Batch:
        """Return the transitions at these shares of the filled part, (agents, batch).

        Args:
            shares: Uniform numbers.
            draws: More of them for hindsight, (agents, 2, batch).
        """
        index = (shares * self.filled).long()
        batch = self.transitions[self.agents, index]
        if self.hindsight is not None and draws is not None:
            self.hindsight.relabel(batch, index, self.transitions, draws)
        observations, actions, rewards, after, ended = batch.split(self.widths, dim=2)  # type: ignore[no-untyped-call]
        return observations, actions, rewards.squeeze(2), after, ended.squeeze(2)
