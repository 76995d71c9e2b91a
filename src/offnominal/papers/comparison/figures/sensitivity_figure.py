"""Figure of the sensitivity to parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.sensitivity import Effect, parameters_of, sensitivity
from offnominal.reports.tables import text

SEPARATE_BY = {"osvm": "kernel", "vae": ""}
"""Methods that are looked at, and the parameter whose values are drawn apart, because the others act through it."""
SHADES = ("#0072B2", "#D55E00", "#009E73", "#A03A78")
PLAIN = "#444444"
ACROSS = 4


def sensitivity_figure(plt: Any, outcomes: ComparisonResults, method: str) -> Any:
    """Draw the test AUC of a method against each of its parameters.

    Full lines are means over all configurations with that value, dashed ones those selected by validation labels.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
        method: Its name.
    """
    varying = parameters_of(outcomes, method)
    apart = SEPARATE_BY[method] if SEPARATE_BY[method] in varying else ""
    columns = min(ACROSS, len(varying))
    rows = -(-len(varying) // columns)
    size = (2.9 * columns + 0.6, 2.7 * rows + 0.3)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for axes, parameter in zip(grid.flat, varying, strict=False):
        if apart and parameter != apart:
            for shade, value in zip(SHADES, varying[apart], strict=False):
                _lines(axes, sensitivity(outcomes, method, parameter, where={apart: value}), shade, f"{value}, ")
        else:
            _lines(axes, sensitivity(outcomes, method, parameter), PLAIN, "")
        axes.set_title(parameter, fontsize=9)
    for axes in grid.flat[len(varying) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("mean test AUC")
    _legend(figure, grid)
    figure.subplots_adjust(wspace=0.08, hspace=0.45)
    return figure


def _lines(axes: Any, effect: Effect, shade: str, before: str) -> None:
    places = np.arange(len(effect.values))
    axes.plot(places, effect.drawn, "o-", color=shade, ms=3, lw=1.3, label=f"{before}all else drawn")
    axes.plot(places, effect.chosen, "s--", color=shade, ms=3, lw=1.1, mfc="white", label=f"{before}all else chosen")
    axes.set_xticks(places, [_short(value) for value in effect.values], fontsize=8)
    axes.set_xlim(-0.3, len(places) - 0.7)


def _short(value: Any) -> str:
    return f"{value:.{1 if value < 0.1 else 2}g}" if isinstance(value, float) else text(value)


def _legend(figure: Any, grid: Any) -> None:
    found: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(found.values(), found, loc="center left", bbox_to_anchor=(0.91, 0.5), fontsize=8)
