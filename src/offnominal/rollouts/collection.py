"""Collection of episodes: a policy acts in a world with faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault, FaultsPerRow
from offnominal.anomalies.fault_injection import row_faults
from offnominal.anomalies.injection import Injection
from offnominal.core.checks import integer_in, positive_integer
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidAction
from offnominal.core.policy import Policy, as_policy
from offnominal.core.progress_bar import progress
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.rollouts.frame_recorder import FrameRecorder, RenderRecorder, check_camera
from offnominal.rollouts.recorders import EpisodeRecorder, ReturnRecorder
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.world import World
from offnominal.worlds.world_source import WorldSource, build_world, is_given, rows_of

BATCH = 256
MOST_EPISODES, LONGEST = 10_000_000, 100_000_000
"""Largest number of episodes per call and of transitions per episode; more do not fit into memory."""

RecorderFactory = Callable[[World, Injection, int, int], Any]


def collect(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    n: int,
    *,
    faults: FaultsPerRow = None,
    seed: int = 0,
    batch: int = BATCH,
    max_steps: int | None = None,
    frames: bool = False,
    camera: CameraKind = "clean",
    **options: object,
) -> list[Episode]:
    """Return n episodes, simulated in batches.

    Episode i starts as ``reset(seed=seed + i)`` does. It depends only on that seed, the policy and its faults, not on
    the batch, the order, the other episodes or the number of threads.

    Args:
        world: A world's id, the id of any Gymnasium environment with Box or Discrete actions, an environment, a vector
            environment, or a function without arguments that makes one of these. Observations that are no Box are
            flattened. An environment simulates one episode at a time, a vector environment as many as it has rows; it
            is not closed. A function from a number of rows to a world works too.
        policy: A policy, or a function from a batch of observations to a batch of actions.
        n: Number of episodes.
        faults: None, a fault for every episode, a tuple of faults that act together in every episode, or a list
            with one such entry per episode.
        seed: Seed of the first episode.
        batch: Number of episodes to simulate at once; affects speed and memory, not the results.
        max_steps: Time limit; the world's own if None. An environment that truncates an episode ends it earlier.
        frames: Whether to record camera images as ``extras["frames"]``, (T + 1, 128, 128, 3) bytes: 10 MB for 200
            steps. :meth:`Episode.images` returns them as observations.
        camera: State that the frames show while an observation is faulty: ``"clean"`` shows the true state, as an
            independent camera does; ``"affected"`` shows the state that the observation reports. Camera faults act in
            both cases.
        **options: Keyword arguments of the world, if it is given by id.

    Example:
        >>> from offnominal.anomalies import Fault
        >>> faults = [None, Fault("action/offset", 0.5, schedule=3)]
        >>> nominal, faulty = collect("SAP-Goal0-v0", lambda o: o[:, :2], 2, faults=faults)
        >>> nominal.onset, faulty.onset
        (None, 3)
    """
    seeds = row_seeds(seed, integer_in("the number of episodes", n, 1, MOST_EPISODES))
    arguments: dict[str, Any] = {"frames": frames, "camera": camera, **options}
    return rollout(world, policy, seeds, row_faults(faults, n), batch=batch, max_steps=max_steps, **arguments)


def rollout(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    seeds: IntArray,
    faults: list[tuple[Fault, ...]],
    *,
    batch: int = BATCH,
    max_steps: int | None = None,
    frames: bool = False,
    camera: CameraKind = "clean",
    render_size: int | None = None,
    **options: Any,
) -> list[Episode]:
    """Return one episode per seed, each with its own faults; see :func:`collect`.

    With a `render_size`, the frames are images for people of that many pixels per side; see :meth:`World.render`.
    """
    check_camera(camera, frames=frames)
    make_recorder: RecorderFactory = partial(FrameRecorder, camera=camera) if frames else EpisodeRecorder
    if render_size is not None:
        make_recorder = partial(RenderRecorder, size=render_size)
    return _in_batches(
        make_recorder, world, policy, seeds, faults, batch=batch, max_steps=max_steps, has_images=frames, **options
    )


def returns(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    seeds: IntArray,
    faults: list[tuple[Fault, ...]],
    *,
    batch: int = BATCH,
    max_steps: int | None = None,
    **options: Any,
) -> FloatArray:
    """Return the return of each episode without keeping the episodes; arguments are those of :func:`rollout`."""
    totals = _in_batches(ReturnRecorder, world, policy, seeds, faults, batch=batch, max_steps=max_steps, **options)
    return np.array(totals)


def _in_batches(
    make_recorder: RecorderFactory,
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    seeds: IntArray,
    faults: list[tuple[Fault, ...]],
    *,
    batch: int,
    max_steps: int | None,
    has_images: bool = False,
    **options: Any,
) -> list[Any]:
    """Simulate batch after batch and return the recorder's result of each episode."""
    agent = as_policy(policy)
    size = min(positive_integer("batch", batch), len(seeds), rows_of(world) or len(seeds))
    simulations = build_world(world, size, **options)
    size = min(size, simulations.n)
    limit = simulations.card.max_steps if max_steps is None else integer_in("max_steps", max_steps, 1, LONGEST)
    environment = EnvironmentInfo.of(simulations, limit, has_images=has_images)
    injections = [
        Injection(_padded(faults[first : first + size], simulations.n), environment)
        for first in range(0, len(seeds), size)
    ]
    results: list[Any] = []
    try:
        with progress(f"Collecting {simulations.card.id}", total=len(seeds)) as tick:
            for index, injection in enumerate(injections):
                part = seeds[index * size : (index + 1) * size]
                recorder = make_recorder(simulations, injection, len(part), limit)
                _run(simulations, agent, part, injection, limit, recorder)
                results += [recorder.episode(row, int(part[row])) for row in range(len(part))]
                tick(len(part))
    finally:
        if not is_given(world):
            simulations.close()
    return results


