"""Calibration: the fault parameters of the strengths tiny, medium, strong and extreme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.agents.experts import expert
from offnominal.agents.files import TrainedPolicy, policy_hash
from offnominal.agents.policy import Policy
from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.catalogue import anomalies_with, make_anomaly
from offnominal.anomalies.strengths import CALIBRATED, LEVELS, Strength
from offnominal.calibration.axis import Axis, axes
from offnominal.calibration.sampler import FRESH_SEED, SEARCH_SEED, Sampler
from offnominal.calibration.search import SearchResult, StrengthSearch
from offnominal.calibration.statistics import Measurement, mean
from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.job_processes import current_job, processes_for
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array
from offnominal.worlds.world_source import WorldSource, build_world

FRESH = 2000
FRESH_DATASET = 500
BUDGET = 1600
REFERENCES_PER_FRESH = 8
LARGEST_ERROR = 0.05
"""Largest distance between the score on new episodes and the level."""
ONSETS = {"start": "start", "dataset": "random"}


def calibrate(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array] | None = None,
    *,
    anomalies: Iterable[str | Anomaly] | None = None,
    levels: Mapping[str, float] | Iterable[float] | None = None,
    onset: str = "start",
    budget: int = BUDGET,
    fresh: int = FRESH,
    workers: int = 1,
    done: Iterable[Strength] = (),
    report: Callable[[list[Strength]], None] = lambda strengths: None,
    **options: Any,
) -> list[Strength]:
    """Return the fault parameters at which faults reduce the normalised score to given levels.

    Args:
        world: Id of a world, or a function from a number of rows to a world.
        policy: Policy whose return is measured; the world's shipped expert if None.
        anomalies: Ids of the anomalies; all of the world if None.
        levels: Levels of the normalised score, with or without names; the four standard ones if None.
        onset: ``"start"``: the fault is active for the whole episode; ``"dataset"``: it has a random onset.
        budget: Largest number of faulty episodes per level, without those that bracket all levels.
        fresh: Number of new episodes on which each parameter is evaluated.
        workers: Number of processes that calibrate different anomalies at the same time. The results do not depend on
            it. With several, the world must be an id or a function of an importable module.
        done: Results of an interrupted run, which are not calibrated again.
        report: Called with the results of each anomaly as soon as they are there.
        **options: Options of the world, if it is given by id.

    Returns:
        One strength per anomaly, direction and level.

    Example:
        >>> (line,) = calibrate("SAP-Goal0-v0", anomalies=["action/offset"], levels=[0.75], fresh=500)
        >>> line.attainable, 0.6 < line.parameter < 1.2
        (True, True)
    """
    if onset not in ONSETS:
        raise InvalidParameter(f"onset is {onset!r}; choose from {', '.join(ONSETS)}.")
    positive_integer("workers", workers)
    sample = build_world(world, 1, **options)
    if policy is None:
        policy = expert(sample.card.id)
    named = _named_levels(levels)
    discrete = isinstance(sample.action_space, Discrete)
    chosen = [
        make_anomaly(anomaly) for anomaly in (anomalies or anomalies_with(sample.physics_parameters, discrete=discrete))
    ]
    directions = [axis for anomaly in chosen for axis in axes(anomaly, sample)]
    sampler = Sampler(world, policy, references=REFERENCES_PER_FRESH * fresh, **options)
    job = _Calibration(sample.card.id, sampler, named, onset, budget, fresh, _policy_hash(policy))
    found: dict[Axis, list[Strength]] = {}
    kept = [line for line in done if job.made(line)]
    for axis in directions:
        key = (axis.anomaly, _direction(axis))
        earlier = [line for line in kept if (line.anomaly, line.direction) == key and line.level in named]
        if len(earlier) == len(named):
            found[axis] = earlier
    with progress(f"Calibrating {sample.card.id}", total=len(directions)) as tick:
        tick(len(found))
        for axis, lines in job.results([axis for axis in directions if axis not in found], workers):
            found[axis] = lines
            report(lines)
            tick(note=axis.label)
    return [line for axis in directions for line in found[axis]]


def _named_levels(levels: Mapping[str, float] | Iterable[float] | None) -> dict[str, float]:
    if levels is None:
        return {name: LEVELS[name] for name in CALIBRATED}
    if isinstance(levels, Mapping):
        named = dict(levels)
    else:
        standard = {share: name for name, share in LEVELS.items()}
        named = {standard.get(share, f"{share:g}"): share for share in levels}
    for name, share in named.items():
        if not 0.0 < share < 1.0:
            raise InvalidParameter(f"the level {name} is {share:g}; expected a number between 0 and 1.")
    return dict(sorted(named.items(), key=lambda item: -item[1]))


def _policy_hash(policy: Any) -> str:
    return policy_hash(policy)[:12] if isinstance(policy, TrainedPolicy) else ""


def _direction(axis: Axis) -> str:
    """Return the direction of an axis if the anomaly has two, else an empty string."""
    return "" if axis.anomaly.startswith("dynamics/") else axis.direction


@dataclass(frozen=True)
class _Calibration:
    """Settings that are the same for all axes."""

    world: str
    sampler: Sampler
    levels: dict[str, float]
    onset: str
    budget: int
    fresh: int
    policy: str

    def made(self, line: Strength) -> bool:
        """Whether a result belongs to this calibration."""
        return line.world == self.world and line.policy == self.policy and line.onset == self.onset

    def results(self, directions: list[Axis], workers: int) -> Iterator[tuple[Axis, list[Strength]]]:
        """Calibrate axes in this process or in several, and return each one's strengths when they are found."""
        if min(workers, len(directions)) < 2:
            yield from ((axis, self.strengths(axis)) for axis in directions)
            return
        self.sampler.simulate_nominal(SEARCH_SEED, self.budget)
        self.sampler.simulate_nominal(FRESH_SEED, self.fresh)
        sampler = copy(self.sampler)
        sampler.options = {**sampler.options, "threads": 1} if isinstance(sampler.world, str) else sampler.options
        job = replace(self, sampler=sampler)
        with processes_for(job, workers, needs="a world and a policy") as pool:
            pending = {pool.submit(_strengths, axis): axis for axis in directions}
            try:
                for future in as_completed(pending):
                    yield pending[future], future.result()
            except BrokenProcessPool as error:
                raise InvalidState("a calibration process ended; memory may be short: choose fewer workers.") from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def strengths(self, axis: Axis) -> list[Strength]:
        """Return one result per level, the weakest fault first."""
        search = StrengthSearch(self.sampler, axis, onset=ONSETS[self.onset], budget=self.budget)
        search.scan(min(self.levels.values()))
        shared = len(search.scores) // len(self.levels)
        lines: list[Strength] = []
        lowest_reached = False
        for name, level in self.levels.items():
            if lowest_reached:
                lines.append(lines[-1].replace(level=name, target=level, episodes=0))
                continue
            found = search.find(level)
            lines.append(self._line(axis, name, level, found, shared))
            lowest_reached = not found.attainable and not axis.integer
        return lines

    def _line(self, axis: Axis, name: str, level: float, found: SearchResult, shared: int) -> Strength:
        """Return the result of a level, evaluated on new episodes; on fewer if the level is not attained."""
        sizes = dict.fromkeys(ONSETS, min(self.fresh, FRESH_DATASET))
        if found.attainable:
            sizes[self.onset] = self.fresh
        start, later = (self._evaluate(axis, found, ONSETS[onset], sizes[onset]) for onset in ("start", "dataset"))
        measured = start if self.onset == "start" else later
        problem = _problem(measured, level) if found.attainable else found.note
        return Strength(
            world=self.world,
            anomaly=axis.anomaly,
            direction=_direction(axis),
            level=name,
            target=level,
            attainable=found.attainable and not problem,
            parameter=float(axis.parameter(np.array([found.distance]))[0]),
            score=start.value,
            low=start.interval[0],
            high=start.interval[1],
            dataset_score=later.value,
            dataset_low=later.interval[0],
            dataset_high=later.interval[1],
            onset=self.onset,
            episodes=found.episodes + shared,
            fresh=sizes[self.onset],
            policy=self.policy,
            note=problem or found.note,
        )

    def _evaluate(self, axis: Axis, found: SearchResult, onset: str, n: int) -> Measurement:
        """Return the score on new episodes."""
        scores = self.sampler.faulty(axis, np.full(n, found.distance), FRESH_SEED, onset)
        return mean(scores, self.sampler.control_variates(FRESH_SEED, n))


def _problem(measured: Measurement, level: float) -> str:
    """Return why a parameter that the search found does not have its level on new episodes, or an empty string."""
    low, high = measured.interval
    if high >= 1.0:
        return "no harm can be told from none"
    if abs(measured.value - level) > max(LARGEST_ERROR, high - low):
        return f"the score jumps past the level, to {measured.value:.3f}"
    return ""


def _strengths(axis: Axis) -> list[Strength]:
    lines: list[Strength] = current_job().strengths(axis)
    return lines
