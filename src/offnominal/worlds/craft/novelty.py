"""What a novelty is, and the parts that several novelties share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from offnominal.worlds.craft.blocks import AIR, LOG
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.layout import GROUND, MAIN_SIZE, Cell
from offnominal.worlds.craft.rules import Version
from offnominal.worlds.craft.state import GameState

Start: TypeAlias = Callable[[GameState, int, Sequential], None]
Stop: TypeAlias = Callable[[GameState], None]
BOTH: tuple[Version, ...] = ("v1", "v2")
V2: tuple[Version, ...] = ("v2",)
DIFFICULTIES = {"easy": 1, "medium": 2, "hard": 3}


@dataclass(frozen=True)
class Novelty:
    """One kind of novelty.

    Args:
        name: Name of the physics parameter; the anomaly is ``dynamics/<name>``.
        summary: Effect at its level.
        highest: Largest level; 0 is without the novelty.
        start: Switches it on at a level.
        stop: Undoes it.
        versions: Versions of the task that have it.
        typical: A level with a visible effect.
        is_sensed: Whether the player senses it when it begins. If not, it has no physics parameter.
        difficulties: Whether its levels are the published ones: easy, medium and hard.
    """

    name: str
    summary: str
    highest: int
    start: Start
    stop: Stop
    versions: tuple[Version, ...] = BOTH
    typical: int = 1
    is_sensed: bool = True
    difficulties: bool = False

    @property
    def named_levels(self) -> dict[str, int]:
        """Levels by name: the published ones, or the typical one."""
        return dict(DIFFICULTIES) if self.difficulties else {"typical": self.typical}


def clear_cells(state: GameState, *, margin: int = 1) -> list[Cell]:
    """Return the cells of the main room around which everything is free."""
    clear = state.layer[:MAIN_SIZE, :MAIN_SIZE] == AIR
    for x, z in (state.cell, *(actor.cell for actor in state.actors), *state.drops):
        if x < MAIN_SIZE and z < MAIN_SIZE:
            clear[x, z] = False
    for _ in range(margin):
        inner = np.pad(clear, 1)
        clear = clear.copy()
        for dx in (0, 1, 2):
            for dz in (0, 1, 2):
                clear &= inner[dx : dx + MAIN_SIZE, dz : dz + MAIN_SIZE]
    return [(int(x), int(z)) for x, z in np.argwhere(clear)]


def shuffled_trees(state: GameState, sequence: Sequential, logs: Sequence[int] = (LOG,)) -> list[Cell]:
    """Return the trees in random order."""
    return sequence.shuffled([(int(x), int(z)) for x, z in np.argwhere(np.isin(state.layer, logs))])


def put_block(state: GameState, name: str, cells: Sequence[Cell], block: int) -> None:
    """Put a block into cells and remember what was there."""
    state.placed[name] = (*state.placed.get(name, ()), *((cell, state.block(cell)) for cell in cells))
    for x, z in cells:
        state.blocks[x, GROUND, z] = block


def undo_blocks(name: str, *blocks: int) -> Stop:
    """Return the function that restores the cells of a novelty that still have some blocks."""

    def stop(state: GameState) -> None:
        for (x, z), before in state.placed.get(name, ()):
            if not blocks or state.blocks[x, GROUND, z] in blocks:
                state.blocks[x, GROUND, z] = before

    return stop
