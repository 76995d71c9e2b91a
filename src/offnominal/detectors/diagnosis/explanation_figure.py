"""The figure of an explanation: scores above, contributions of the largest channels below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from offnominal.core.plot_style import FAULTY, GREY, NOMINAL, STYLE, matplotlib
from offnominal.core.types import IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from offnominal.detectors.diagnosis.explanation import Explanation

BAND = "nominal, 5 to 95 % of scores"


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
