"""Calibration: the fault parameters of the strengths tiny, medium, strong and extreme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offnominal.agents.experts import expert
from offnominal.agents.files import TrainedPolicy, policy_hash
from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.strengths import CALIBRATED, LEVELS, Strength
from offnominal.calibration.axis import Axis, axes_of
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
from offnominal.calibration.sampler import FRESH_SEED, SEARCH_SEED, STARTS, AnyPolicy, Sampler, ignore
from offnominal.calibration.search import SearchResult, StrengthSearch
from offnominal.calibration.signal_ratio import SignalRatio
from offnominal.calibration.statistics import PolicyMean, mean, mean_over_policies
from offnominal.core.checks import number_in, positive_integer
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.job_processes import current_job, results_of
from offnominal.core.policy import Policy
from offnominal.core.progress_bar import progress
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.worlds.catalogue import has_threads, worlds
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.vector_env_world import VectorEnvWorld
from offnominal.worlds.world_source import WorldSource, is_given, open_world

FRESH = 2000
LARGEST_HALF_WIDTH = 0.02
"""Half the width of an interval above which more new episodes are simulated."""
MOST_PER_FRESH = 4
"""Largest number of new episodes per level, in units of `fresh`."""
BUDGET = 1600
LARGEST_ERROR = 0.05
"""Largest distance between the score on new episodes and the level."""
ONSETS = {"start": "start", "dataset": "random"}


def calibrate(
    world: WorldSource,
    policy: AnyPolicy | Sequence[AnyPolicy] | None = None,
    *,
    anomalies: Iterable[str | Anomaly] | None = None,
    levels: Mapping[str, float] | Iterable[float] | None = None,
    onset: str = "start",
    budget: int = BUDGET,
    fresh: int = FRESH,
    half_width: float = LARGEST_HALF_WIDTH,
    most_fresh: int | None = None,
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
        policy: Policy whose return is measured, or several; the world's shipped expert if None. With several, the score
            is the mean of theirs, each relative to its own nominal return.
        anomalies: Ids of the anomalies; all of the world if None.
        levels: Levels of the normalised score, with or without names; the four standard ones if None.
        onset: ``"start"``: the fault is active for the whole episode; ``"dataset"``: it has a random onset.
        budget: Largest number of faulty episodes per level, without those that bracket all levels.
        fresh: Number of new episodes on which each parameter is evaluated at first.
        half_width: As long as half the width of the score's interval is larger, the number of new episodes is doubled.
        most_fresh: Largest number of new episodes per level; four times `fresh` if None.
        max_episodes: Largest number of episodes of the whole calibration: references, nominal twins, search and new
            episodes. `budget` and `fresh` are reduced in proportion until it is kept, and `most_fresh` is `fresh`.
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
    number_in("half_width", half_width, 0.0)
    named = _named_levels(levels)
    with open_world(world, 1, **options) as sample:
        id = sample.card.id
        policies = chosen_policies(id, policy)
        directions = axes_of(sample, anomalies)
        foreign = isinstance(sample, GymnasiumWorld | VectorEnvWorld)
    budget, fresh = fitted_sizes(directions, len(named), budget, fresh, max_episodes, len(policies))
    if len(policies) > 1 and fresh < 2 * len(policies):
        raise InvalidParameter(
            f"there are {fresh} new episodes for {len(policies)} policies; each needs two at least: raise fresh or "
            "max_episodes."
        )
    if max_episodes is not None:
        most_fresh = fresh
    elif most_fresh is None:
        most_fresh = MOST_PER_FRESH * fresh
    most_fresh = max(fresh, positive_integer("most_fresh", most_fresh))
    references = max(REFERENCES_PER_FRESH * fresh, most_fresh)
    starts = min(STARTS, references) if foreign else STARTS
    sampler = Sampler(world, policies, references=references, starts=starts, max_steps=max_steps, **options)
    signals = SignalRatio(world, policies, max_steps=max_steps, **options)
    if on_cost is not None:
        on_cost(timed_cost(sampler, directions, len(named), budget, most_fresh, workers=workers))
    job = _Calibration(id, sampler, named, onset, budget, fresh, most_fresh, half_width, hashes_of(policies), signals)
    found: dict[Axis, list[Strength]] = {}
    kept = [line for line in done if job.made(line)]
    for axis in directions:
        key = (axis.anomaly, axis.named_direction)
        earlier = [line for line in kept if (line.anomaly, line.direction) == key and line.level in named]
        if len(earlier) == len(named):
            found[axis] = earlier
    missing = [axis for axis in directions if axis not in found]
    sizes = (len(named), budget, most_fresh, len(policies))
    most = {axis: most_per_axis(axis, *sizes) for axis in missing}
    with progress(f"Calibrating {id}, episodes", total=most_episodes(missing, *sizes)) as tick:
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
    policy: AnyPolicy | Sequence[AnyPolicy] | None = None,
    **arguments: Any,
) -> CalibrationCost:
    """Return the largest cost of :func:`calibrate` with the same arguments; only a few episodes are simulated.

    Example:
        >>> cost = calibration_cost("SAP-Goal0-v0", anomalies=["action/offset"], levels=[0.9], max_episodes=5000)
        >>> cost.episodes <= 5000, cost.fresh
        (True, 204)
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


def chosen_policies(id: str, policy: AnyPolicy | Sequence[AnyPolicy] | None) -> tuple[AnyPolicy, ...]:
    """Return the given policies, or the shipped expert of a world."""
    if policy is None:
        return (_expert(id),)
    policies = tuple(policy) if isinstance(policy, list | tuple) else (policy,)
    if not policies:
        raise InvalidParameter("the list of policies is empty; give at least one.")
    return policies


