"""The report of a transfer study: tables, one figure and one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.plot_style import DOTTED, INK, REFERENCE, markers, pyplot
from offnominal.core.rounding import fixed
from offnominal.evaluation.metrics import METRICS
from offnominal.kinds.transfer.cell_run import RECALIBRATED
from offnominal.kinds.transfer.results import METRIC, Pair, TransferResults
from offnominal.kinds.transfer.tables import LABEL, transfer_tables
from offnominal.reports.colours import colours_in_order
from offnominal.reports.dot_panels import name_rows
from offnominal.reports.save_figures import save_figures
from offnominal.reports.study_figures import axis_label
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

CAPTION = (
    "Above: time-matched AUROC with 95 % intervals; 0.5 is random (dashed). Below: fraction of nominal test episodes "
    "with a false alarm ({alarm}), threshold from the training world (dot) or from the tested world (diamond)."
)
EXPLANATION = (
    "A → B: trained and calibrated in A, tested in B. An asterisk marks a change whose 95 % interval excludes 0. "
    "Recalibrated alarms have their thresholds from nominal validation episodes of the tested world."
)


def write_transfer_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a transfer study; return the page."""
    found = TransferResults.of(results.table)
    save_figures(pyplot(), {"transfer": lambda plt: transfer_figure(plt, found)}, folder / "figures", dpi=200)
    captions = {"transfer": CAPTION.format(alarm=next(iter(found.alarms), "no alarm"))}
    facts = {"detectors": len(found.names), "worlds": len(found.worlds)}
    tables = transfer_tables(found)
    return write_table_report(results, _headline(found), tables, captions, folder, facts=facts, explanation=EXPLANATION)


def _headline(found: TransferResults) -> str:
    """Return the detector with the best mean over the pairs of different worlds, and its range over them."""
    pairs = [pair for pair in found.pairs if pair[0] != pair[1]]
    if not found.names or not pairs:
        return "No detector was tested in a world other than its own."
    estimates = [found.estimate(found.names[0], pair, found.shared_splits or None) for pair in pairs]
    values = [each.value for each in estimates if each is not None and each.value is not None]
    if not values:
        return "No detector was tested in a world other than its own."
    span = fixed(values[0], 3) if len(values) == 1 else f"{fixed(min(values), 3)} to {fixed(max(values), 3)}"
    return f"{found.names[0]} has the highest mean {LABEL} in worlds other than its own: {span}."


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
