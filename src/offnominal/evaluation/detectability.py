"""Strengths of equal detectability: the fault parameters at which a simple detector has given AUROCs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.matched_strengths import DETECTABILITY, MatchedStrength
from offnominal.anomalies.schedule import Schedule
from offnominal.calibration.axis import Axis, axes_of
from offnominal.calibration.calibration import chosen_policies, hashes_of
from offnominal.calibration.sampler import AnyPolicy
from offnominal.calibration.statistics import first_crossing
from offnominal.core.checks import positive_integer
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, SimulationDiverged
from offnominal.core.job_processes import current_job, results_of
from offnominal.core.progress_bar import progress
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.detectors.catalogue import make_detector
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.time_matched import measure_time_matched
from offnominal.rollouts.collection import rollout
from offnominal.worlds.catalogue import has_threads
from offnominal.worlds.world_source import WorldSource, is_given, open_world

DETECTOR = "Mahalanobis"
TRAIN_SEED, NOMINAL_SEED, SEARCH_SEED, FRESH_SEED = (120_000_000 + 1_000_000 * index for index in range(4))
ROUNDS = 2
"""Rounds of the search around a crossing; the window halves in each."""
POINTS = 5
"""Parameters per round."""
LARGEST_ERROR = 0.05
"""Largest distance of the AUROC on fresh episodes from the level, unless half the interval is wider."""
ENOUGH = 0.05
"""The scan ends when the AUROC is that much above all levels."""


def match_detectability(
    world: WorldSource,
    policy: AnyPolicy | Sequence[AnyPolicy] | None = None,
    *,
    anomalies: Iterable[str | Anomaly] | None = None,
    levels: Mapping[str, float] | None = None,
    nominal: int = 100,
    episodes: int = 30,
    fresh: int = 200,
    max_steps: int | None = None,
    workers: int = 1,
    done: Iterable[MatchedStrength] = (),
    report: Callable[[list[MatchedStrength]], None] = lambda lines: None,
    **options: Any,
) -> list[MatchedStrength]:
    """Return the fault parameters at which a Mahalanobis distance has given time-matched AUROCs.

    The detector has default settings and is fitted on nominal episodes of all policies together. Faults have random
    onsets, as in the datasets, and the policies take turns. Only plausible parameters are searched; the weakest with
    the AUROC is taken.

    Args:
        world: As for :func:`~offnominal.rollouts.collect`.
        policy: Policy, or several; the world's shipped expert if None.
        anomalies: Ids of the anomalies; all of the world if None.
        levels: AUROC of each level; 0.6, 0.75 and 0.9 if None.
        nominal: Number of nominal episodes for the fit, 100 as in the recipes. The AUROC depends on it: noise in
            SAP-Goal0 that 100 episodes give 0.68 has 0.79 with 200 and 0.98 with 1,000.
        episodes: Number of faulty episodes per parameter in the search.
        fresh: Number of new faulty episodes on which the parameter is evaluated, and of nominal ones that faulty ones
            are compared with.
        max_steps: Time limit; the world's own if None.
        workers: Number of processes; the results do not depend on it. With several, the world must be an id or a
            function of an importable module.
        done: Results of an interrupted run, which are not searched again.
        report: Called with the results of each anomaly as soon as they are there.
        **options: Options of the world, if it is given by id.

    Returns:
        One line per anomaly, direction and level.

    Example:
        >>> lines = match_detectability("SAP-Goal0-v0", anomalies=["observation/noise"], nominal=40, fresh=60)
        >>> [line.name for line in lines], lines[0].parameter < lines[2].parameter
        (['auroc-60', 'auroc-75', 'auroc-90'], True)
    """
    for name, size in {"workers": workers, "nominal": nominal, "episodes": episodes, "fresh": fresh}.items():
        positive_integer(name, size)
    if workers > 1 and is_given(world):
        raise InvalidParameter(
            "several workers need a function that makes the environment, or its id; an environment exists once."
        )
    named = _sorted_levels(levels)
    with open_world(world, 1, **options) as sample:
        id = sample.card.id
        policies = chosen_policies(id, policy)
        axes = axes_of(sample, anomalies)
    job = _Matching(id, world, policies, named, nominal, episodes, fresh, max_steps, options)
    kept = [line for line in done if (line.world, line.policies) == (id, hashes_of(policies))]
    found: dict[Axis, list[MatchedStrength]] = {}
    for axis in axes:
        key = (axis.anomaly, axis.named_direction)
        earlier = [line for line in kept if (line.anomaly, line.direction) == key and line.level in named]
        if len(earlier) == len(named):
            found[axis] = earlier
    missing = [axis for axis in axes if axis not in found]
    with progress(f"Matching {id}, anomalies", total=len(missing)) as tick:
        if missing:
            job.prepare()
        for axis, lines in job.results(missing, workers):
            found[axis] = lines
            report(lines)
            tick(1, note=axis.label)
    return [line for axis in axes for line in found[axis]]


def _sorted_levels(levels: Mapping[str, float] | None) -> dict[str, float]:
    named = DETECTABILITY if levels is None else dict(levels)
    for name, auroc in named.items():
        if not 0.5 < auroc < 1.0:
            raise InvalidParameter(f"the level {name} is {auroc:g}; expected an AUROC between 0.5 and 1.")
    return dict(sorted(named.items(), key=lambda item: item[1]))


@dataclass
class _Matching:
    """Settings that are the same for all axes, the fitted detector and the scores of nominal episodes."""

    id: str
    world: WorldSource
    policies: tuple[AnyPolicy, ...]
    levels: dict[str, float]
    nominal: int
    episodes: int
    fresh: int
    max_steps: int | None
    options: dict[str, Any]

    def prepare(self) -> None:
        """Fit the detector and score the nominal episodes."""
        self.detector = make_detector(DETECTOR).fit(self._simulated(TRAIN_SEED, [()] * self.nominal))
        self.scores = self.detector.score(self._simulated(NOMINAL_SEED, [()] * self.fresh))

    def results(self, axes: list[Axis], workers: int) -> Iterator[tuple[Axis, list[MatchedStrength]]]:
        """Search axes in this process or in several, and return each one's lines when they are found."""
        if min(workers, len(axes)) < 2:
            yield from ((axis, self.lines(axis)) for axis in axes)
            return
        job = copy(self)
        if has_threads(self.world):
            job.options = {**self.options, "threads": 1}
        yield from results_of(_lines, axes, job, workers, needs="an environment and a policy")

    def lines(self, axis: Axis) -> list[MatchedStrength]:
        """Return one line per level, the weakest fault first."""
        distances, aurocs = self._scan(axis)
        shared = self.episodes * len(distances) // len(self.levels)
        lines: list[MatchedStrength] = []
        for name, target in self.levels.items():
            line = self._line(axis, name, target, distances, aurocs, shared)
            weaker = [axis.distance(other.parameter) for other in lines if other.attainable]
            if line.attainable and weaker and axis.distance(line.parameter) <= max(weaker):
                line = line.replace(attainable=False, note="it cannot be told from a weaker level")
            lines.append(line)
        return lines

    def _scan(self, axis: Axis) -> tuple[FloatArray, FloatArray]:
        """Return the distances of the axis and the AUROC at each, up to one above all levels."""
        distances: list[float] = []
        aurocs: list[float] = []
        for distance in axis.grid().tolist():
            try:
                auroc = self.auroc(axis, distance, SEARCH_SEED, self.episodes, replicates=0).value
            except SimulationDiverged:
                break
            distances.append(distance)
            aurocs.append(np.nan if auroc is None else auroc)
            if aurocs[-1] > max(self.levels.values()) + ENOUGH:
                break
        usable = np.isfinite(aurocs)
        return np.array(distances)[usable], np.array(aurocs)[usable]

    def _line(
        self, axis: Axis, name: str, target: float, distances: FloatArray, aurocs: FloatArray, shared: int
    ) -> MatchedStrength:
        """Return the line of a level, evaluated on new episodes."""
        distance, note, spent = self._found(axis, target, distances, aurocs)
        measured = self.auroc(axis, distance, FRESH_SEED, self.fresh)
        value = np.nan if measured.value is None else measured.value
        low, high = (np.nan if end is None else end for end in (measured.low, measured.high))
        if not note and not abs(value - target) <= max(LARGEST_ERROR, (high - low) / 2.0):
            note = f"the AUROC jumps past the level, to {fixed(value, 3)}"
        return MatchedStrength(
            world=self.id,
            anomaly=axis.anomaly,
            direction=axis.named_direction,
            level=name,
            target=target,
            attainable=not note,
            parameter=float(axis.parameter(np.array([distance]))[0]),
            auroc=value,
            low=low,
            high=high,
            limit=float(axis.parameter(np.array([axis.longest]))[0]) if np.isfinite(axis.longest) else np.nan,
            episodes=shared + spent,
            fresh=self.fresh,
            policies=hashes_of(self.policies),
            note=note,
        )

    def _found(self, axis: Axis, target: float, distances: FloatArray, aurocs: FloatArray) -> tuple[float, str, int]:
        """Return the weakest distance with an AUROC, why there is none, and the number of episodes."""
        if not len(distances):
            return float(axis.grid()[0]), "the simulation breaks down, or no fault lasts a step", 0
        x = first_crossing(np.log(distances), -aurocs, np.ones_like(aurocs), -target)
        if x is None:
            best = int(np.argmax(aurocs))
            why = f"; at most {axis.reason}" if axis.reason else ""
            return float(distances[best]), f"no fault along this axis is easier to detect{why}", 0
        if axis.integer:
            return float(distances[np.argmin(np.abs(aurocs - target))]), "", 0
        width = axis.spacing
        spent = 0
        for _ in range(ROUNDS):
            logs = np.minimum(x + width * np.linspace(-1.0, 1.0, POINTS), np.log(axis.longest))
            seed = SEARCH_SEED + self.episodes + spent
            tried = [self.auroc(axis, each, seed, self.episodes, replicates=0).value for each in np.exp(logs)]
            spent += POINTS * self.episodes
            heights = np.array([0.5 if each is None else each for each in tried])
            again = first_crossing(logs, -heights, np.ones_like(heights), -target)
            x = float(logs[np.argmax(heights)]) if again is None else again
            width /= 2.0
        return axis.rounded(float(np.exp(x))), "", spent

    def auroc(self, axis: Axis, distance: float, seed: int, episodes: int, *, replicates: int = 1000) -> Estimate:
        """Return the time-matched AUROC at a distance."""
        fault = Fault(axis.anomaly, float(axis.parameter(np.array([distance]))[0]), Schedule())
        faulty = self._simulated(seed, [(fault,)] * episodes)
        labels = [episode.active for episode in faulty]
        if not any(each.any() for each in labels):
            return Estimate(None)
        return measure_time_matched(self.detector.score(faulty), labels, self.scores, replicates=replicates).auroc

    def _simulated(self, seed: int, faults: list[tuple[Fault, ...]]) -> list[Episode]:
        """Return one episode per entry; the policies take turns."""
        count = len(self.policies)
        rows: list[Episode | None] = [None] * len(faults)
        for index, policy in enumerate(self.policies):
            chosen = np.arange(index, len(faults), count)
            if len(chosen):
                made = rollout(
                    self.world,
                    policy,
                    seed + chosen,
                    [faults[each] for each in chosen],
                    max_steps=self.max_steps,
                    **self.options,
                )
                for each, episode in zip(chosen, made, strict=True):
                    rows[each] = episode
        return [episode for episode in rows if episode is not None]


def _lines(axis: Axis) -> list[MatchedStrength]:
    found: list[MatchedStrength] = current_job().lines(axis)
    return found
