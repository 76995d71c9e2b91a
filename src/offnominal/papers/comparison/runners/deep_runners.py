"""Deep methods: one trained network serves all its scores, and several second stages on its codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.registry import Spec
from offnominal.datasets.tables import TableSplit
from offnominal.datasets.tables.table_split import TablePart
from offnominal.papers.comparison.configuration_results import ConfigurationResult
from offnominal.papers.comparison.finished_fits import FinishedFits
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, runner_of
from offnominal.papers.comparison.search_spaces import (
    SECOND_STAGES,
    Configuration,
    sample_configurations,
    search_space_of,
)


class DeepRunner(ConfigurationRunner):
    """Detectors with a network, which is trained once for all the scores that it has.

    Training stops by the normal validation points.
    """

    resumable: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Spec(name, search_space_of(name).detector).load())

    def accept(self, configuration: Configuration) -> bool:
        """Whether the code is narrower than the layers around it."""
        latent, hidden = configuration.get("latent"), configuration.get("hidden")
        return latent is None or hidden is None or latent < hidden

    def groups(self, valid: Group) -> list[Group]:
        """Part by everything that training depends on."""
        names = sorted({name for _, configuration in valid for name in configuration} - {"score_name"})
        return grouped(valid, *names)

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Train one network and ask it for every score."""
        detector: Any = self.make(**configurations[0])
        with timer.fit():
            detector.fit(split.train.points, validation=split.validation.normal, seed=seed)
        wanted = [each.get("score_name", "") or detector.SCORES[0] for each in configurations]
        with timer.score():
            only = list(dict.fromkeys(wanted))
            first, second = (detector.scores(part.points, only=only) for part in (split.validation, split.test))
        return [(first[name], second[name]) for name in wanted]


class EncoderRunner(DeepRunner):
    """A variational autoencoder whose mean codes are the points of a second stage.

    Attributes:
        codes: Mean codes of every part under the last network; None if it could not be trained.
    """

    codes: TableSplit | None = None

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Train one network, ask it for every score, and keep the codes."""
        self.codes = None
        detector: Any = self.make(**configurations[0])
        parts = (split.train, split.validation, split.test)
        with timer.fit():
            detector.fit(split.train.points, validation=split.validation.normal, seed=seed)
        with timer.score():
            codes = [TablePart(detector.encode(part.points), part.anomalous, part.rows) for part in parts]
            self.codes = TableSplit(codes[0], codes[1], codes[2])
            wanted = [each["score_name"] for each in configurations]
            first, second = (detector.scores(part.points, only=wanted) for part in parts[1:])
        return [(first[name], second[name]) for name in wanted]


COUNT = "second_stages"


class TwoStageRunner(DeepRunner):
    """A variational autoencoder and a method on its codes.

    ``second_stages`` in a configuration is the number of second stages that are tried with its network: its own, and
    others that are drawn from the search space of the method on the codes. The results of the others follow those of
    the configurations. Random search draws them; Optuna proposes every second stage itself and needs one result per
    configuration, so leave it out there.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.second = runner_of(SECOND_STAGES[name])
        self.space = search_space_of(SECOND_STAGES[name])

    def run(
        self,
        configurations: Sequence[Configuration],
        split: TableSplit,
        seed: int,
        *,
        limit_s: float | None = None,
        fits: FinishedFits | None = None,
    ) -> list[ConfigurationResult]:
        """Fit and score configurations, then further second stages; see :meth:`ConfigurationRunner.run`."""
        own = [{name: value for name, value in each.items() if name != COUNT} for each in configurations]
        return super().run(own + self._further(configurations, own), split, seed, limit_s=limit_s, fits=fits)

    def _further(self, configurations: Sequence[Configuration], own: list[Configuration]) -> list[Configuration]:
        """Return the further second stages of each network; they depend on its place alone."""
        found: list[Configuration] = []
        for place, (each, first) in enumerate(zip(configurations, own, strict=True)):
            count = each.get(COUNT, 1) - 1
            drawn = sample_configurations(self.space, count, seed=place) if count else []
            found += [first | second for second in drawn if first | second != first]
        return found

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are training points, before a network is trained."""
        super().check(configuration, split)
        k, rows = configuration.get("n_neighbors", 1), len(split.train)
        if k > rows:
            raise InvalidParameter(f"n_neighbors is {k}, but there are {rows} rows; give more, or ask for fewer.")

    def groups(self, valid: Group) -> list[Group]:
        """Part by everything that the network depends on."""
        names = {name for _, configuration in valid for name in configuration} - set(self.space.grid)
        return grouped(valid, *sorted(names))

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Train one network and fit every second stage on its codes."""
        if len(configurations) == 1:
            return super().run_group(configurations, shared, split, seed, timer)
        detector: Any = self.make(**configurations[0])
        with timer.fit():
            detector.fit(split.train.points, validation=split.validation.normal, seed=seed)
        with timer.score():
            parts = (split.train, split.validation, split.test)
            codes = [TablePart(detector.encode(part.points), part.anomalous, part.rows) for part in parts]
        seconds = [{name: each[name] for name in self.space.grid} for each in configurations]
        results = self.second.run(seconds, TableSplit(codes[0], codes[1], codes[2]), seed)
        timer.fit_s += sum(each.fit_s for each in results)
        timer.score_s += sum(each.score_s for each in results)
        return [_scores(each) for each in results]


def _scores(result: ConfigurationResult) -> Scores:
    if result.validation is None or result.test is None:
        raise InvalidParameter(result.failure)
    return result.validation, result.test
