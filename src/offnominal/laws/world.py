"""The laws of worlds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.policy import RandomPolicy
from offnominal.core.types import Array, IntArray
from offnominal.laws.capabilities import require_world_tags
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.pixel_observations import ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.world import FRAME_SIZE, World
from offnominal.worlds.world_source import build_world

STEPS = 25
SEEDS = (3, 11, 3, 2**40)


def check_world(id: str, **options: Any) -> LawReport:
    """Check the laws of worlds for a registered world.

    1. It passes Gymnasium's own check, and observations and rewards match their spaces, types and shapes at every step.
    2. An episode is reproducible by its seed: two instances give the same bytes for the same actions.
    3. A batch of N equals N single runs, bit for bit, in any order.
    4. A reset removes all state of the previous episode, including changed physics parameters.
    5. Images, if it has a camera, depend only on the state: equal states give equal images, alone and in a batch, and
       rendering changes nothing. Its image environments pass Gymnasium's check. Images for people have the size that
       was asked for, and equal states with equal trails give equal bytes.
    6. It has a camera if its card has the tag ``camera``, and starts threads if it has the tag ``threads``.

    Example:
        >>> check_world("SAP-Goal0-v0").ok
        True
    """
    return check_laws(
        id,
        {
            "passes Gymnasium's check": lambda: _gymnasium_check(id, options),
            "observations and rewards match their spaces": lambda: _spaces_hold(id, options),
            "an episode is reproducible by its seed": lambda: _seed_fixes_everything(id, options),
            "a batch equals its single runs": lambda: _batch_is_single_runs(id, options),
            "a reset removes all state": lambda: _reset_leaves_no_trace(id, options),
            "physics parameters are restored exactly": lambda: _physics_is_restored(id, options),
            "images depend only on the state": lambda: _images_show_the_state(id, options),
            "images for people have any size": lambda: _renders_any_size(id, options),
            "image environments pass Gymnasium's check": lambda: _images_pass(id, options),
            "its declared capabilities are true": lambda: require_world_tags(id, options),
        },
    )


def actions_for(world: World, seeds: IntArray, steps: int = STEPS) -> list[Array]:
    """Return random actions within the limits that depend only on the seed of each row."""
    policy = RandomPolicy(world.action_space)
    state = policy.start(seeds, np.zeros(len(seeds), np.int64))
    drawn = []
    for _ in range(steps):
        actions, state = policy.act(np.zeros((len(seeds), 1)), state)
        drawn.append(actions if isinstance(world.action_space, Discrete) else actions.astype(np.float64))
    return drawn


def run(world: World, seeds: IntArray, episode: int = 0, steps: int = STEPS) -> list[bytes]:
    """Run every row with random actions and return the history of each row as bytes."""
    rows = np.arange(len(seeds))
    world.reset(rows, seeds, np.full(len(seeds), episode))
    histories = [[world.observations[row].tobytes()] for row in rows]
    for actions in actions_for(world, seeds, steps):
        world.step(actions, rows)
        for row in rows:
            outcome = (world.observations, world.rewards, world.terminated, world.success, world.critical, world.cost)
            histories[row].append(b"".join(array[row].tobytes() for array in outcome))
    return [b"".join(history) for history in histories]


def _gymnasium_check(id: str, options: dict[str, Any]) -> None:
    if id not in worlds:
        raise SkipLaw("not a registered world")
    _check_env(WorldEnv(build_world(id, 1, **options)))
    vector = WorldVectorEnv(build_world(id, 3, **options))
    observations, _ = vector.reset(seed=0)
    require(observations in vector.observation_space, "the first observations of a vector of 3 are outside its space")
    vector.close()


def _check_env(env: WorldEnv) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|symmetric and normalized).*")
        check_env(env, skip_render_check=True)


def _spaces_hold(id: str, options: dict[str, Any]) -> None:
    world = build_world(id, 3, **options)
    seeds = np.array(SEEDS[:3])
    world.reset(np.arange(3), seeds, np.zeros(3, np.int64))
    for t, actions in enumerate(actions_for(world, seeds)):
        world.step(actions)
        for row in range(3):
            require(
                world.observations[row] in world.observation_space,
                f"observation after step {t} of seed {seeds[row]} is not in {world.observation_space}",
            )
        require(bool(np.isfinite(world.rewards).all()), f"a reward after step {t} is not finite")
        for name, kind in (("rewards", "f"), ("terminated", "b"), ("success", "b"), ("critical", "b"), ("cost", "f")):
            array = getattr(world, name)
            require(array.shape == (3,) and array.dtype.kind == kind, f"{name} has type {array.dtype}{array.shape}")
    world.close()


def _seed_fixes_everything(id: str, options: dict[str, Any]) -> None:
    seeds = np.array(SEEDS)
    first, second = (run(build_world(id, len(SEEDS), **options), seeds) for _ in range(2))
    for row, seed in enumerate(seeds):
        require(first[row] == second[row], f"two instances differ for seed {seed}")
    require(first[0] == first[2], f"two rows with seed {seeds[0]} differ")
    require(first[0] != first[1], f"seeds {seeds[0]} and {seeds[1]} give the same episode")


def _batch_is_single_runs(id: str, options: dict[str, Any]) -> None:
    seeds = np.array(SEEDS)
    together = run(build_world(id, len(seeds), **options), seeds)
    backwards = run(build_world(id, len(seeds), **options), seeds[::-1].copy())[::-1]
    for row, seed in enumerate(seeds):
        require(together[row] == backwards[row], f"the episode of seed {seed} depends on its position in the batch")
        (alone,) = run(build_world(id, 1, **options), np.array([seed]))
        require(together[row] == alone, f"the episode of seed {seed} differs between a batch of {len(seeds)} and 1")


def _reset_leaves_no_trace(id: str, options: dict[str, Any]) -> None:
    seeds = np.array(SEEDS)
    fresh = run(build_world(id, len(seeds), **options), seeds)
    used = build_world(id, len(seeds), **options)
    run(used, seeds + 1, steps=7)
    require(run(used, seeds) == fresh, "an episode depends on the previous episode of the instance")
    if used.random_starts:
        require(run(used, seeds, episode=1) != fresh, "the second episode of a seed equals the first")


def _physics_is_restored(id: str, options: dict[str, Any]) -> None:
    world = build_world(id, 2, **options)
    if not world.physics_parameters:
        raise SkipLaw("the world has no physics parameters")
    seeds = np.array(SEEDS[:2])
    fresh = run(world, seeds)
    before = world.current_physics(0)
    for name, physics_parameter in world.physics_parameters.items():
        world.set_physics_parameter(name, np.array([0]), np.array([physics_parameter.neutral * 1.5 + 0.1]))
    changed = world.current_physics(0)
    if before:
        require(
            any(not np.array_equal(before[key], changed[key]) for key in before),
            "setting physics parameters has no effect",
        )
    for actions in actions_for(world, seeds, 3):
        world.step(actions)
    again = run(world, seeds)
    after = world.current_physics(0)
    for key, value in before.items():
        require(np.array_equal(value, after[key]), f"{key} is {after[key]} after a reset, was {value}")
    require(again == fresh, "an episode after a changed physics parameter and a reset differs from a new one")


def _drawable(id: str, n: int, options: dict[str, Any]) -> World:
    world = build_world(id, n, **options)
    if world.camera is None:
        raise SkipLaw("the world has no camera")
    return world


def _images_show_the_state(id: str, options: dict[str, Any]) -> None:
    seeds = np.array(SEEDS)
    world, not_rendered, single = (_drawable(id, n, options) for n in (len(seeds), len(seeds), 1))
    for instance in (world, not_rendered):
        run(instance, seeds, steps=5)
    frames = world.frames()
    require(
        frames.shape == (len(seeds), FRAME_SIZE, FRAME_SIZE, 3) and frames.dtype == np.uint8,
        f"the images of {len(seeds)} rows have type {frames.dtype}{frames.shape}",
    )
    require(np.array_equal(frames, world.frames()), "two images of one state differ")
    require(np.array_equal(frames[0], frames[2]), f"two rows with seed {seeds[0]} have different images")
    require(not np.array_equal(frames[0], frames[1]), f"seeds {seeds[0]} and {seeds[1]} have the same image")
    backwards = world.frames(np.arange(len(seeds))[::-1].copy())
    require(np.array_equal(frames, backwards[::-1]), "an image depends on its position in the batch")
    for row, seed in enumerate(seeds):
        run(single, np.array([seed]), steps=5)
        require(
            np.array_equal(frames[row], single.frames()[0]),
            f"the image of seed {seed} differs between a batch and a single run",
        )
    for actions in actions_for(world, seeds, 3):
        world.step(actions)
        not_rendered.step(actions)
    require(np.array_equal(world.observations, not_rendered.observations), "rendering changes the world")
    _reports_can_be_drawn(world)


def _reports_can_be_drawn(world: World) -> None:
    if world.observations.dtype.kind != "f":
        return
    broken = np.full_like(world.observations, np.nan)
    try:
        drawn = world.frames(observations=broken)
    except UnsupportedEnvironment:
        return
    require(drawn.shape == world.frames().shape, "observations that are not finite cannot be rendered")


def _renders_any_size(id: str, options: dict[str, Any]) -> None:
    seeds = np.array(SEEDS)
    world, single = (_drawable(id, n, options) for n in (len(seeds), 1))
    run(world, seeds, steps=5)
    frames = world.frames()
    for size in (75, 200):
        images = world.render(size=size)
        expected = (len(seeds), size, size, 3)
        require(images.shape == expected, f"images of size {size} have shape {images.shape}, expected {expected}")
        require(images.dtype == np.uint8, f"images for people have type {images.dtype}")
        require(np.array_equal(images, world.render(size=size)), f"two images of size {size} of one state differ")
        run(single, seeds[:1], steps=5)
        require(np.array_equal(images[0], single.render(size=size)[0]), "an image depends on the rest of the batch")
    require(np.array_equal(frames, world.frames()), "an image for people changes the frames that agents get")


def _images_pass(id: str, options: dict[str, Any]) -> None:
    kinds: tuple[ObservationKind, ...] = ("image", "both")
    for kind in kinds:
        _check_env(WorldEnv(_drawable(id, 1, options), observation=kind))
        vector = WorldVectorEnv(_drawable(id, 2, options), observation=kind, max_episode_steps=2)
        vector.reset(seed=0)
        idle = np.zeros((2, *vector.world.action_shape), vector.world.action_space.dtype)
        for _ in range(2):
            observations, *_, infos = vector.step(idle)
        require(observations in vector.observation_space, f"observation={kind!r} leaves the space of a vector of 2")
        last = infos["final_obs"][0]
        require(last in vector.single_observation_space, f"observation={kind!r} leaves the space as an episode ends")
        vector.close()
