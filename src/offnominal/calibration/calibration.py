"""Calibration: the fault parameters of the strengths tiny, medium, strong and extreme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.agents.experts import expert
from offnominal.agents.files import TrainedPolicy, policy_hash
from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.catalogue import anomalies_with, make_anomaly
from offnominal.anomalies.strengths import CALIBRATED, LEVELS, Strength
from offnominal.calibration.axis import Axis, axes
from offnominal.calibration.cost import (
    FRESH_OTHER_ONSET,
    REFERENCES_PER_FRESH,
    CalibrationCost,
    EpisodeProgress,
    fitted_sizes,
    most_episodes,
    most_per_axis,
    timed_cost,
)
from offnominal.calibration.sampler import FRESH_SEED, SEARCH_SEED, STARTS, Sampler, ignore
from offnominal.calibration.search import SearchResult, StrengthSearch
from offnominal.calibration.statistics import Measurement, mean
from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, InvalidState, UnknownName
from offnominal.core.job_processes import current_job, processes_for
from offnominal.core.policy import Policy
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array
from offnominal.worlds.catalogue import has_threads, worlds
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.vector_env_world import VectorEnvWorld
from offnominal.worlds.world import World
from offnominal.worlds.world_source import WorldSource, is_given, open_world

FRESH = 2000
BUDGET = 1600
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
    max_episodes: int | None = None,
    max_steps: int | None = None,
    workers: int = 1,
    on_cost: Callable[[CalibrationCost], None] | None = None,
    done: Iterable[Strength] = (),
    report: Callable[[list[Strength]], None] = lambda strengths: None,
    **options: Any,
) -> list[Strength]:
    """Return the fault parameters at which faults reduce the normalised score to given levels.

    Args:
        world: As for :func:`~offnominal.rollouts.collect`: an id, an environment, a function that makes one, or a
            vector environment.
        policy: Policy whose return is measured; the world's shipped expert if None.
        anomalies: Ids of the anomalies; all of the world if None.
        levels: Levels of the normalised score, with or without names; the four standard ones if None.
        onset: ``"start"``: the fault is active for the whole episode; ``"dataset"``: it has a random onset.
        budget: Largest number of faulty episodes per level, without those that bracket all levels.
        fresh: Number of new episodes on which each parameter is evaluated.
        max_episodes: Largest number of episodes of the whole calibration: references, nominal twins, search and new
            episodes. `budget` and `fresh` are reduced in proportion until it is kept.
        max_steps: Time limit; the world's own if None.
        workers: Number of processes that calibrate different anomalies at the same time. The results do not depend on
            it. With several, the world must be an id or a function of an importable module.
        on_cost: Called with the largest cost before anything but a few episodes is simulated; an exception that it
            raises ends the calibration. :func:`calibration_cost` returns the same.
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
    if positive_integer("workers", workers) > 1 and is_given(world):
        raise InvalidParameter(
            "several workers need a function that makes the environment, or its id; an environment exists once."
        )
    positive_integer("budget", budget)
    named = _named_levels(levels)
    with open_world(world, 1, **options) as sample:
        id = sample.card.id
        if policy is None:
            policy = _expert(id)
        directions = _directions(sample, anomalies)
        foreign = isinstance(sample, GymnasiumWorld | VectorEnvWorld)
    budget, fresh = fitted_sizes(directions, len(named), budget, fresh, max_episodes)
    references = REFERENCES_PER_FRESH * fresh
    starts = min(STARTS, references) if foreign else STARTS
    sampler = Sampler(world, policy, references=references, starts=starts, max_steps=max_steps, **options)
    if on_cost is not None:
        on_cost(timed_cost(sampler, directions, len(named), budget, fresh, workers=workers))
    job = _Calibration(id, sampler, named, onset, budget, fresh, _policy_hash(policy))
    found: dict[Axis, list[Strength]] = {}
    kept = [line for line in done if job.made(line)]
    for axis in directions:
        key = (axis.anomaly, _direction(axis))
        earlier = [line for line in kept if (line.anomaly, line.direction) == key and line.level in named]
        if len(earlier) == len(named):
            found[axis] = earlier
    missing = [axis for axis in directions if axis not in found]
    most = {axis: most_per_axis(axis, len(named), budget, fresh) for axis in missing}
    with progress(f"Calibrating {id}, episodes", total=most_episodes(missing, len(named), budget, fresh)) as tick:
        simulated = EpisodeProgress(tick)
        sampler.on_episodes = simulated
        if missing:
            sampler.prepare()
        for axis, lines in job.results(missing, workers):
            found[axis] = lines
            report(lines)
            simulated.end(most[axis], axis.label)
    return [line for axis in directions for line in found[axis]]


def calibration_cost(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array] | None = None,
    **arguments: Any,
) -> CalibrationCost:
    """Return the largest cost of :func:`calibrate` with the same arguments; only a few episodes are simulated.

    Example:
        >>> cost = calibration_cost("SAP-Goal0-v0", anomalies=["action/offset"], levels=[0.9], max_episodes=5000)
        >>> cost.episodes <= 5000, cost.fresh
        (True, 196)
    """
    found: list[CalibrationCost] = []

    def keep(cost: CalibrationCost) -> None:
        found.append(cost)
        raise _Stop

    with suppress(_Stop):
        calibrate(world, policy, **{**arguments, "on_cost": keep})
    return found[0]


class _Stop(Exception):
    """Ends a calibration after its cost is known."""


def _expert(id: str) -> Policy:
    try:
        return expert(id)
    except UnknownName:
        if id in worlds:
            raise
        raise InvalidParameter(f"{id} has no shipped expert; give the policy whose return is measured.") from None


def _directions(sample: World, anomalies: Iterable[str | Anomaly] | None) -> list[Axis]:
    """Return the axes of some anomalies, or of all of a world."""
    discrete = isinstance(sample.action_space, Discrete)
    given = anomalies or anomalies_with(sample.physics_parameters, discrete=discrete)
    return [axis for anomaly in given for axis in axes(make_anomaly(anomaly), sample)]


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
        sampler.on_episodes = ignore
        if has_threads(sampler.world):
            sampler.options = {**sampler.options, "threads": 1}
        job = replace(self, sampler=sampler)
        with processes_for(job, workers, needs="an environment and a policy") as pool:
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
        sizes = dict.fromkeys(ONSETS, min(self.fresh, FRESH_OTHER_ONSET))
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
