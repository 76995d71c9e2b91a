"""The explanation of the scores of an episode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.text_table import text_table
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.contributions import Method

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offnominal.detectors.diagnosis.fault_library import FaultLibrary, FaultMatches
    from offnominal.detectors.diagnosis.nominal_reference import NominalReference
    from offnominal.detectors.diagnosis.onset import Onset

SHOWN = 3
"""Number of channels in the short description."""
DRAWN = 12
"""Number of channels in the figure."""


class ChannelContribution(NamedTuple):
    """A channel and its part in the scores.

    Attributes:
        channel: Name of the channel.
        contribution: Mean contribution in the explained steps, with their weights.
        share: Its importance; all channels together have 1.
    """

    channel: str
    contribution: float
    share: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Which channels contribute to the scores of an episode, since when, and which known fault that resembles.

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
        nominal: Nominal scores and contributions, if they were given.
        onset: Estimated onset; None if no change was found or nothing nominal was given.
        fault: Known faults by similarity, if a library was given and an onset was found.
    """

    detector: str
    scores: FloatArray
    contributions: FloatArray
    channels: tuple[str, ...]
    n_observations: int
    method: Method
    baseline: FloatArray
    nominal: NominalReference | None = None
    onset: Onset | None = None
    fault: FaultMatches | None = None

    @property
    def exact(self) -> bool:
        """Whether contributions are the terms of the detector's own formula and add up to the score."""
        return self.method == "sum"

    def __len__(self) -> int:
        return len(self.scores)

    def require_alike(self, other: Explanation) -> None:
        """Raise :class:`InvalidParameter` unless another explanation is of the same detector, channels and method."""
        mine, others = (f"{each.detector}, {len(each.channels)} channels, {each.method}" for each in (self, other))
        if mine != others or self.channels != other.channels:
            raise InvalidParameter(f"explanations differ: {mine}; and {others}. Explain all episodes in the same way.")

    def compared(self, nominal: NominalReference | None, library: FaultLibrary | None = None) -> Explanation:
        """Return the explanation with the estimated onset and the nearest known faults.

        Args:
            nominal: Nominal scores and contributions of the same detector; None for an explanation without them.
            library: Known faults.
        """
        if nominal is None:
            if library is not None:
                raise InvalidParameter("a library of faults needs nominal episodes too; call explain with nominal=...")
            return self
        self.require_alike(nominal.explanations[0])
        found = replace(self, nominal=nominal, onset=nominal.onset(self.scores))
        return found if library is None or found.onset is None else replace(found, fault=library.nearest(found))

    def weights(self) -> FloatArray:
        """Return the weight of each step in the importance of channels; all weights together are 1.

        At the onset a fault shows in its own channels. The policy reacts, and later all channels differ from nominal
        episodes. So the weights begin at the onset and halve with every step. Without an onset they are equal.
        """
        if self.onset is None:
            return np.full(len(self), 1.0 / len(self))
        weights = np.zeros(len(self))
        weights[self.onset.step :] = 0.5 ** np.arange(len(self) - self.onset.step)
        return np.asarray(weights / weights.sum())

    def importance(self) -> FloatArray:
        """Return the share of each channel in what is unusual about the scores, (channels,).

        It is the weighted mean over steps of the positive contributions, each step in shares. With a nominal reference,
        contributions count in deviations above their nominal mean.
        """
        positive = np.maximum(self.contributions, 0.0)
        if self.nominal is not None:
            positive = np.where(positive > 0.0, np.maximum(self.nominal.standardised(self.contributions), 0.0), 0.0)
        return shares(self.weights() @ shares(positive))

    def top(self, n: int = SHOWN) -> list[ChannelContribution]:
        """Return the most important channels, most important first.

        Args:
            n: Number of channels at most.
        """
        found, contributions = self.importance(), self.weights() @ self.contributions
        return [ChannelContribution(self.channels[i], float(contributions[i]), float(found[i])) for i in self.order(n)]

    def order(self, n: int) -> IntArray:
        """Return the indices of the n most important channels, most important first."""
        return np.argsort(-self.importance(), kind="stable")[: integer_in("n", n, 1)]

    def table(self, n: int = 10) -> str:
        """Return the most important channels as a text table.

        Args:
            n: Number of rows at most.
        """
        return text_table(
            [
                {"channel": name, "contribution": f"{value:.4g}", "share": f"{share:.0%}".replace("%", " %")}
                for name, value, share in self.top(n)
            ]
        )

    def plot(self) -> Figure:
        """Return a figure of the scores and of the contributions of the most important channels over time.

        Raises:
            MissingDependency: matplotlib is not installed; the extra ``plot`` has it.
        """
        from offnominal.detectors.diagnosis.explanation_figure import draw_explanation

        return draw_explanation(self, DRAWN)

    def facts(self) -> list[str]:
        """Return what is known, in short phrases."""
        leading = ", ".join(f"{name} {share:.0%}".replace("%", " %") for name, _, share in self.top())
        found = [f"T={len(self)}", f"{self.method} of {len(self.channels)} channels: {leading}"]
        if self.nominal is not None:
            found.append("no change found" if self.onset is None else f"onset {self.onset}")
        return found if self.fault is None else [*found, f"fault {self.fault}"]

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
        found = self.onset, self.fault, *(each.tobytes() for each in arrays)
        return self.detector, self.channels, self.n_observations, self.method, *found


def shares(values: FloatArray) -> FloatArray:
    """Return values that are not negative as shares along the last axis; all zero if there is nothing to share.

    Example:
        >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
        [[0.25, 0.75], [0.0, 0.0]]
    """
    largest = values.max(axis=-1, keepdims=True)
    scaled = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0.0)
    total = scaled.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(scaled, total, out=np.zeros_like(values), where=total > 0.0))
