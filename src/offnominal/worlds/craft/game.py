"""New episodes of the pogo-stick task, checked by the planner to have a solution."""

from __future__ import annotations

from functools import lru_cache

from offnominal.core.checks import one_of
from offnominal.core.errors import InvalidState
from offnominal.core.streams import check_seed
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.level import draw_level
from offnominal.worlds.craft.planner import solve
from offnominal.worlds.craft.rules import RULES, Version
from offnominal.worlds.craft.state import GameState

ATTEMPTS = 50


def new_game(version: Version = "v2", *, seed: int = 0, episode: int = 0) -> GameState:
    """Return the state at the beginning of an episode. The level can be solved: the planner has tried.

    Args:
        version: Version of the task, ``"v1"`` or ``"v2"``.
        seed: Root seed.
        episode: Number of earlier episodes with this seed.

    Example:
        >>> state = new_game("v1", seed=3)
        >>> state.cell, state.yaw, state.blocks.shape
        ((27, 27), 90, (32, 10, 32))
    """
    return _solvable(one_of("version", version, tuple(RULES)), check_seed(seed), int(episode)).copy()


@lru_cache(maxsize=256)
def _solvable(version: Version, seed: int, episode: int) -> GameState:
    """Return the first level of an episode that the planner solves. Twins and repeated resets share it."""
    level = Draws.named(seed, episode, "reset")
    actions = Draws.named(seed, episode, "world")
    for attempt in range(ATTEMPTS):
        state = draw_level(version, level, attempt=attempt, actions=actions)
        trial = state.copy()
        solve(trial)
        if trial.solved:
            return state
    raise InvalidState(f"no level of seed {seed} has a solution after {ATTEMPTS} draws.")
