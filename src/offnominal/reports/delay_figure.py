"""Figure of delay against false alarms: a panel per alarm, a named point per detector."""

from __future__ import annotations

from typing import Any

from offnominal.core.plot_style import RULE
from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.direct_labels import label_points
from offnominal.reports.timings import TIMING

DELAY, FALSE = TIMING["mean_delay"], TIMING["false_alarms"]
ACROSS = 2
ZERO_APART = 4.0
"""On the log axis, zero stands to the left of the least positive number by this factor."""
DECADE = 10.0

Row = dict[str, Any]


def drawable(timing: list[Row]) -> list[Row]:
    """Return the rows that have both a delay and a rate of false alarms."""
    return [row for row in timing if row[DELAY] is not None and row[FALSE] is not None]


def delay_figure(plt: Any, timing: list[Row], names: list[str]) -> Any:
    """Draw mean delay against false alarms; the points of all other alarms are light grey.

    Args:
        plt: matplotlib's pyplot.
        timing: Rows of `timing_rows`.
        names: Detectors, best first.
    """
    rows = drawable(timing)
    alarms = list(dict.fromkeys(row["alarm"] for row in rows))
    columns = min(ACROSS, len(alarms))
    lines = -(-len(alarms) // columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(4.0 * columns, 2.6 * lines + 0.3), sharex=True, sharey=True, squeeze=False
    )
    shades = colours(names)
    zero = _zero_place(rows)
    _finish(grid[0, 0], rows, zero)
    for axes, alarm in zip(grid.flat, alarms, strict=False):
        if zero is not None:
            axes.axvline(zero * ZERO_APART**0.5, color=RULE, lw=1.0, ls=":", zorder=0)
        axes.plot([_place(row, zero) for row in rows], [row[DELAY] for row in rows], ".", color=RULE, ms=4, zorder=1)
        axes.set_title(alarm)
    for axes in grid.flat[len(alarms) :]:
        axes.set_visible(False)
    for number, axes in enumerate(grid.flat[: len(alarms)]):
        axes.tick_params(which="both", labelbottom=number + columns >= len(alarms))
    figure.subplots_adjust(left=0.09, right=0.97, top=0.95, bottom=0.6 / (2.6 * lines + 0.3), wspace=0.08, hspace=0.2)
    figure.supxlabel("steps in alarm (per 1,000 nominal steps)", fontsize=9.5, y=0.01)
    figure.supylabel("mean delay, capped at 20 (steps)", fontsize=9.5, x=0.01)
    for axes, alarm in zip(grid.flat, alarms, strict=False):
        here = {row["detector"]: row for row in rows if row["alarm"] == alarm}
        points = [(name, _place(here[name], zero), here[name][DELAY], shades[name]) for name in names if name in here]
        for name, x, y, shade in points:
            axes.plot(x, y, "o", ms=6.5, color=shade, mfc="white" if is_baseline(name) else shade, mew=1.4, zorder=3)
        label_points(axes, points, size=8.0)
    return figure


def _zero_place(rows: list[Row]) -> float | None:
    """Return where zero stands on the log axis; None if no number is zero."""
    positive = [float(row[FALSE]) for row in rows if row[FALSE] > 0.0]
    return None if len(positive) == len(rows) else min(positive, default=1.0) / ZERO_APART


def _place(row: Row, zero: float | None) -> float:
    return float(row[FALSE]) if row[FALSE] > 0.0 or zero is None else zero


def _finish(axes: Any, rows: list[Row], zero: float | None) -> None:
    from matplotlib.ticker import FixedLocator

    places = [_place(row, zero) for row in rows]
    positive = [place for place in places if place != zero] or [1.0]
    low, high = min(positive), max(positive)
    axes.set_xscale("log")
    axes.set_xlim(min(places) / 1.6, max(places) * 1.6)
    axes.set_ylim(0, max(row[DELAY] for row in rows) * 1.08)
    axes.xaxis.set_major_formatter(lambda value, _: "0" if value == zero else f"{value:g}")
    narrow = high / low < DECADE**2
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}" if narrow and f"{value:.1e}"[0] in "25" else "")
    if zero is not None:
        shown = [
            [tick for tick in found if low / 1.3 <= tick <= high * 1.6]
            for found in (axes.xaxis.get_majorticklocs(), axes.xaxis.get_minorticklocs())
        ]
        axes.xaxis.set_major_locator(FixedLocator([zero, *shown[0]]))
        axes.xaxis.set_minor_locator(FixedLocator(shown[1]))
    axes.yaxis.get_major_locator().set_params(integer=True)
