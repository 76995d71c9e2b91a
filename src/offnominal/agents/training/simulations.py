"""Simulations of many processes behind one face: for worlds whose steps take long."""

from __future__ import annotations

import multiprocessing
import os
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.errors import InvalidState
from offnominal.core.types import Array
from offnominal.worlds.catalogue import make_vector
from offnominal.worlds.world import World

Outcome = tuple[Array, Array, Array, Array]
"""What is seen, rewards, whether the world ended an episode, whether the time limit did."""


class SyncSimulations:
    """Simulations of this process.

    Args:
        world: Id of the world.
        n_envs: How many.
        **options: Of the world.
    """

    def __init__(self, world: str, n_envs: int, **options: Any) -> None:
        self.envs = make_vector(world, n_envs, **options)
        self._actions: Array = np.zeros(0)

    def reset(self, seed: int) -> Array:
        """Start all of them and return what is seen; row i has seed + i."""
        first: Array = self.envs.reset(seed=seed)[0]
        return first

    def send(self, actions: Array) -> None:
        """Say what each is to do."""
        self._actions = actions

    def receive(self) -> Outcome:
        """Return what came of it; an episode that ended has begun anew."""
        seen, rewards, terminated, truncated, _ = self.envs.step(self._actions)
        return seen, rewards, terminated, truncated & ~terminated

    def close(self) -> None:
        """Free them."""
        self.envs.close()


class SubprocessSimulations:
    """The same simulations, spread over processes; what happens in them is the same, bit for bit.

    Observations and actions lie in memory that all processes share.

    Args:
        world: Id of the world.
        n_envs: How many.
        workers: How many processes.
        sample: A world of this kind, which tells the shapes.
        **options: Of the world.
    """

    def __init__(self, world: str, n_envs: int, workers: int, sample: World, **options: Any) -> None:
        context = multiprocessing.get_context("spawn")
        shapes = _shapes(n_envs, sample)
        self._shared_memory = {
            name: context.RawArray("b", int(np.prod(shape)) * np.dtype(kind).itemsize)
            for name, (shape, kind) in shapes.items()
        }
        self._arrays = _views(self._shared_memory, shapes)
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

    def reset(self, seed: int) -> Array:
        """Start all of them and return what is seen; row i has seed + i."""
        self._send(seed)
        self._wait()
        return self._arrays["seen"].copy()

    def send(self, actions: Array) -> None:
        """Say what each is to do; they begin at once."""
        self._arrays["actions"][:] = actions
        self._send(None)

    def receive(self) -> Outcome:
        """Wait for all of them and return what came of it."""
        self._wait()
        seen, rewards, ended, truncated = (self._arrays[name].copy() for name in ("seen", "rewards", "ended", "cut"))
        return seen, rewards, ended, truncated

    def close(self) -> None:
        """Let the processes go home."""
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
    """Return simulations, in several processes where that pays.

    Args:
        world: Id of the world.
        n_envs: How many simulations.
        workers: How many processes; None for one per processor where pictures are seen, and none elsewhere.
        **options: Of the world.
    """
    alone = SyncSimulations(world, 1, **options)
    sample = alone.envs.world
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if len(sample.observation_space.shape or ()) == 3 else 0
    if workers < 2:
        return SyncSimulations(world, n_envs, **options)
    return SubprocessSimulations(world, n_envs, workers, sample, **options)


Shapes = dict[str, tuple[tuple[int, ...], str]]


def _shapes(n_envs: int, sample: World) -> Shapes:
    space: Box | Discrete = sample.action_space
    return {
        "seen": ((n_envs, *(sample.observation_space.shape or ())), str(sample.observation_space.dtype)),
        "actions": ((n_envs, *sample.action_shape), "int64" if isinstance(space, Discrete) else "float32"),
        "rewards": ((n_envs,), "float64"),
        "ended": ((n_envs,), "bool"),
        "cut": ((n_envs,), "bool"),
    }


def _views(memory: dict[str, Any], shapes: Shapes) -> dict[str, Array]:
    return {name: np.frombuffer(memory[name], kind).reshape(shape) for name, (shape, kind) in shapes.items()}


def _work(
    world: str, options: dict[str, Any], part: range, memory: dict[str, Any], shapes: Shapes, pipe: Connection
) -> None:
    """Step some of the rows whenever it is said; None means all went well."""
    here = slice(part.start, part.stop)
    arrays = {name: values[here] for name, values in _views(memory, shapes).items()}
    try:
        ours = SyncSimulations(world, len(part), **options)
        while (message := pipe.recv()) != "close":
            if message is None:
                ours.send(arrays["actions"])
                arrays["seen"][:], arrays["rewards"][:], arrays["ended"][:], arrays["cut"][:] = ours.receive()
            else:
                arrays["seen"][:] = ours.reset(message + part.start)
            pipe.send(None)
    except EOFError:
        return
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")
