"""First-person images of the voxel world beside a ray marcher in NumPy, and steps without images."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from benchmarks.measure import rates
from offnominal.core.types import Array
from offnominal.sensing import VoxelCamera, render_blocks
from offnominal.worlds.craft.action_table import commands_of
from offnominal.worlds.craft.first_person import EYE_HEIGHT, FOV, first_person
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.sense import cell_map_text, without_map
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.textures.models import block_models
from offnominal.worlds.craft.world import PogoWorld

Row = dict[str, Any]
LEVELS = 6
WALKING = ("MOVE", "TURN", "NOP", "BREAK_BLOCK", "SELECT_ITEM")


def views() -> list[GameState]:
    """Return the beginning of some levels, in four directions each."""
    states = []
    for seed in range(LEVELS):
        state = new_game("v2", seed=seed)
        for yaw in (0, 90, 180, 270):
            states.append(state.copy())
            states[-1].yaw = yaw
    return states


def camera_of(state: GameState) -> VoxelCamera:
    x, z = state.cell
    return VoxelCamera((x + 0.5, GROUND + EYE_HEIGHT, z + 0.5), float(state.yaw), 0.0, fov=FOV)


def camera() -> list[Row]:
    """Images of 256 x 256 pixels in rooms of `CRAFT-Pogo-v2`, one at a time.

    The peer visits cells in the same order, all rays at once, with NumPy. It finds ids and distances of full cubes
    only: no textures, no entities, no light.
    """
    states = views()
    ours = render_blocks(states[0].blocks, block_models(), camera_of(states[0]))
    cubes = np.isin(ours.block, np.flatnonzero(block_models().kind == 1))
    block, _ = numpy_cast(states[0].blocks, camera_of(states[0]))
    assert (block == ours.block)[cubes].mean() > 0.95
    contenders = {
        "image with hot bar, ids, entities and depth": lambda: len([first_person(state) for state in states]),
        "image with SENSE_ALL as JSON": lambda: len([_with_json(state) for state in states]),
        "blocks only": lambda: len([render_blocks(s.blocks, block_models(), camera_of(s)) for s in states]),
        "peer: NumPy, all rays at once, ids of cubes only": lambda: len(
            [numpy_cast(states[0].blocks, camera_of(states[0]))]
        ),
    }
    bars = {"image with hot bar, ids, entities and depth": ">= 200", "image with SENSE_ALL as JSON": ">= 120"}
    return [
        {
            "task": name,
            "images/CPU-s": round(rate.per_cpu_second, 1),
            "ms": 1e3 / rate.per_cpu_second,
            "bar": bars.get(name, ""),
        }
        for name, rate in rates(contenders).items()
    ]


def _with_json(state: GameState) -> str:
    first_person(state)
    return f'{json.dumps(without_map(state))[:-1]},"map":{cell_map_text(state)}}}'


def symbols() -> list[Row]:
    """Steps without images, eight episodes at once: random commands of all kinds, and observations as vectors.

    The peer is a grid world of Gymnasium with a step in Python, `FrozenLake-v1`, whose observation is one number.
    """
    draws = np.random.default_rng(0)
    contenders: dict[str, Callable[[], int]] = {}
    for version in ("v1", "v2"):
        world = PogoWorld(8, version=version)
        commands = commands_of(version)
        walking = [k for k, command in enumerate(commands) if command.split()[0] in WALKING]
        for name, numbers in (("all commands", np.arange(len(commands))), ("walking and breaking", np.array(walking))):
            actions = draws.choice(numbers, (250, 8))
            contenders[f"CRAFT-Pogo-{version}, {name}"] = partial(_steps, world, actions)
    contenders["peer: Gymnasium, FrozenLake-v1"] = partial(_peer_steps, gymnasium.make("FrozenLake-v1"))
    return [
        {
            "task": name,
            "steps/CPU-s": round(rate.per_cpu_second),
            "bar": "" if name.startswith("peer") else ">= 20,000",
        }
        for name, rate in rates(contenders).items()
    ]


def _steps(world: PogoWorld, actions: Array) -> int:
    rows = np.arange(world.n)
    world.reset(rows, rows, np.zeros(world.n, np.int64))
    for each in actions:
        world.step(each)
    return int(actions.size)


def _peer_steps(env: gymnasium.Env[Any, Any]) -> int:
    env.reset(seed=0)
    for k in range(2000):
        _, _, terminated, truncated, _ = env.step(k % 4)
        if terminated or truncated:
            env.reset()
    return 2000


def numpy_cast(blocks: Array, camera: VoxelCamera) -> tuple[Array, Array]:
    """Return the number of the nearest block of each pixel and its distance, by steps of all rays at once."""
    right, up, forward = (np.array(axis) for axis in camera.axes())
    half = np.tan(np.radians(camera.fov) / 2.0)
    steps = half * ((2.0 * np.arange(camera.width) + 1.0) / camera.width - 1.0)
    direction = (forward + steps[None, :, None] * right - steps[:, None, None] * up).reshape(-1, 3)
    direction[direction == 0.0] = 1e-300
    eye = np.array(camera.position)
    cell = np.broadcast_to(np.floor(eye).astype(np.int64), direction.shape).copy()
    step = np.where(direction > 0.0, 1, -1)
    delta = np.abs(1.0 / direction)
    crossing = (cell + (direction > 0.0) - eye) / direction
    found, distance = np.zeros(len(direction), np.uint8), np.full(len(direction), np.inf)
    active = np.arange(len(direction))
    while len(active):
        axis = np.argmin(crossing[active], axis=1)
        t = crossing[active, axis]
        crossing[active, axis] += delta[active, axis]
        cell[active, axis] += step[active, axis]
        inside = ((cell[active] >= 0) & (cell[active] < blocks.shape)).all(axis=1)
        active, t = active[inside], t[inside]
        here = blocks[tuple(cell[active].T)]
        hit = here != 0
        found[active[hit]], distance[active[hit]] = here[hit], t[hit]
        active = active[~hit]
    size = (camera.height, camera.width)
    return found.reshape(size), distance.reshape(size)


SECTIONS = {"Voxel world: images": camera, "Voxel world: symbols": symbols}
