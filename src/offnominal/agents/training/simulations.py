"""Vectorised simulations in this process or in subprocesses."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.errors import InvalidState
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array, IntArray
from offnominal.worlds.catalogue import make_vector
from offnominal.worlds.world import World

Outcome = tuple[Array, Array, Array, Array]
"""Observations, rewards, terminated, truncated. Where an episode ended, the observation is the next one's first."""
OUTCOME = ("observations", "rewards", "terminated", "truncated")


class StartedEpisodes(NamedTuple):
    """Episodes that have begun, one per row.

    Args:
        seeds: (n,): seed of each row.
        episodes: (n,): number of earlier episodes with that seed.
        elapsed: (n,): transitions so far.
        actions: (steps, n, ...): actions of these transitions.
    """

    seeds: IntArray
    episodes: IntArray
    elapsed: IntArray
    actions: Array

    def of_rows(self, rows: slice) -> StartedEpisodes:
        """Return those of some rows."""
        return StartedEpisodes(self.seeds[rows], self.episodes[rows], self.elapsed[rows], self.actions[:, rows])


class SyncSimulations:
    """Simulations in this process.

    Args:
        world: Id of the world.
        n_envs: Number of simulations.
        **options: Options of the world.

    Attributes:
        final: Last observation of the latest episode that ended in each row.
    """

    def __init__(self, world: str, n_envs: int, **options: Any) -> None:
        self.envs = make_vector(world, n_envs, **options)
        self._actions: Array = np.zeros(0)
        space = self.envs.single_observation_space
        self.final: Array = np.zeros((n_envs, *(space.shape or ())), space.dtype)

    def reset(self, seeds: int | Sequence[int]) -> Array:
        """Start all simulations and return the observations; a single seed is that of row 0, row i has seed + i."""
        first: Array = self.envs.reset(seed=seeds if isinstance(seeds, int) else list(seeds))[0]
        return first

    def repeat(self, started: StartedEpisodes) -> Array:
        """Return to the middle of episodes: start them again, repeat their actions and return the observations."""
        envs, world = self.envs, self.envs.world
        envs.reset(seed=started.seeds.tolist())
        envs.episodes[:], envs.elapsed[:] = started.episodes, started.elapsed
        world.reset(np.arange(world.n), envs.seeds, envs.episodes)
        for step in range(int(started.elapsed.max())):
            world.step(started.actions[step].astype(np.float64), np.flatnonzero(started.elapsed > step))
        return world.observations.copy()

    def send(self, actions: Array) -> None:
        """Set the next actions."""
        self._actions = actions

    def receive(self) -> Outcome:
        """Step the simulations and return the outcome; finished episodes are reset."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        for row in np.flatnonzero(terminated | truncated):
            self.final[row] = infos["final_obs"][row]
        return observations, rewards, terminated, truncated & ~terminated

    def close(self) -> None:
        """Close the simulations."""
        self.envs.close()


class SubprocessSimulations:
    """Simulations in subprocesses, with the same results as :class:`SyncSimulations`, bit for bit.

    Observations and actions are in shared memory.

    Args:
        world: Id of the world.
        n_envs: Number of simulations.
        workers: Number of processes.
        sample: A world of this id, for its spaces.
        **options: Options of the world.

    Attributes:
        final: Last observation of the latest episode that ended in each row.
    """

    def __init__(self, world: str, n_envs: int, workers: int, sample: World, **options: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._rows = n_envs
        shapes = _shapes(n_envs, sample)
        self._shared_memory = {
            name: context.RawArray("b", int(np.prod(shape)) * np.dtype(kind).itemsize)
            for name, (shape, kind) in shapes.items()
        }
        self._arrays = _views(self._shared_memory, shapes)
        self.final = self._arrays["final"]
        borders = np.linspace(0, n_envs, workers + 1).astype(int).tolist()
        self._parts = [range(first, last) for first, last in pairwise(borders) if last > first]
        self._pipes: list[Connection] = []
        self._processes = []
        for part in self._parts:
            ours, theirs = context.Pipe()
            given = (world, options, part, self._shared_memory, shapes, theirs)
            process = context.Process(target=_work, args=given, daemon=True)
            process.start()
            self._pipes.append(ours)
            self._processes.append(process)

    def reset(self, seeds: int | Sequence[int]) -> Array:
        """Start all simulations and return the observations; a single seed is that of row 0, row i has seed + i."""
        self._send(row_seeds(seeds, self._rows).tolist() if isinstance(seeds, int) else list(seeds))
        self._wait()
        return self._arrays["observations"].copy()

    def repeat(self, started: StartedEpisodes) -> Array:
        """Return to the middle of episodes: start them again, repeat their actions and return the observations."""
        self._send(started)
        self._wait()
        return self._arrays["observations"].copy()

    def send(self, actions: Array) -> None:
        """Set the next actions; the processes start to step."""
        self._arrays["actions"][:] = actions
        self._send(None)

    def receive(self) -> Outcome:
        """Wait for all processes and return the outcome."""
        self._wait()
        observations, rewards, terminated, truncated = (self._arrays[name].copy() for name in OUTCOME)
        return observations, rewards, terminated, truncated

    def close(self) -> None:
        """End the processes."""
        self._send("close")
        for process in self._processes:
            process.join(timeout=10)

    def _send(self, message: Any) -> None:
        for pipe in self._pipes:
            pipe.send(message)

    def _wait(self) -> None:
        for pipe, part in zip(self._pipes, self._parts, strict=True):
            try:
                problem = pipe.recv()
            except EOFError:
                problem = "the process ended"
            if problem is not None:
                raise InvalidState(f"the simulations {part.start} to {part.stop - 1} stopped: {problem}.")


def make_simulations(
    world: str, n_envs: int, workers: int | None = None, **options: Any
) -> SyncSimulations | SubprocessSimulations:
    """Return simulations, in several processes if that is faster.

    Args:
        world: Id of the world.
        n_envs: Number of simulations.
        workers: Number of processes; None for one per processor with image observations, else none.
        **options: Options of the world.
    """
    sample = SyncSimulations(world, 1, **options).envs.world
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if len(sample.observation_space.shape or ()) == 3 else 0
    if workers < 2:
        return SyncSimulations(world, n_envs, **options)
    return SubprocessSimulations(world, n_envs, workers, sample, **options)


Shapes = dict[str, tuple[tuple[int, ...], str]]


def _shapes(n_envs: int, sample: World) -> Shapes:
    space: Box | Discrete = sample.action_space
    seen = (n_envs, *(sample.observation_space.shape or ())), str(sample.observation_space.dtype)
    return {
        "observations": seen,
        "final": seen,
        "actions": ((n_envs, *sample.action_shape), "int64" if isinstance(space, Discrete) else "float32"),
        "rewards": ((n_envs,), "float64"),
        "terminated": ((n_envs,), "bool"),
        "truncated": ((n_envs,), "bool"),
    }


def _views(memory: dict[str, Any], shapes: Shapes) -> dict[str, Array]:
    return {name: np.frombuffer(memory[name], kind).reshape(shape) for name, (shape, kind) in shapes.items()}


def _work(
    world: str, options: dict[str, Any], part: range, memory: dict[str, Any], shapes: Shapes, pipe: Connection
) -> None:
    """Step some of the rows on every message; answer None, or the error."""
    here = slice(part.start, part.stop)
    arrays = {name: values[here] for name, values in _views(memory, shapes).items()}
    try:
        ours = SyncSimulations(world, len(part), **options)
        ours.final = arrays["final"]
        while (message := pipe.recv()) != "close":
            if message is None:
                ours.send(arrays["actions"])
                for name, values in zip(OUTCOME, ours.receive(), strict=True):
                    arrays[name][:] = values
            elif isinstance(message, StartedEpisodes):
                arrays["observations"][:] = ours.repeat(message.of_rows(here))
            else:
                arrays["observations"][:] = ours.reset(message[here])
            pipe.send(None)
    except EOFError:
        return
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")
