"""Search for the fault parameters with given scores along one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from offnominal.calibration.axis import Axis
from offnominal.calibration.sampler import SEARCH_SEED, Sampler
from offnominal.calibration.statistics import (
    Measurement,
    adjusted,
    crossing,
    falling,
    first_crossing,
    mean,
    parabola,
)
from offnominal.core.errors import SimulationDiverged
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray

EPISODES_PER_GRID_POINT = 32
GRID_POINTS_AT_ONCE = 3
AT_ONCE = 200
AT_ONCE_IN_WIDE_WINDOWS = 64
MORE = 100
WIDEST = 0.2
PRECISION = 0.002
TOLERANCE = 0.01
RELATIVE_TOLERANCE = 0.1


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search for one level.

    Args:
        distance: Distance from neutral; of an unattainable level, that of the lowest score.
        attainable: Whether the level is reached.
        score: Score at this distance, on the episodes of the search.
        episodes: Number of episodes simulated for this level alone.
        note: Reason why the level is not attainable.
    """

    distance: float
    attainable: bool
    score: Measurement
    episodes: int
    note: str = ""


class StrengthSearch:
    """Search along one axis for the distances at which the score has given levels.

    A grid of distances brackets every level. Around each crossing, distances are then drawn from a window that narrows
    from round to round; a curve fitted to all scores in the window gives its next centre. The search ends when the
    standard error of the score is small enough.

    Args:
        sampler: Source of scores.
        axis: Anomaly and direction.
        onset: Onset of the fault.
        budget: Largest number of faulty episodes per level, without the grid.
    """

    def __init__(self, sampler: Sampler, axis: Axis, *, onset: Any = "start", budget: int = 1600) -> None:
        self.sampler, self.axis, self.onset, self.budget = sampler, axis, onset, budget
        self.distances: FloatArray = np.empty(0)
        self.scores: FloatArray = np.empty(0)
        self.control_variates: FloatArray = np.empty((0, 0))
        self.end = ""

    def sample(self, distances: FloatArray, first: int = 0) -> None:
        """Simulate one episode per distance, starting at a given seed of the search."""
        seed = SEARCH_SEED + first
        scores = self.sampler.faulty(self.axis, distances, seed, self.onset)
        self.distances = np.concatenate([self.distances, distances])
        self.scores = np.concatenate([self.scores, scores])
        control_variates = self.sampler.control_variates(seed, len(distances))
        self.control_variates = (
            np.concatenate([self.control_variates, control_variates])
            if len(self.control_variates)
            else control_variates
        )

    def scan(self, lowest: float) -> None:
        """Sample the grid until the score is below every level, the simulation diverges or the grid ends."""
        grid = self.axis.grid()
        for begin in range(0, len(grid), GRID_POINTS_AT_ONCE):
            for grid_point in grid[begin : begin + GRID_POINTS_AT_ONCE]:
                try:
                    self.sample(np.full(EPISODES_PER_GRID_POINT, grid_point))
                except SimulationDiverged:
                    self.end = f"the simulation breaks down at {self._parameter(grid_point):.4g}"
                    return
            if self.grid_points()[1].min() < lowest - 0.1:
                return

    def grid_points(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the distances with enough episodes, their scores and their numbers of episodes."""
        distances, counts = np.unique(self.distances, return_counts=True)
        distances = distances[counts >= EPISODES_PER_GRID_POINT]
        estimates = [self.at(distance) for distance in distances]
        return (
            distances,
            np.array([estimate.value for estimate in estimates]),
            counts[counts >= EPISODES_PER_GRID_POINT].astype(float),
        )

    def at(self, distance: float) -> Measurement:
        """Return the score at a sampled distance."""
        here = self.distances == distance
        return mean(self.scores[here], self.control_variates[here])

    def find(self, level: float) -> SearchResult:
        """Return the weakest fault whose score is the level."""
        if self.axis.integer:
            return self._find_whole(level)
        start = len(self.scores)
        lowest, score = self._lowest(level)
        if score.value > level:
            reached = score.value - level <= TOLERANCE
            return SearchResult(lowest, reached, score, len(self.scores) - start, "" if reached else self._why(lowest))
        distances, heights, counts = self.grid_points()
        x = first_crossing(np.log(distances), heights, counts, level)
        assert x is not None
        x, score = self._refine(level, x, len(self.scores) - start)
        return SearchResult(self.axis.rounded(float(np.exp(x))), True, score, len(self.scores) - start)

    def _lowest(self, level: float) -> tuple[float, Measurement]:
        """Return the grid point with the lowest score, sampled until it is clearly above or below the level."""
        spent = 0
        while True:
            distances, heights, _ = self.grid_points()
            lowest = float(distances[np.argmin(heights)])
            score = self.at(lowest)
            if abs(score.value - level) > 3.0 * score.error or spent >= self.budget // 2:
                return lowest, score
            near = np.repeat(np.minimum(lowest * np.array([0.8, 1.0, 1.25]), distances[-1]), MORE)
            self.sample(near, EPISODES_PER_GRID_POINT + spent)
            spent += len(near)

    def _refine(self, level: float, x: float, spent: int) -> tuple[float, Measurement]:
        """Return the crossing near x and the score there.

        The window halves while the crossing stays inside, down to a width in which a parabola fits. There is at least
        one round, also if the budget is spent.
        """
        width, end = 0.75 * self.axis.spacing, float(np.log(self.axis.longest))
        narrow = 0.0
        while True:
            left = self.budget - spent if spent < self.budget else MORE
            n = min(AT_ONCE if width <= 1.5 * narrow else AT_ONCE_IN_WIDE_WINDOWS, left)
            self.sample(np.exp(np.minimum(x + width * _spread(n, spent), end)), EPISODES_PER_GRID_POINT + spent)
            spent += n
            here, scores = self._window(x, width)
            curve = parabola(here, scores)
            rough = crossing(here, falling(scores, np.ones_like(scores)), level)
            found = rough if curve.slope >= 0.0 else curve.crossing(level)
            moved = float(np.clip(found, here[0], here[-1])) - x
            x += moved
            narrow = min(WIDEST, min(0.4 * (1.0 - level), 0.1) / max(-curve.slope, 1e-6))
            if abs(moved) <= 0.5 * width:
                if curve.at(x).error <= PRECISION and width <= 1.5 * narrow:
                    break
                width = max(width / 2.0, min(width, narrow))
            if spent >= self.budget:
                break
        return x, curve.at(x)

    def _window(self, x: float, width: float) -> tuple[FloatArray, FloatArray]:
        """Return the logarithms of the distances near x, weakest first, and the adjusted scores there."""
        logs = np.log(self.distances)
        near = np.flatnonzero(np.abs(logs - x) <= width * 1.0001)
        near = near[np.argsort(logs[near], kind="stable")]
        return logs[near], adjusted(self.scores[near], self.control_variates[near])

    def _why(self, lowest: float) -> str:
        """Return why a level is not attainable."""
        end = f", and {self.end}" if self.end else ""
        if not end and self.axis.longest < np.inf and lowest > 0.5 * self.axis.longest:
            return f"at most {self.axis.reason}"
        return f"no fault along this axis harms more than one of {self._parameter(lowest):.4g}{end}"

    def _parameter(self, distance: float) -> float:
        return float(self.axis.parameter(np.array([distance]))[0])

    def _find_whole(self, level: float) -> SearchResult:
        """Return the integer whose score is the level, if there is one."""
        start, tried = len(self.scores), dict[float, int]()
        while len(self.scores) - start < self.budget:
            near = self._around(level)
            for number in near:
                self.sample(np.full(AT_ONCE, number), EPISODES_PER_GRID_POINT + AT_ONCE * tried.get(number, 0))
                tried[number] = tried.get(number, 0) + 1
        scores = {number: self.at(number) for number in sorted({*near, *tried})}
        best = min(scores, key=lambda number: abs(scores[number].value - level))
        reached = abs(scores[best].value - level) <= max(TOLERANCE, RELATIVE_TOLERANCE * (1.0 - level))
        listed = ", ".join(f"{number:.0f} gives {fixed(scores[number].value, 3)}" for number in near)
        below = all(score.value > level for score in scores.values())
        capped = f"; at most {self.axis.reason}" if below and self.axis.reason else ""
        note = "" if reached else f"of whole numbers, {listed}{capped}"
        return SearchResult(best, reached, scores[best], len(self.scores) - start, note)

    def _around(self, level: float) -> list[float]:
        """Return the integers on both sides of a crossing."""
        distances, heights, counts = self.grid_points()
        x = first_crossing(distances, heights, counts, level)
        if x is None:
            return [float(distances[np.argmin(heights)])]
        return sorted({max(1.0, float(np.floor(x))), max(1.0, float(np.ceil(x)))})


def _spread(n: int, shift: int) -> FloatArray:
    """Return n quasi-random numbers in [-1, 1], denser in the middle; `shift` selects the part of the sequence."""
    uniform = (np.arange(n) * 0.6180339887498949 + shift * 0.7548776662466927) % 1.0
    spread: FloatArray = np.clip(0.5 * ndtri(0.02 + 0.96 * uniform), -1.0, 1.0)
    return spread
