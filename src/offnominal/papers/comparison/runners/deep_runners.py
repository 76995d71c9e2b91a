"""Deep methods: one trained network serves all its scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from offnominal.core.registry import Spec
from offnominal.datasets.tables import TableSplit
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped
from offnominal.papers.comparison.search.search_space import Configuration, search_space_of


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
