"""The pogo-stick task: N episodes in voxel rooms, with numbered commands and symbolic observations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.checks import one_of
from offnominal.core.types import Array, FloatArray, Frame, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera, resized
from offnominal.worlds.craft.action_table import commands_of
from offnominal.worlds.craft.card import CARDS
from offnominal.worlds.craft.commands import run_command
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.novelties import NOVELTIES, set_novelty
from offnominal.worlds.craft.rules import BUDGET, RULES, Version
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.symbols import encode, reported
from offnominal.worlds.world import World, box


class PogoWorld(World):
    """N episodes of the pogo-stick task of NovelCraft.

    An action is the number of a command, such as ``MOVE w`` or ``TP_TO 5,17,8``; `commands_of` lists them. The
    observation is what the commands for sensing return, as a vector: inventory, pose, actors and the blocks of the
    current room. The reward is minus the step cost as a share of the budget, and 1 for the pogo stick, which ends the
    episode. An episode also ends when the budget is spent. The physics parameters are novelties with levels.

    Args:
        n: Number of rows.
        version: Version of the task, ``"v1"`` or ``"v2"``.

    Example:
        >>> world = PogoWorld(2)
        >>> world.reset(np.arange(2), np.array([0, 1]), np.zeros(2, np.int64))
        >>> world.games[0].version, world.observations.shape
        ('v2', (2, 1156))
    """

    def __init__(self, n: int, *, version: Version = "v2") -> None:
        self.version: Version = one_of("version", version, tuple(RULES))
        self.card = CARDS[f"CRAFT-Pogo-{self.version}"]
        self.observation_space = box(self.card.observation)
        self.action_space = Discrete(len(commands_of(self.version)))
        self.games: dict[int, GameState] = {}
        self._allocate(n)
        self._all = np.arange(n)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes, without novelties."""
        for row, seed, episode in zip(rows.tolist(), seeds.tolist(), episodes.tolist(), strict=True):
            self.games[row] = new_game(self.version, seed=seed, episode=episode)
            encode(self.games[row], self.observations[row])
        self._clear_outcomes(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Carry out one command in every row, one row after the other."""
        commands, chosen = commands_of(self.version), self._all if rows is None else rows
        rewards, over, solved = list[float](), list[bool](), list[bool]()
        for row, action in zip(chosen.tolist(), actions[chosen].tolist(), strict=True):
            game = self.games[row]
            before, was_solved = game.cost, game.solved
            result = run_command(game, commands[int(action)])
            encode(game, self.observations[row], success=result.success)
            rewards.append((game.solved and not was_solved) - (game.cost - before) / BUDGET)
            over.append(game.over)
            solved.append(game.solved)
        self.rewards[chosen], self.terminated[chosen], self.success[chosen] = rewards, over, solved

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set the level of a novelty in some rows. A value between two levels is the higher one."""
        highest = NOVELTIES[self.physics_parameter(name).name].highest
        for row, value in zip(rows.tolist(), values.tolist(), strict=True):
            set_novelty(self.games[row], name, min(highest, math.ceil(value)))

    @property
    def camera(self) -> DrawnCamera:
        """Camera in the place of the player's eyes."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return first-person images with the hot bar, shrunk from the published 256 pixels per side.

        A report without a possible place gives a black image.
        """
        from offnominal.worlds.craft.first_person import first_person
        from offnominal.worlds.craft.hot_bar import IMAGE

        frames = np.zeros((len(rows), size, size, 3), np.uint8)
        for k, row in enumerate(rows.tolist()):
            game = self.games[row]
            shown = game if observations is None else reported(game, observations[row])
            if shown is not None:
                frames[k] = _shrunk(first_person(shown, size=max(size, IMAGE)).rgb, size)
        return frames

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the level of every novelty of a row."""
        return {name: int(self.games[row].levels.get(name, 0)) for name in self.physics_parameters}


def _shrunk(image: Frame, size: int) -> Frame:
    """Return an image with fewer pixels, each the mean of those it covers. Halving is exact and fast."""
    while len(image) >= 2 * size:
        wide = image[: len(image) // 2 * 2, : len(image) // 2 * 2].astype(np.uint16)
        rows = wide[::2] + wide[1::2]
        image = ((rows[:, ::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)
    return image if len(image) == size else resized(image, size)
