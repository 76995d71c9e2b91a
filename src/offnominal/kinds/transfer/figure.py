"""The figure of a transfer study: AUROC and false alarms of each detector, by training world and tested world."""

from __future__ import annotations

from typing import Any

from offnominal.core.plot_style import DOTTED, INK, REFERENCE, markers
from offnominal.evaluation.metrics import METRICS
from offnominal.kinds.transfer.execution import RECALIBRATED
from offnominal.kinds.transfer.results import METRIC, Pair, TransferResults
from offnominal.reports.colours import colours_in_order
from offnominal.reports.dot_panels import name_rows
from offnominal.reports.study_figures import axis_label

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
        grid[0, column].set_title(f"tested in {world}")
        if alarm is not None:
            _draw_rates(grid[1, column], found, world, trained, alarm)
    for axes in grid.flat:
        name_rows(axes, names)
    shades, shapes = _styles(trained)
    marks = [
        grid[0, 0].plot([], [], shapes[world], color=shades[world], label=f"trained in {world}")[0] for world in trained
    ]
    if any(key[1].endswith(RECALIBRATED) for key in found.rates):
        again = {"color": INK, "mfc": "none", "label": "alarm recalibrated in the tested world"}
        marks.append(grid[0, 0].plot([], [], "o", ms=10, **again)[0])
    figure.legend(handles=marks, loc="outside upper left", ncols=min(len(marks), len(found.worlds) + 1))
    return figure


def _draw_auroc(axes: Any, found: TransferResults, world: str, trained: list[str]) -> None:
    splits = found.shared_splits or None
    for place, shade, shape, name, pair in _places(found, world, trained):
        value = found.estimate(name, pair, splits)
        if value is not None and value.value is not None:
            _mark(axes, place, shade, shape, value.value, value.low, value.high)
    axes.axvline(METRICS[METRIC].random_value, color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)
    axes.set_xlabel(axis_label(METRIC))


def _draw_rates(axes: Any, found: TransferResults, world: str, trained: list[str], alarm: str) -> None:
    for place, shade, shape, name, pair in _places(found, world, trained):
        rate = found.rates.get((name, alarm, pair))
        if rate is not None:
            _mark(axes, place, shade, shape, rate.value, rate.low, rate.high)
        again = found.rates.get((name, alarm + RECALIBRATED, pair))
        if again is not None:
            axes.plot(again.value, place, "o", ms=10, color=shade, mfc="none", mew=1.2, zorder=2)
    axes.set_xlim(-0.04, 1.04)
    axes.set_xlabel("episodes with a false alarm (share)")


def _mark(axes: Any, place: float, shade: str, shape: str, value: float, low: float | None, high: float | None) -> None:
    if low is not None and high is not None:
        axes.plot([low, high], [place, place], color=shade, lw=3, alpha=0.4, solid_capstyle="butt")
    axes.plot(value, place, shape, ms=5, color=shade, zorder=3)


def _places(found: TransferResults, world: str, trained: list[str]) -> list[tuple[float, str, str, str, Pair]]:
    """Return the height, colour, shape, detector and worlds of every mark of a tested world."""
    step = SPREAD / max(len(trained), 1)
    offsets = [step * (number - (len(trained) - 1) / 2) for number in range(len(trained))]
    shades, shapes = _styles(trained)
    return [
        (row + offsets[number], shades[train], shapes[train], name, (train, world))
        for row, name in enumerate(found.names)
        for number, train in enumerate(trained)
    ]


def _styles(trained: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return colour and shape of each training world."""
    return colours_in_order(trained), markers(trained)
