"""The figure of a transfer study: AUROC and false alarms of each detector, by training world and tested world."""

from __future__ import annotations

from typing import Any

from offnominal.reports.transfer.results import METRIC, Pair, TransferResults
from offnominal.studies.metrics import METRICS
from offnominal.studies.transfer.execution import RECALIBRATED

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SPREAD = 0.56
"""Height of the marks of one detector, in rows."""


def transfer_figure(plt: Any, found: TransferResults) -> Any:
    """Draw a column of axes per tested world; AUROC above, false alarms of the first alarm below."""
    names, alarm = found.names, next(iter(found.alarms), None)
    trained = list(dict.fromkeys(train for train, _ in found.pairs))
    rows = 1 if alarm is None else 2
    height = (0.24 * len(trained) + 0.12) * len(names) + 0.7
    figure, grid = plt.subplots(
        rows,
        len(found.worlds),
        figsize=(1.4 + 2.9 * len(found.worlds), height * rows + 0.4),
        sharex="row",
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for column, world in enumerate(found.worlds):
        _draw_auroc(grid[0, column], found, world, trained)
        grid[0, column].set_title(f"tested in {world}", fontsize=9)
        if alarm is not None:
            _draw_rates(grid[1, column], found, world, trained, alarm)
    for axes in grid.flat:
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    marks = [
        grid[0, 0].plot([], [], "o", color=COLOURS[number % len(COLOURS)], label=f"trained in {world}")[0]
        for number, world in enumerate(trained)
    ]
    figure.legend(handles=marks, loc="outside upper left", ncols=len(marks), fontsize=8)
    return figure


def _draw_auroc(axes: Any, found: TransferResults, world: str, trained: list[str]) -> None:
    splits = found.shared_splits or None
    for place, shade, name, pair in _places(found, world, trained):
        value = found.estimate(name, pair, splits)
        if value is not None and value.value is not None:
            _mark(axes, place, shade, value.value, value.low, value.high)
    axes.axvline(METRICS[METRIC].random_value, color="#888888", lw=0.9, ls=(0, (3, 3)), zorder=0)
    axes.set_xlabel(METRICS[METRIC].label)


def _draw_rates(axes: Any, found: TransferResults, world: str, trained: list[str], alarm: str) -> None:
    for place, shade, name, pair in _places(found, world, trained):
        rate = found.rates.get((name, alarm, pair))
        if rate is not None:
            _mark(axes, place, shade, rate.value, rate.low, rate.high)
        again = found.rates.get((name, alarm + RECALIBRATED, pair))
        if again is not None:
            axes.plot(again.value, place, "D", ms=8, color=shade, mfc="none", mew=1.2, zorder=2)
    axes.set_xlim(-0.04, 1.04)
    axes.set_xlabel("episodes with a false alarm")


def _mark(axes: Any, place: float, shade: str, value: float, low: float | None, high: float | None) -> None:
    if low is not None and high is not None:
        axes.plot([low, high], [place, place], color=shade, lw=3, alpha=0.4, solid_capstyle="butt")
    axes.plot(value, place, "o", ms=5, color=shade, zorder=3)


def _places(found: TransferResults, world: str, trained: list[str]) -> list[tuple[float, str, str, Pair]]:
    """Return the height, colour, detector and worlds of every mark of a tested world."""
    step = SPREAD / max(len(trained), 1)
    offsets = [step * (number - (len(trained) - 1) / 2) for number in range(len(trained))]
    return [
        (row + offsets[number], COLOURS[number % len(COLOURS)], name, (train, world))
        for row, name in enumerate(found.names)
        for number, train in enumerate(trained)
    ]
