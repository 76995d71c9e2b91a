"""Play of an episode by an agent that knows of a novelty only what it has perceived.

The player of the original could ask for the map of its room, and ours reads it. With a novelty from the first frame on
it would act on a fence behind its back, and its commands would tell that there is one long before a frame shows it.
Therefore an agent plays a *nominal twin* of the episode until it perceives that the episode is another one: it sees a
pixel of the novelty, or after one of its commands its symbols differ from those of the twin. These are the 24 entries
of the symbolic vector, its pose, and whether the command was carried out. From then on it reads the map as it is.

So an episode has the commands and symbols of its nominal twin until then, whatever the agent is. The law
:func:`~offnominal.laws.check_craft_leaks` verifies it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from offnominal.sensing import VoxelImage
from offnominal.worlds.craft.agents.craft_agent import CraftAgent
from offnominal.worlds.craft.commands import Result, run_command
from offnominal.worlds.craft.first_person import FOV, first_person
from offnominal.worlds.craft.inventory import KIND
from offnominal.worlds.craft.novelty_truth import novel_fraction
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.symbols import COUNTED

Symbols: TypeAlias = tuple[int | float | bool, ...]
MARGIN = 3.0
"""Cells around a cell that may show what is in it: crowns of trees."""


class PlayedFrame(NamedTuple):
    """A frame of an episode.

    Attributes:
        state: State of the episode; it changes with the next frame.
        result: Result of the command that led to the frame.
        text: The command itself; that of the first frame is ``SENSE_ALL NONAV``.
        met: Whether the agent has perceived a novelty by now.
        image: Image of the agent's view, or None if none was needed.
    """

    state: GameState
    result: Result
    text: str
    met: bool
    image: VoxelImage | None


def symbols_of(state: GameState, result: Result) -> Symbols:
    """Return the symbols of a frame: counts, held item, block in front, pose, and success of the command.

    As in the symbolic vector, variants of a block are one block.
    """
    totals = state.inventory.totals()
    counts = [totals.get(item, 0) for item in COUNTED]
    named = KIND[state.inventory.held], KIND[state.block(state.front)]
    return (*counts, *named, *state.cell, state.yaw, state.pitch, result.success, state.over)


def play(
    state: GameState,
    agent: CraftAgent,
    *,
    twin: GameState | None = None,
    frames: int,
    images: bool = True,
    reads_map: bool = False,
) -> Iterator[PlayedFrame]:
    """Play an episode and yield its frames: the one before the first command, and one after each command.

    Args:
        state: The episode; it is changed.
        agent: The agent.
        twin: The episode without its novelties; it is changed. None if there are none.
        frames: Largest number of frames.
        images: Whether every frame has its image. If not, only those have one that decide whether a novelty is seen.
        reads_map: Whether the agent reads the map from the first frame on, as in earlier versions. Its commands tell
            of a novelty before it has perceived it.
    """
    text = "SENSE_ALL NONAV"
    result = Result("SENSE_ALL", "NONAV", True, cost=state.rules.costs.sense_all)
    met = False
    for number in range(frames):
        image = first_person(state) if images else None
        if twin is not None and not met:
            if image is None and may_see(state, twin):
                image = first_person(state)
            met = image is not None and novel_fraction(state, image) > 0.0
        yield PlayedFrame(state, result, text, met, image)
        if state.over or number == frames - 1:
            return
        believed = state if twin is None or met or reads_map else twin
        text = agent.next_command(believed, result.success, novelty=met)
        result = run_command(state, text)
        if twin is not None and not met:
            expected = run_command(twin, text)
            met = symbols_of(state, result) != symbols_of(twin, expected)


def may_see(state: GameState, twin: GameState) -> bool:
    """Whether a block or an actor that the twin does not have can be in view; walls are not considered."""
    xs, zs = np.nonzero((state.blocks != twin.blocks).any(axis=1))
    cells = [*zip(xs.tolist(), zs.tolist(), strict=True)]
    cells += [actor.cell for actor in state.actors if twin.actor(actor.id) is None]
    if not cells or state.pitch:
        return bool(cells)
    # A cone that is wider than the view by the size of a block and of the crown of a tree.
    yaw = np.radians(state.yaw)
    ahead = np.array((-np.sin(yaw), np.cos(yaw)))
    offsets = np.array(cells, np.float64) - state.cell
    along, across = offsets @ ahead, np.abs(offsets @ (-ahead[1], ahead[0]))
    return bool((along + MARGIN > 0.0)[across <= (along + MARGIN) * np.tan(np.radians(0.5 * FOV)) + MARGIN].any())
