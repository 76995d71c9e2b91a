"""The explanation of the scores of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.text_table import text_table
from offnominal.core.types import FloatArray
from offnominal.detectors.contributions import Method

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 3
"""Number of channels in the short description."""
DRAWN = 12
"""Number of channels in the figure."""


class ChannelContribution(NamedTuple):
    """A channel and its part in the scores.

    Args:
        channel: Name of the channel.
        contribution: Mean contribution in the explained steps.
        share: Its share of all positive mean contributions.
    """

    channel: str
    contribution: float
    share: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Which channels contribute to the scores of an episode.

    :meth:`Detector.explain <offnominal.detectors.Detector.explain>` returns it.

    Args:
        detector: Name of the detector.
        scores: (T,) scores of the episode.
        contributions: (T, channels) contribution of each channel to each score.
        channels: Names of the channels.
        n_observations: Number of leading channels that are observation channels. The others are action channels, or
            variables of the detector.
        method: How contributions relate to the score; see :data:`~offnominal.detectors.contributions.Method`.
        baseline: (T,) part of each score that belongs to no channel.
    """

    detector: str
    scores: FloatArray
    contributions: FloatArray
    channels: tuple[str, ...]
    n_observations: int
    method: Method
    baseline: FloatArray

    @property
    def exact(self) -> bool:
        """Whether contributions are the terms of the detector's own formula and add up to the score."""
        return self.method == "sum"

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def steps(self) -> slice:
        """The explained steps: the whole episode."""
        return slice(0, len(self))

    def importance(self) -> FloatArray:
        """Return the mean contribution of each channel in the explained steps."""
        return np.asarray(self.contributions[self.steps].mean(axis=0))

    def top(self, n: int = SHOWN) -> list[ChannelContribution]:
        """Return the channels with the largest mean contributions, largest first.

        Args:
            n: Number of channels at most.
        """
        found = self.importance()
        total = float(np.maximum(found, 0.0).sum())
        order = np.argsort(-found, kind="stable")[: integer_in("n", n, 1)]
        return [
            ChannelContribution(self.channels[i], float(found[i]), max(float(found[i]), 0.0) / total if total else 0.0)
            for i in order
        ]

    def table(self, n: int = 10) -> str:
        """Return the channels with the largest contributions as a text table.

        Args:
            n: Number of rows at most.
        """
        return text_table(
            [
                {"channel": name, "contribution": f"{value:.4g}", "share": f"{share:.0%}"}
                for name, value, share in self.top(n)
            ]
        )

    def plot(self) -> Figure:
        """Return a figure of the scores and of the contributions of the largest channels over time.

        Raises:
            MissingDependency: matplotlib is not installed; the extra ``plot`` has it.
        """
        from offnominal.detectors.diagnosis.explanation_figure import draw_explanation

        return draw_explanation(self, DRAWN)

    def facts(self) -> list[str]:
        """Return what is known, in short phrases."""
        leading = ", ".join(f"{name} {share:.0%}" for name, _, share in self.top())
        return [f"T={len(self)}", f"{self.method} of {len(self.channels)} channels: {leading}"]

    def __repr__(self) -> str:
        return f"Explanation({self.detector}, {'; '.join(self.facts())})"

    def __eq__(self, other: object) -> bool:
        """Whether two explanations have the same numbers."""
        if not isinstance(other, Explanation):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> tuple[Any, ...]:
        arrays = (self.scores, self.contributions, self.baseline)
        return self.detector, self.channels, self.n_observations, self.method, *(each.tobytes() for each in arrays)
