"""A method in the comparison: many configurations of one detector on one split."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from offnominal.core.errors import OffnominalError
from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.points.point import PointDetector
from offnominal.studies.detector_comparison.space import Configuration
from offnominal.studies.detector_comparison.tried import Tried

Scores = tuple[FloatArray, FloatArray]
"""Of the validation points and of the test points."""
Group = list[tuple[int, Configuration]]
"""Configurations that share work, with their places among all."""


@dataclass(slots=True)
class Clock:
    """CPU seconds spent on fitting and on scoring."""

    fit_s: float = 0.0
    score_s: float = 0.0

    @contextmanager
    def fit(self) -> Iterator[None]:
        """Count as fitting."""
        start = time.process_time()
        try:
            yield
        finally:
            self.fit_s += time.process_time() - start

    @contextmanager
    def score(self) -> Iterator[None]:
        """Count as scoring."""
        start = time.process_time()
        try:
            yield
        finally:
            self.score_s += time.process_time() - start


class Family:
    """Fits and scores configurations one after the other.

    Families whose configurations share work override :meth:`groups` and :meth:`together`; the scores are those of
    single fits.

    Args:
        name: Of the method.
        make: Returns an unfitted detector from a configuration.

    Example:
        >>> import numpy as np
        >>> from offnominal.datasets.tables import Table, split
        >>> from offnominal.detectors.points import NearestNeighbours
        >>> rows = np.random.default_rng(0).normal(size=(60, 2))
        >>> parts = split(Table("mine", rows[:50], rows[50:] + 9.0), seed=1)
        >>> good, bad = Family("nearest", NearestNeighbours).run([{"k": 1}, {"k": 99}], parts, seed=1)
        >>> bool(good.test[parts.test.anomalous].min() > good.test[~parts.test.anomalous].max())
        True
        >>> bad.failure
        'InvalidParameter: k is 99, but there are 30 rows; give more or choose a smaller k.'
    """

    def __init__(self, name: str, make: Callable[..., PointDetector]) -> None:
        self.name, self.make = name, make

    def run(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, *, limit_s: float | None = None
    ) -> list[Tried]:
        """Try configurations on a split.

        Args:
            configurations: To try.
            split: Fitted on its training points, scored on the other two parts.
            seed: Of every fit.
            limit_s: CPU seconds after which nothing more is begun; what is left fails.

        Returns:
            What came of each, in the same order. A configuration that cannot be fitted is a failure, not an error.
        """
        tried: list[Tried | None] = [None] * len(configurations)
        valid: Group = []
        for place, configuration in enumerate(configurations):
            try:
                self.check(configuration, split)
                valid.append((place, configuration))
            except OffnominalError as error:
                tried[place] = Tried(configuration, failure=_why(error))
        clock, start = Clock(), time.process_time()
        shared = self.begin([each for _, each in valid], split, seed, clock) if valid else None
        for group in self.groups(valid):
            if limit_s is not None and time.process_time() - start > limit_s:
                late = f"TimeLimit: not begun within {limit_s:g} CPU seconds"
                outcome = [Tried(each, failure=late) for _, each in group]
            else:
                outcome = self._try(group, shared, split, seed, clock, len(valid))
            for (place, _), each in zip(group, outcome, strict=True):
                tried[place] = each
        return [each for each in tried if each is not None]

    def _try(self, group: Group, shared: Any, split: TableSplit, seed: int, before: Clock, sharing: int) -> list[Tried]:
        """Run a group; the clock holds what all configurations shared before."""
        clock = Clock()
        try:
            results = self.together([each for _, each in group], shared, split, seed, clock)
        except (OffnominalError, ArithmeticError, ValueError, MemoryError) as error:
            if len(group) > 1:
                return [self._try([each], shared, split, seed, before, sharing)[0] for each in group]
            return [Tried(group[0][1], fit_s=clock.fit_s, score_s=clock.score_s, failure=_why(error))]
        fit_s = clock.fit_s / len(group) + before.fit_s / sharing
        score_s = clock.score_s / len(group) + before.score_s / sharing
        return [Tried(each, *scores, fit_s, score_s) for (_, each), scores in zip(group, results, strict=True)]

    def accept(self, configuration: Configuration) -> bool:
        """Whether a configuration makes sense on any table; others are not drawn."""
        return True

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Raise an error if a configuration cannot be fitted on a split; what is not noticed here fails later."""
        self.make(**configuration)

    def groups(self, valid: Group) -> list[Group]:
        """Return the configurations that :meth:`together` gets at once."""
        return [[each] for each in valid]

    def begin(self, configurations: Sequence[Configuration], split: TableSplit, seed: int, clock: Clock) -> Any:
        """Do what all configurations share; the result is handed to :meth:`together`."""
        return None

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Return the scores of a group of configurations."""
        return [self._single(each, split, seed, clock) for each in configurations]

    def _single(self, configuration: Configuration, split: TableSplit, seed: int, clock: Clock) -> Scores:
        detector = self.make(**configuration)
        with clock.fit():
            detector.fit(split.train.points, seed=seed)
        with clock.score():
            return detector.score(split.validation.points), detector.score(split.test.points)


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def grouped(valid: Group, *names: str) -> list[Group]:
    """Return the configurations parted by the values of some parameters, in order of first appearance."""
    groups: dict[tuple[Any, ...], Group] = {}
    for place, configuration in valid:
        groups.setdefault(tuple(configuration.get(name) for name in names), []).append((place, configuration))
    return list(groups.values())


def wanted(configurations: Sequence[Configuration], name: str) -> list[Any]:
    """Return the different values of a parameter, sorted."""
    return sorted({configuration[name] for configuration in configurations})
