"""Streams are recorded segment by segment: those with faults, and their twins without."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.core.episode import Episode
from offnominal.core.files import sha256_of
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.datasets.recipe import SPACING
from offnominal.kinds.streams.cell import StreamCell
from offnominal.kinds.streams.continuing_world import ContinuingWorld
from offnominal.rollouts.collection import rollout
from offnominal.studies.named_policy import acting_policy
from offnominal.worlds.catalogue import make_world

FAULTS, SEGMENTS = "stream faults", "stream segments"
"""Purposes of the random streams of the faults of a stream, and of the seeds of its segments."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """One fault of a stream.

    Args:
        split: Anomaly and level.
        number: Index among the faults of the cell.
        onset: First step of the test at which it acts.
        end: First step after it.
    """

    split: str
    number: int
    onset: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Streams:
    """The streams of a cell.

    Args:
        faulty: Segments of each stream, as episodes.
        twins: The same without faults. Up to the first fault they are the same episodes.
        injected: Faults of each stream.
        restarts: Steps of the stream at which the world has started again, of each stream and then of each twin.
        shares: (segments,) how far the parameter that drifts is from neutral.
    """

    faulty: list[list[Episode]]
    twins: list[list[Episode]]
    injected: list[list[InjectedFault]]
    restarts: list[IntArray]
    shares: FloatArray

    def content_hash(self) -> str:
        """Return a hash of all observations, actions and labels."""
        digest = hashlib.sha256()
        for segments in (*self.faulty, *self.twins):
            for episode in segments:
                for values in (episode.observations, episode.actions, episode.active):
                    digest.update(repr((values.shape, values.dtype.str)).encode() + values.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """The streams of a cell, simulated when they are asked for: long ones fit neither on disk nor twice into memory.

    Args:
        cell: The cell, which decides them.
    """

    cell: StreamCell

    def content_hash(self) -> str:
        """Return a hash of what decides the streams, and of the first steps with either policy."""
        plan = self.cell.plan
        short = plan.replace(segment=plan.fault, train=1, calibration=1, test=1, events=())
        policies = dict.fromkeys((self.cell.policy, self.cell.update or self.cell.policy))
        parts = [record_streams(self.cell.replace(plan=short, policy=name)).content_hash() for name in policies]
        return sha256_of("".join([self.cell.source, *parts]))

    def record(self) -> Streams:
        """Simulate the streams."""
        return record_streams(self.cell)


def record_streams(cell: StreamCell) -> Streams:
    """Simulate the streams of a cell and their twins, side by side in one batch."""
    plan, n = cell.plan, cell.plan.streams
    seeds = plan.seed + cell.seed * SPACING + np.arange(n)
    injected = [draw_faults(cell, int(seed)) for seed in seeds]
    shares = cell.condition.shares(plan.segments, plan.event_segments, plan.cycle)
    updated = cell.condition.updated(plan.segments, plan.event_segments)
    policies = [acting_policy(name, cell.world) for name in (cell.policy, cell.update or cell.policy)]
    both = np.tile(seeds, 2)
    streams = [Stream.named(int(seed), 0, SEGMENTS).generator() for seed in both]
    noise = np.stack([random.integers(0, 2**40, plan.segments) for random in streams])
    world = ContinuingWorld(make_world(cell.world, 2 * n), both, cell.time_limit)
    recorded: list[list[Episode]] = [[] for _ in range(2 * n)]
    try:
        for number in range(plan.segments):
            nominal = _nominal_faults(cell, float(shares[number]))
            faults = [nominal + _faults_in(cell, each, number) for each in injected] + [nominal] * n
            episodes = rollout(
                lambda _: world, policies[updated[number]], noise[:, number], faults, max_steps=plan.steps + 1
            )
            for row, episode in enumerate(episodes):
                recorded[row].append(_segment(episode, len(nominal)))
    finally:
        world.end()
    restarts = [
        np.array([_stream_step(step, plan.steps) for place, step in world.restarts if place == row], np.int64)
        for row in range(2 * n)
    ]
    return Streams(recorded[:n], recorded[n:], injected, restarts, shares)


def draw_faults(cell: StreamCell, seed: int) -> list[InjectedFault]:
    """Return the faults of a stream: where they are does not depend on how nominal operation changes.

    A segment of the test has at most one fault, at a random step. Segments after an event have none, in all conditions.
    """
    plan, random = cell.plan, Stream.named(seed, 0, FAULTS).generator()
    duration = plan.fault * plan.unit
    quiet = {first + k for first in plan.event_segments.tolist() for k in range(plan.recalibration)}
    found = []
    for segment in range(plan.first_test, plan.segments):
        happens, kind = random.random() < plan.chance, int(random.integers(len(cell.faults)))
        onset = (segment - plan.first_test) * plan.steps + int(random.integers(plan.steps - duration + 1))
        if happens and segment not in quiet:
            fault = cell.faults[kind]
            found.append(InjectedFault(f"{fault.anomaly}@{fault.level}", kind, onset, onset + duration))
    return found


def _nominal_faults(cell: StreamCell, share: float) -> tuple[Fault, ...]:
    """Return the anomalies that are part of nominal operation in a segment."""
    acting = [Fault(each.anomaly, each.parameters[cell.world], schedule="start") for each in cell.background]
    for world, anomaly in cell.condition.anomalies.items():
        full, neutral = cell.condition.parameters[world], neutral_parameter(world, anomaly)
        acting.append(Fault(anomaly, neutral + share * (full - neutral), schedule="start"))
    return tuple(acting)


def neutral_parameter(world: str, anomaly: str) -> float:
    """Return the parameter without effect of an anomaly in a world.

    Example:
        >>> (
        ...     neutral_parameter("OOD-CartPole-v0", "dynamics/gravity"),
        ...     neutral_parameter("OOD-CartPole-v0", "action/scaling"),
        ... )
        (9.8, 1.0)
    """
    target, _, name = anomaly.partition("/")
    if target == "dynamics":
        return make_world(world, 1).physics_parameter(name).neutral
    return Fault(anomaly, 1.0).kind.neutral


def _faults_in(cell: StreamCell, injected: list[InjectedFault], segment: int) -> tuple[Fault, ...]:
    """Return the faults of a stream in a segment; the first step of a rollout is not part of the segment."""
    plan, faults = cell.plan, []
    first = (segment - plan.first_test) * plan.steps
    for each in injected:
        if first <= each.onset < first + plan.steps:
            schedule = Schedule(each.onset - first + 1, each.end - each.onset)
            kind = cell.faults[each.number]
            faults.append(Fault(kind.anomaly, kind.parameters[cell.world], schedule=schedule))
    return tuple(faults)


def _segment(episode: Episode, nominal: int) -> Episode:
    """Return what detectors get: no first step, in which sensors do not drift yet; only the fault is labelled."""
    own = episode.events[nominal:]
    active = np.zeros(len(episode) - 1, np.bool_)
    for event in own:
        active[event.onset - 1 : len(episode) if event.end is None else event.end - 1] = True
    return Episode(episode.observations[1:].copy(), episode.actions[1:].copy(), episode.rewards[1:].copy(), active)


def _stream_step(step: int, steps: int) -> int:
    """Return the step of the stream, without the first step of each rollout."""
    segment, within = divmod(step, steps + 1)
    return segment * steps + max(within - 1, 0)
