"""The explanation of the scores of an episode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.plot_style import FAULTY, GREY, NOMINAL, STYLE, matplotlib
from offnominal.core.rounding import fixed, significant
from offnominal.core.text_table import text_table
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.diagnosis.explained_scores import ExplainedScores, shares
from offnominal.detectors.diagnosis.fault_matches import FaultMatches
from offnominal.detectors.diagnosis.nominal_reference import NominalReference
from offnominal.detectors.diagnosis.onset import Onset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 3
"""Number of channels in the short description."""
DRAWN = 12
"""Number of channels in the figure."""
BAND = "nominal, 5 to 95 % of scores"


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


class KnownFaults(Protocol):
    """Known faults, such as a :class:`~offnominal.detectors.diagnosis.FaultLibrary`."""

    def nearest(self, explanation: Explanation) -> FaultMatches:
        """Return the known faults, nearest to an episode first."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation(ExplainedScores):
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

    nominal: NominalReference | None = None
    onset: Onset | None = None
    fault: FaultMatches | None = None

    def compared(self, nominal: NominalReference | None, library: KnownFaults | None = None) -> Explanation:
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
                {"channel": name, "contribution": significant(value, 4), "share": f"{fixed(100.0 * share, 0)} %"}
                for name, value, share in self.top(n)
            ]
        )

    def plot(self) -> Figure:
        """Return a figure of the scores and of the contributions of the most important channels over time.

        Raises:
            MissingDependency: matplotlib is not installed; the extra ``plot`` has it.
        """
        return draw_explanation(self, DRAWN)

    def facts(self) -> list[str]:
        """Return what is known, in short phrases."""
        leading = ", ".join(f"{name} {fixed(100.0 * share, 0)} %" for name, _, share in self.top())
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


def draw_explanation(explanation: Explanation, n_channels: int) -> Figure:
    """Return the figure.

    Args:
        explanation: What to draw.
        n_channels: Number of channels at most, the most important ones.

    Raises:
        MissingDependency: matplotlib is not installed.
    """
    rc_context = matplotlib().rc_context
    from matplotlib.figure import Figure

    channels = explanation.order(n_channels)
    with rc_context(STYLE):
        figure = Figure(figsize=(7.2, 2.2 + 0.2 * len(channels)), dpi=150, layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 0.2 * len(channels) + 0.2))
        _draw_scores(above, explanation)
        _draw_contributions(figure, below, explanation, channels)
    return figure


def _draw_scores(axes: Any, explanation: Explanation) -> None:
    if explanation.nominal is not None:
        middle, high = explanation.nominal.band(len(explanation))
        axes.fill_between(np.arange(len(explanation)), middle, high, color=GREY, alpha=0.35, lw=0, label=BAND)
    axes.plot(explanation.scores, color=NOMINAL, lw=1.2, label="score")
    if (onset := explanation.onset) is not None:
        axes.axvspan(onset.low - 0.5, onset.high + 0.5, color=FAULTY, alpha=0.2, lw=0)
        axes.axvline(onset.step, color=FAULTY, lw=1.2, label=f"onset {onset}")
    axes.set_title(f"{explanation.detector}: score and contributions ({explanation.method})")
    axes.set_ylabel("anomaly score")
    axes.legend(loc="upper left")


def _draw_contributions(figure: Any, axes: Any, explanation: Explanation, channels: IntArray) -> None:
    names = [explanation.channels[channel] for channel in channels]
    values = explanation.contributions[:, channels].T
    # A single extreme step would make all others invisible.
    limit = float(np.quantile(np.abs(values), 0.99)) or 1.0
    axes.grid(visible=False)
    image = axes.imshow(
        values, aspect="auto", cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest", origin="upper"
    )
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("time (steps)")
    figure.colorbar(image, ax=axes, pad=0.01, label="contribution\n(score units)", extend="both")
