"""Methods of the comparison by name: many configurations of one detector on one split."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from offnominal.core.errors import OffnominalError
from offnominal.core.registry import Spec
from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.papers.comparison.configuration_results import ConfigurationResult
from offnominal.papers.comparison.finished_fits import FinishedFits
from offnominal.papers.comparison.search_spaces import Configuration, search_space_of

Scores = tuple[FloatArray, FloatArray]
"""Scores of the validation points and of the test points."""
Group = list[tuple[int, Configuration]]
"""Configurations that share work, with their places among all."""


@dataclass(slots=True)
class FitTimer:
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


class ConfigurationRunner:
    """Fits and scores configurations one after the other.

    Families whose configurations share work override :meth:`groups` and :meth:`run_group`; the scores are those of
    single fits.

    Args:
        name: Name of the method.
        make: Returns an unfitted detector from a configuration.

    Example:
        >>> import numpy as np
        >>> from offnominal.datasets.tables import Table, split_table
        >>> from offnominal.detectors.rows import KNN
        >>> rows = np.random.default_rng(0).normal(size=(60, 2))
        >>> parts = split_table(Table("mine", rows[:50], rows[50:] + 9.0), seed=1)
        >>> good, bad = ConfigurationRunner("nearest", KNN).run(
        ...     [{"n_neighbors": 1}, {"n_neighbors": 99}], parts, seed=1
        ... )
        >>> bool(good.test[parts.test.anomalous].min() > good.test[~parts.test.anomalous].max())
        True
        >>> bad.failure
        'InvalidParameter: n_neighbors is 99, but there are 30 rows; give more, or ask for fewer.'
    """

    resumable: ClassVar[bool] = False
    """Whether the results of finished groups are kept while a search is not complete."""

    def __init__(self, name: str, make: Callable[..., RowDetector]) -> None:
        self.name, self.make = name, make

    def run(
        self,
        configurations: Sequence[Configuration],
        split: TableSplit,
        seed: int,
        *,
        limit_s: float | None = None,
        fits: FinishedFits | None = None,
    ) -> list[ConfigurationResult]:
        """Fit and score configurations on a split.

        Args:
            configurations: To try.
            split: Fitted on its training points, scored on the other two parts.
            seed: Of every fit.
            limit_s: CPU seconds after which no further group is fitted; the remaining configurations fail.
            fits: Results of an earlier run of the same search that was interrupted; those of this run are added.

        Returns:
            The result of each, in the same order. A configuration that cannot be fitted is a failure, not an error.
        """
        results: list[ConfigurationResult | None] = [None] * len(configurations)
        valid: Group = []
        for place, configuration in enumerate(configurations):
            try:
                self.check(configuration, split)
                valid.append((place, configuration))
            except OffnominalError as error:
                results[place] = ConfigurationResult(configuration, failure=_why(error))
        timer, start = FitTimer(), time.process_time()
        shared = self.prepare_group([each for _, each in valid], split, seed, timer) if valid else None
        for group in self.groups(valid):
            outcome: Sequence[ConfigurationResult]
            spent_s = time.process_time() - start + (fits.saved_s if fits else 0.0)
            if limit_s is not None and spent_s > limit_s:
                late = f"TimeLimit: not begun within {limit_s:g} CPU seconds"
                outcome = [ConfigurationResult(each, failure=late) for _, each in group]
            else:
                outcome = self._try_once(fits, group, shared, split, seed, timer, len(valid))
            for (place, _), each in zip(group, outcome, strict=True):
                results[place] = each
        return [each for each in results if each is not None]

    def _try_once(self, fits: FinishedFits | None, group: Group, *details: Any) -> Sequence[ConfigurationResult]:
        """Run a group, unless an interrupted search has its results."""
        if fits is None or not self.resumable:
            return self._try(group, *details)
        name = json.dumps([each for _, each in group], sort_keys=True)
        return fits.computed(name, lambda: {self.name: self._try(group, *details)})[self.name]

    def _try(
        self, group: Group, shared: Any, split: TableSplit, seed: int, before: FitTimer, sharing: int
    ) -> list[ConfigurationResult]:
        """Run a group; `before` holds the time that all configurations share."""
        timer = FitTimer()
        try:
            results = self.run_group([each for _, each in group], shared, split, seed, timer)
        except (OffnominalError, ArithmeticError, ValueError, MemoryError) as error:
            if len(group) > 1:
                return [self._try([each], shared, split, seed, before, sharing)[0] for each in group]
            return [ConfigurationResult(group[0][1], fit_s=timer.fit_s, score_s=timer.score_s, failure=_why(error))]
        fit_s = timer.fit_s / len(group) + before.fit_s / sharing
        score_s = timer.score_s / len(group) + before.score_s / sharing
        return [
            ConfigurationResult(each, *scores, fit_s, score_s) for (_, each), scores in zip(group, results, strict=True)
        ]

    def accept(self, configuration: Configuration) -> bool:
        """Whether a configuration makes sense on any table; others are not drawn."""
        return True

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Raise an error if a configuration cannot be fitted on a split; other errors are raised by the fit."""
        self.make(**configuration)

    def groups(self, valid: Group) -> list[Group]:
        """Return the configurations that :meth:`run_group` gets at once."""
        return [[each] for each in valid]

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Compute what all configurations share, for :meth:`run_group`."""
        return None

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Return the scores of a group of configurations."""
        return [self._single(each, split, seed, timer) for each in configurations]

    def _single(self, configuration: Configuration, split: TableSplit, seed: int, timer: FitTimer) -> Scores:
        detector = self.make(**configuration)
        with timer.fit():
            detector.fit(split.train.points, seed=seed)
        with timer.score():
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


def runner_of(name: str) -> ConfigurationRunner:
    """Return a method by its name in the paper's tables.

    Example:
        >>> runner_of("knn").name
        'knn'
    """
    runner: ConfigurationRunner = Spec(name, search_space_of(name).runner).load()(name)
    return runner
