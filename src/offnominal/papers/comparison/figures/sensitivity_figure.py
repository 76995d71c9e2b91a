"""Figure of the sensitivity to parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import INK, MARKERS
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.sensitivity import Effect, parameters_of, sensitivity
from offnominal.reports.colours import colours_in_order
from offnominal.reports.tables import text

SEPARATE_BY = {"osvm": "kernel", "vae": ""}
"""Methods that are looked at, and the parameter whose values are drawn apart, because the others act through it."""
ACROSS = 3


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
    size = (2.7 * columns + 0.6, 2.5 * rows + 0.6)
    figure, grid = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for axes, parameter in zip(grid.flat, varying, strict=False):
        if apart and parameter != apart:
            for (value, shade), shape in zip(colours_in_order(varying[apart]).items(), MARKERS, strict=False):
                _draw(axes, sensitivity(outcomes, method, parameter, where={apart: value}), shade, shape, f"{value}, ")
        else:
            _draw(axes, sensitivity(outcomes, method, parameter), INK, MARKERS[0], "")
        axes.set_title(parameter)
        axes.set_xlabel("value")
    for axes in grid.flat[len(varying) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("mean test AUC (0.5 = random)")
    _legend(figure, grid)
    figure.subplots_adjust(wspace=0.08, hspace=0.55)
    return figure


def _draw(axes: Any, effect: Effect, shade: str, shape: str, before: str) -> None:
    """Draw marks, joined by lines where the values are numbers; hollow marks are selected configurations."""
    places = np.arange(len(effect.values))
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in effect.values)
    line = {"color": shade, "marker": shape, "ms": 4.5}
    axes.plot(places, effect.drawn, ls="-" if numbers else "", lw=1.3, label=f"{before}all else drawn", **line)
    chosen = {"ls": "--" if numbers else "", "mfc": "white", "label": f"{before}all else chosen"}
    axes.plot(places, effect.chosen, lw=1.1, **chosen, **line)
    axes.set_xticks(places, [_short(value) for value in effect.values])
    axes.set_xlim(-0.3, len(places) - 0.7)


def _short(value: Any) -> str:
    return f"{value:.{1 if value < 0.1 else 2}g}" if isinstance(value, float) else text(value)


def _legend(figure: Any, grid: Any) -> None:
    found: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(found.values(), found, loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=4)