def _padded(faults: list[tuple[Fault, ...]], size: int) -> list[tuple[Fault, ...]]:
    return faults + [()] * (size - len(faults))


def _run(
    world: World,
    policy: Policy,
    seeds: IntArray,
    injection: Injection,
    limit: int,
    recorder: EpisodeRecorder | ReturnRecorder,
) -> None:
    """Simulate one batch until every episode has ended."""
    count = len(seeds)
    rows, episodes = np.arange(count), np.zeros(count, np.int64)
    world.reset(rows, seeds, episodes)
    injection.begin(rows, seeds, episodes)
    state = policy.start(seeds, episodes)
    space = world.action_space
    commanded = np.zeros((world.n, *world.action_shape), space.dtype)
    observations = world.observations.copy()
    recorder.start()
    for t in range(limit):
        actions, state = policy.act(observations[rows], state)
        commanded[rows] = _checked(actions, (len(rows), *world.action_shape), space)
        executed = injection.act(commanded, rows).astype(np.int64 if isinstance(space, Discrete) else np.float64)
        world.step(executed, rows)
        observations = injection.observe(world.observations, rows)
        recorder.record(t, rows, commanded, executed, observations)
        running = ~(world.terminated[rows] | world.truncated[rows])
        if not running.all():
            state = policy.take(state, np.flatnonzero(running))
            rows = rows[running]
            if not rows.size:
                break


def _checked(actions: Array, shape: tuple[int, ...], space: Box | Discrete) -> Array:
    if isinstance(space, Discrete):
        return checked_actions(actions, shape, space)
    if actions.shape != shape:
        raise InvalidAction(f"the policy returned actions of shape {actions.shape}; expected {shape}.")
    if actions.dtype.kind not in "fiub":
        raise InvalidAction(f"the policy returned actions of type {actions.dtype}; expected numbers.")
    with np.errstate(over="ignore"):
        actions = actions.astype(space.dtype)
    if not np.isfinite(actions).all():
        raise InvalidAction("the policy returned an action that is not finite.")
    return actions
