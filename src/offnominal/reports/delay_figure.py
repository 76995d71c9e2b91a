"""Figure of delay against false alarms: a panel per alarm, a named point per detector."""

from __future__ import annotations

from typing import Any

from offnominal.core.plot_style import RULE
from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.direct_labels import label_points
from offnominal.reports.timings import TIMING

DELAY, FALSE = TIMING["mean_delay"], TIMING["false_alarms"]
ACROSS = 2
FEWEST = 0.05
"""False alarms per 1,000 steps at which the axis begins; fewer are drawn there."""

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
    _finish(grid[0, 0], rows)
    for axes, alarm in zip(grid.flat, alarms, strict=False):
        axes.plot([_spent(row) for row in rows], [row[DELAY] for row in rows], ".", color=RULE, ms=4, zorder=1)
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
        points = [(name, _spent(here[name]), here[name][DELAY], shades[name]) for name in names if name in here]
        for name, x, y, shade in points:
            axes.plot(x, y, "o", ms=6.5, color=shade, mfc="white" if is_baseline(name) else shade, mew=1.4, zorder=3)
        label_points(axes, points, size=8.0)
    return figure


def _spent(row: Row) -> float:
    return max(float(row[FALSE]), FEWEST)


def _finish(axes: Any, rows: list[Row]) -> None:
    spent = [_spent(row) for row in rows]
    axes.set_xscale("log")
    axes.set_xlim(min(spent) / 1.6, max(spent) * 1.6)
    axes.set_ylim(0, max(row[DELAY] for row in rows) * 1.08)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    narrow = max(spent) / min(spent) < DECADE**2
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}" if narrow and f"{value:.1e}"[0] in "25" else "")
    axes.yaxis.get_major_locator().set_params(integer=True)
