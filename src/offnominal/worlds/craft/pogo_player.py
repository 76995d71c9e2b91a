"""Scripted expert of the pogo-stick task: the planner, from symbolic observations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import require_integers, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.core.types import Array, IntArray
from offnominal.worlds.craft.action_table import SIZES, action_numbers, commands_of
from offnominal.worlds.craft.layout import BlockArray
from offnominal.worlds.craft.planner import PogoPlanner
from offnominal.worlds.craft.rules import Version
from offnominal.worlds.craft.symbols import SIZE, SUCCESS, belief


@dataclass(frozen=True)
class _Row:
    planner: PogoPlanner
    known: BlockArray


class PogoPlayer(Policy):
    """Plays CRAFT-Pogo-v1 and CRAFT-Pogo-v2 with a planner that plans again after every command.

    It keeps in mind the blocks of rooms that it has left, the trades that it has asked for, and the commands that were
    refused.

    Args:
        version: Version of the task.
        walks: Whether it uses unit moves and not TP_TO.

    Example:
        >>> from offnominal.rollouts import collect
        >>> from offnominal.worlds.craft.world import PogoWorld
        >>> (episode,) = collect(PogoWorld, PogoPlayer(), 1)
        >>> bool(episode.success), 40 < len(episode) < 60
        (True, True)
    """

    def __init__(self, version: Version = "v2", *, walks: bool = False) -> None:
        self.version: Version = version
        self.walks = walks

    def start(self, seeds: IntArray, episodes: IntArray) -> tuple[_Row, ...]:
        """Return a planner per episode that knows nothing yet."""
        size = SIZES[self.version]
        return tuple(_Row(PogoPlanner(walks=self.walks), np.zeros((size, size), np.uint8)) for _ in seeds)

    def act(self, observations: Array, state: tuple[_Row, ...] | None) -> tuple[Array, tuple[_Row, ...]]:
        """Return the number of the next command of every row."""
        require_shape("observations", observations, "n", SIZE)
        rows = self.begun(observations, state)
        if len(rows) != len(observations):
            raise InvalidParameter(f"the state is of {len(rows)} rows; there are {len(observations)} observations.")
        actions, after = np.zeros(len(observations), np.int64), []
        numbers = action_numbers(self.version)
        for k, (vector, row) in enumerate(zip(observations, rows, strict=True)):
            known = row.known.copy()
            sensed, planner = belief(vector, self.version, known), row.planner.copy()
            if sensed is not None:
                actions[k] = numbers.get(planner.next_command(sensed, bool(vector[SUCCESS] > 0.5)), 0)
            after.append(_Row(planner, known))
        return actions, tuple(after)

    def record_actions(self, state: tuple[_Row, ...], actions: Array) -> tuple[_Row, ...]:
        """Return the state after other commands were carried out."""
        require_integers("actions", actions, len(state))
        after = []
        for row, action in zip(state, actions.tolist(), strict=True):
            planner = row.planner.copy()
            planner.replace_command(commands_of(self.version)[action])
            after.append(_Row(planner, row.known))
        return tuple(after)

    def take(self, state: tuple[_Row, ...], rows: IntArray) -> tuple[_Row, ...]:
        """Return the planners of the given rows."""
        require_integers("rows", rows, "rows")
        return tuple(state[row] for row in rows.tolist())