def hashes_of(policies: Iterable[Any]) -> str:
    """Return the first digits of the SHA-256 of each policy that has weights, as one text."""
    return " ".join(policy_hash(each)[:12] for each in policies if isinstance(each, TrainedPolicy))


@dataclass(frozen=True)
class _Calibration:
    """Settings that are the same for all axes."""

    world: str
    sampler: Sampler
    levels: dict[str, float]
    onset: str
    budget: int
    fresh: int
    most_fresh: int
    half_width: float
    policies: str
    signals: SignalRatio

    def made(self, line: Strength) -> bool:
        """Whether a result belongs to this calibration."""
        return line.world == self.world and line.policies == self.policies and line.onset == self.onset

    def results(self, directions: list[Axis], workers: int) -> Iterator[tuple[Axis, list[Strength]]]:
        """Calibrate axes in this process or in several, and return each one's strengths when they are found."""
        if min(workers, len(directions)) < 2:
            yield from ((axis, self.strengths(axis)) for axis in directions)
            return
        self.sampler.simulate_nominal(SEARCH_SEED, self.budget)
        self.sampler.simulate_nominal(FRESH_SEED, self.most_fresh)
        self.signals.prepare()
        sampler = copy(self.sampler)
        sampler.on_episodes = ignore
        if has_threads(sampler.world):
            sampler.options = {**sampler.options, "threads": 1}
        signals = copy(self.signals)
        signals.options = sampler.options
        job = replace(self, sampler=sampler, signals=signals)
        yield from results_of(_strengths, directions, job, workers, needs="an environment and a policy")

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
            line = self._line(axis, name, level, found, shared)
            stronger = all(self._is_stronger(axis, line, other) for other in lines if other.attainable)
            if line.attainable and not stronger:
                line = line.replace(attainable=False, note="it cannot be told from a weaker level")
            lines.append(line)
            lowest_reached = not found.attainable and not axis.integer
        return lines

    def _line(self, axis: Axis, name: str, level: float, found: SearchResult, shared: int) -> Strength:
        """Return the result of a level, evaluated on new episodes; on fewer if the level is not attained."""
        few = min(self.fresh, FRESH_OTHER_ONSET)
        measured = {
            onset: self._evaluate(axis, found, ONSETS[onset], few, few) for onset in ONSETS if onset != self.onset
        }
        sizes = (self.fresh, self.most_fresh) if found.attainable else (few, few)
        measured[self.onset] = self._evaluate(axis, found, ONSETS[self.onset], *sizes)
        score, later, (own, episodes) = measured["start"][0], measured["dataset"][0], measured[self.onset]
        problem = _problem(own, level) if found.attainable else found.note
        attainable = found.attainable and not problem
        parameter = float(axis.parameter(np.array([found.distance]))[0])
        signal, largest = self.signals.of(axis.anomaly, parameter) if attainable else (np.nan, np.nan)
        return Strength(
            world=self.world,
            anomaly=axis.anomaly,
            direction=axis.named_direction,
            level=name,
            target=level,
            attainable=attainable,
            parameter=parameter,
            score=score.value,
            low=score.interval[0],
            high=score.interval[1],
            deviation=own.deviation,
            population_low=own.population_interval[0],
            population_high=own.population_interval[1],
            dataset_score=later.value,
            dataset_low=later.interval[0],
            dataset_high=later.interval[1],
            signal=signal,
            largest_signal=largest,
            limit=float(axis.parameter(np.array([axis.longest]))[0]) if np.isfinite(axis.longest) else np.nan,
            onset=self.onset,
            episodes=found.episodes + shared,
            fresh=episodes,
            policies=self.policies,
            note=problem or found.note,
        )

    def _is_stronger(self, axis: Axis, line: Strength, other: Strength) -> bool:
        """Whether a fault is farther from neutral than another, and costs more."""
        scores = [each.score if self.onset == "start" else each.dataset_score for each in (line, other)]
        return axis.distance(line.parameter) > axis.distance(other.parameter) and scores[0] < scores[1]

    def _evaluate(self, axis: Axis, found: SearchResult, onset: str, least: int, most: int) -> tuple[PolicyMean, int]:
        """Return the score on new episodes and their number, which doubles until the interval is narrow."""
        scores = np.empty(0)
        size = least
        while True:
            more = np.full(size - len(scores), found.distance)
            scores = np.concatenate([scores, self.sampler.faulty(axis, more, FRESH_SEED + len(scores), onset)])
            measured = self._mean(scores)
            low, high = measured.interval
            if high - low <= 2.0 * self.half_width or size >= most:
                return measured, size
            size = min(2 * size, most)

    def _mean(self, scores: FloatArray) -> PolicyMean:
        """Return the mean over policies of scores of new episodes."""
        sampler, variates = self.sampler, self.sampler.control_variates(FRESH_SEED, len(scores))
        which = sampler.policy_of(FRESH_SEED, len(scores))
        each = []
        for index in range(len(sampler.policies)):
            own = variates[which == index]
            varies = np.ptp(own, axis=0) > 0.0
            varies[0] = True
            each.append(mean(scores[which == index], own[:, varies]))
        return mean_over_policies(each, sampler.reference_errors, sampler.random_errors)


def _problem(measured: PolicyMean, level: float) -> str:
    """Return why a parameter that the search found does not have its level on new episodes, or an empty string."""
    low, high = measured.interval
    if high >= 1.0:
        return "no harm can be told from none"
    if abs(measured.value - level) > max(LARGEST_ERROR, high - low):
        return f"the score jumps past the level, to {fixed(measured.value, 3)}"
    return ""


def _strengths(axis: Axis) -> list[Strength]:
    lines: list[Strength] = current_job().strengths(axis)
    return lines
