"""A deep method that keeps the codes of the network it trained last, for others to score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from offnominal.datasets.tables import TableSplit
from offnominal.datasets.tables.table_split import TablePart
from offnominal.papers.comparison.runners.deep_runners import DeepRunner
from offnominal.papers.comparison.runners.runner import FitTimer, Scores
from offnominal.papers.comparison.search.search_space import Configuration


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
