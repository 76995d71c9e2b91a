"""World, agent and faults meet: episodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from offnominal.agents.policy import Policy, as_policy
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.inject import row_faults
from offnominal.anomalies.injection import Injection, Setting
from offnominal.core.checks import positive_integer
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidAction
from offnominal.core.progress import progress
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.adapter import GymnasiumWorld
from offnominal.worlds.catalogue import NAMESPACE, make_world, worlds
from offnominal.worlds.world import World

BATCH = 256
OUTCOMES = ("success", "critical", "cost")

WorldSource = str | Callable[[int], World]


def collect(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    n: int,
    *,
    anomalies: Any = None,
    seed: int = 0,
    batch: int = BATCH,
    max_steps: int | None = None,
    **options: Any,
) -> list[Episode]:
    """Return n episodes, simulated together.

    Episode i starts as ``reset(seed=seed + i)`` does and depends on nothing but that seed, the policy and its faults:
    not on the batch, the order, the neighbours or the threads.

    Args:
        world: A world's id, the id of any Gymnasium environment with Box spaces, or a function from a number of rows
            to a world.
        policy: A policy, or a function from a batch of observations to a batch of actions.
        n: How many episodes.
        anomalies: None, a fault for every episode, a tuple of faults that act together in every episode, or a list
            with one such entry per episode.
        seed: Seed of the first episode.
        batch: How many episodes to simulate at once; changes speed and memory, never results.
        max_steps: Time limit; the world's own if None.
        **options: Passed on when the world is given by id.

    Example:
        >>> from offnominal.anomalies import Fault
        >>> faults = [None, Fault("action/offset", 0.5, schedule=3)]
        >>> nominal, faulty = collect("SAP-Goal0-v0", lambda o: o[:, :2], 2, anomalies=faults)
        >>> nominal.onset, faulty.onset
        (None, 3)
    """
    seeds = row_seeds(seed, positive_integer("the number of episodes", n))
    return rollout(world, policy, seeds, row_faults(anomalies, n), batch=batch, max_steps=max_steps, **options)


def rollout(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    seeds: IntArray,
    faults: list[tuple[Fault, ...]],
    *,
    batch: int = BATCH,
    max_steps: int | None = None,
    **options: Any,
) -> list[Episode]:
    """Return one episode per seed, each with its own faults; see :func:`collect`."""
    return _in_batches(_Tape, world, policy, seeds, faults, batch=batch, max_steps=max_steps, **options)


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
    """Return what each of these episodes earns, without keeping them; arguments are those of :func:`rollout`."""
    earned = _in_batches(_Purse, world, policy, seeds, faults, batch=batch, max_steps=max_steps, **options)
    return np.array(earned)


def _in_batches(
    recorder: Callable[[World, Injection, int, int], Any],
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    seeds: IntArray,
    faults: list[tuple[Fault, ...]],
    *,
    batch: int,
    max_steps: int | None,
    **options: Any,
) -> list[Any]:
    """Simulate batch after batch and return what the recorder kept of each episode."""
    size = min(positive_integer("batch", batch), len(seeds))
    simulations = build_world(world, size, **options)
    acting = as_policy(policy)
    limit = simulations.card.max_steps if max_steps is None else positive_integer("max_steps", max_steps)
    setting = Setting.of(simulations, limit)
    injections = [
        Injection(_padded(faults[first : first + size], size), setting) for first in range(0, len(seeds), size)
    ]
    kept: list[Any] = []
    try:
        with progress(f"Collecting {simulations.card.id}", total=len(seeds)) as tick:
            for index, injection in enumerate(injections):
                part = seeds[index * size : (index + 1) * size]
                tape = recorder(simulations, injection, len(part), limit)
                _run(simulations, acting, part, injection, limit, tape)
                kept += [tape.episode(row, int(part[row]), injection) for row in range(len(part))]
                tick(len(part))
    finally:
        simulations.close()
    return kept


def build_world(world: WorldSource, n: int, **options: Any) -> World:
    """Return n rows of a world given by id or by function."""
    if not isinstance(world, str):
        return world(n)
    if world.removeprefix(f"{NAMESPACE}/") not in worlds and world in gymnasium.registry:
        return GymnasiumWorld(n, id=world, **options)
    return make_world(world, n, **options)


def _padded(faults: list[tuple[Fault, ...]], size: int) -> list[tuple[Fault, ...]]:
    return faults + [()] * (size - len(faults))


def _run(world: World, policy: Policy, seeds: IntArray, injection: Injection, limit: int, tape: _Tape | _Purse) -> None:
    """Simulate one batch until every episode has ended."""
    count = len(seeds)
    rows, episodes = np.arange(count), np.zeros(count, np.int64)
    world.reset(rows, seeds, episodes)
    injection.begin(rows, seeds, episodes)
    state = policy.start(seeds, episodes)
    commanded = np.zeros((world.n, *world.action_space.shape), world.action_space.dtype)
    seen = world.observations.copy()
    tape.start(world)
    for t in range(limit):
        chosen, state = policy.act(seen[rows], state)
        commanded[rows] = _checked(chosen, (len(rows), *world.action_space.shape), commanded.dtype)
        executed = injection.act(commanded, rows).astype(np.float64)
        world.step(executed, rows)
        seen = injection.observe(world.observations, rows)
        tape.record(t, rows, world, injection, commanded, executed, seen)
        going = ~world.terminated[rows]
        if not going.all():
            state = policy.take(state, np.flatnonzero(going))
            rows = rows[going]
            if not rows.size:
                break


def _checked(actions: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    if actions.shape != shape:
        raise InvalidAction(f"the policy returned actions of shape {actions.shape}; expected {shape}.")
    if actions.dtype.kind not in "fiub":
        raise InvalidAction(f"the policy returned actions of type {actions.dtype}; expected numbers.")
    with np.errstate(over="ignore"):
        actions = actions.astype(dtype)
    if not np.isfinite(actions).all():
        raise InvalidAction("the policy returned an action that is not finite.")
    return actions


class _Tape:
    """Arrays into which a batch is recorded."""

    def __init__(self, world: World, injection: Injection, rows: int, limit: int) -> None:
        seen, acted = world.observation_space, world.action_space
        faults = injection.applied.shape[1]
        self.lengths = np.zeros(rows, np.int64)
        self.terminated = np.zeros(rows, np.bool_)
        self.observations = np.zeros((rows, limit + 1, *seen.shape), seen.dtype)
        self.steps: dict[str, Array] = {
            "actions": np.zeros((rows, limit, *acted.shape), acted.dtype),
            "rewards": np.zeros((rows, limit)),
            "active": np.zeros((rows, limit), np.bool_),
            "executed_actions": np.zeros((rows, limit, *acted.shape)),
            "applied": np.zeros((rows, limit, faults)),
            **{name: np.zeros((rows, limit), getattr(world, name).dtype) for name in OUTCOMES},
        }
        self.clean = np.zeros_like(self.observations)

    def start(self, world: World) -> None:
        """Record the first observations, which no fault touches."""
        rows = len(self.observations)
        self.observations[:, 0] = world.observations[:rows]
        self.clean[:, 0] = world.observations[:rows]

    def record(
        self,
        t: int,
        rows: IntArray,
        world: World,
        injection: Injection,
        commanded: Array,
        executed: Array,
        seen: Array,
    ) -> None:
        """Record one transition of some rows."""
        self.lengths[rows] = t + 1
        self.terminated[rows] = world.terminated[rows]
        self.observations[rows, t + 1] = seen[rows]
        self.clean[rows, t + 1] = world.observations[rows]
        values = {
            "actions": commanded,
            "rewards": world.rewards,
            "active": injection.active,
            "executed_actions": world.executed(executed),
            "applied": injection.applied,
            **{name: getattr(world, name) for name in OUTCOMES},
        }
        for name, value in values.items():
            self.steps[name][rows, t] = value[rows]

    def episode(self, row: int, seed: int, injection: Injection) -> Episode:
        """Cut one episode out."""
        length = int(self.lengths[row])
        cut = {name: values[row, :length].copy() for name, values in self.steps.items()}
        cut["applied"] = cut["applied"][:, : len(injection.faults[row])].copy()
        main = {name: cut.pop(name) for name in ("actions", "rewards", "active")}
        return Episode(
            observations=self.observations[row, : length + 1].copy(),
            **main,
            events=injection.events(row),
            seed=seed,
            terminated=bool(self.terminated[row]),
            extras={"clean_observations": self.clean[row, : length + 1].copy(), **cut},
        )


class _Purse:
    """Keeps nothing of an episode but what it earned."""

    def __init__(self, world: World, injection: Injection, rows: int, limit: int) -> None:
        self.rewards = np.zeros((rows, limit))
        self.lengths = np.zeros(rows, np.int64)

    def start(self, world: World) -> None:
        """Nothing is earned yet."""

    def record(
        self,
        t: int,
        rows: IntArray,
        world: World,
        injection: Injection,
        commanded: Array,
        executed: Array,
        seen: Array,
    ) -> None:
        """Keep the rewards."""
        self.rewards[rows, t] = world.rewards[rows]
        self.lengths[rows] = t + 1

    def episode(self, row: int, seed: int, injection: Injection) -> float:
        """Return what an episode earned in all."""
        return float(np.sum(self.rewards[row, : self.lengths[row]]))
