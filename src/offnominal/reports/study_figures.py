"""The figures of a run, for papers and slides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.figures import pyplot
from offnominal.reports.leaderboard import metrics_of
from offnominal.reports.payload import KIND_ORDER, LEVEL_ORDER, in_order
from offnominal.reports.save_figures import save_figures
from offnominal.reports.timings import TIMING, timing_rows
from offnominal.studies.friedman import friedman
from offnominal.studies.leaderboards import leaderboard, tied_with_best
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.metrics import METRICS
from offnominal.studies.results import RunResults

MARKERS = "os^DvPX*"
DELAY, FALSE = TIMING["mean_delay"], TIMING["false_alarms"]


def write_figures(results: RunResults, folder: Path) -> None:
    """Draw every figure of a run as PNG and SVG."""
    metrics = metrics_of(results)
    if not metrics:
        return
    plt = pyplot()
    metric = metrics[0]
    measured = MetricTable.of(results.table, metric)
    kinds = in_order(set(measured.kind.tolist()), KIND_ORDER)
    levels = in_order(set(measured.level.tolist()), LEVEL_ORDER)
    timing = timing_rows(results.table)
    drawn: dict[str, Callable[[Any], Any]] = {
        "leaderboard": lambda plt: _leaderboard(plt, measured, metric),
        "by_kind": lambda plt: _boxes(plt, measured, metric, "kind", kinds),
        "by_level": lambda plt: _boxes(plt, measured, metric, "level", levels),
        "heat_map": lambda plt: _heat_map(plt, measured, metric, kinds),
    }
    compared = friedman(measured, metric)
    if compared is not None:
        drawn["critical_difference"] = lambda plt: critical_figure(plt, compared)
    if any(row[DELAY] is not None and row[FALSE] is not None for row in timing):
        drawn["delay_false_alarms"] = lambda plt: _trade_off(plt, timing)
    save_figures(plt, drawn, folder, dpi=200)


def axis_label(metric: str) -> str:
    """Return a metric's label with its unit."""
    found = METRICS[metric]
    return f"{found.label} ({found.unit})" if found.unit else found.label


def _leaderboard(plt: Any, measured: MetricTable, metric: str) -> Any:
    entries = leaderboard(measured, metric)
    shades = colours(each.name for each in entries)
    figure, axes = plt.subplots(figsize=(6.2, 0.32 * len(entries) + 1.0), layout="constrained")
    for place, each in enumerate(entries):
        value, shade = each.estimate.value, shades[each.name]
        if each.estimate.low is not None:
            axes.plot([each.estimate.low, each.estimate.high], [place, place], color=shade, lw=4, alpha=0.45)
        axes.plot(value, place, "o", ms=6, color=shade, mfc="white" if is_baseline(each.name) else shade, mew=1.6)
        axes.annotate(
            each.tie,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            family="monospace",
            annotation_clip=False,
        )
    _names(axes, [each.name for each in entries])
    best = tied_with_best({each.name: each.tie for each in entries if each.tie})
    for label, each in zip(axes.get_yticklabels(), entries, strict=True):
        label.set_fontweight("bold" if each.name in best else "normal")
    _random_line(axes.axvline, metric)
    axes.set_xlabel(f"{axis_label(metric)}, 95 % interval; a shared letter: no significant difference")
    return figure


def _names(axes: Any, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _random_line(line: Callable[..., Any], metric: str) -> None:
    random_value = METRICS[metric].random_value
    if random_value is not None:
        line(random_value, color="#888888", lw=0.9, ls=(0, (3, 3)), zorder=0)


def _boxes(plt: Any, measured: MetricTable, metric: str, side: str, entries: list[str]) -> Any:
    names = [each.name for each in leaderboard(measured, metric)]
    shades = colours(names)
    size = (1.6 + 2.0 * len(entries), 0.3 * len(names) + 1.1)
    figure, grid = plt.subplots(
        1, len(entries), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for axes, entry in zip(grid[0], entries, strict=True):
        for place, name in enumerate(names):
            values = _per_fault(measured, name, side, entry)
            if values.size:
                _box(axes, values, place, shades[name], hollow=is_baseline(name))
        _random_line(axes.axvline, metric)
        axes.set_title(entry, fontsize=9)
        _names(axes, names)
    figure.supxlabel(f"{axis_label(metric)}, one point per fault", fontsize=9)
    return figure


def _per_fault(measured: MetricTable, name: str, side: str, entry: str) -> Any:
    """Return the mean over training runs for each (world, split)."""
    chosen = measured.take((measured.name == name) & (getattr(measured, side) == entry) & ~np.isnan(measured.values))
    faults: dict[tuple[str, str], list[float]] = {}
    for world, split, value in zip(chosen.world, chosen.split, chosen.values, strict=True):
        faults.setdefault((world, split), []).append(value)
    return np.array([np.mean(values) for values in faults.values()])


def _box(axes: Any, values: Any, place: int, shade: str, *, hollow: bool) -> None:
    line = {"color": shade, "lw": 1.0}
    axes.boxplot(
        values,
        positions=[place],
        orientation="horizontal",
        widths=0.55,
        whis=(0, 100),
        showcaps=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": "white" if hollow else shade + "50", "edgecolor": shade, "lw": 1.0},
        medianprops={"color": shade, "lw": 2.0},
        whiskerprops=line,
    )
    spread = place + 0.34 * (np.arange(len(values)) * 0.618 % 1.0 - 0.5)
    axes.plot(values, spread, ".", ms=2.6, color=shade, alpha=0.8)


def _heat_map(plt: Any, measured: MetricTable, metric: str, kinds: list[str]) -> Any:
    names = [each.name for each in leaderboard(measured, metric)]
    place = {kind: number for number, kind in enumerate(kinds)}
    kind_of = dict(zip(measured.split.tolist(), measured.kind.tolist(), strict=True))
    level_of = dict(zip(measured.split.tolist(), measured.level.tolist(), strict=True))
    levels = in_order(set(level_of.values()), LEVEL_ORDER)
    splits = sorted(
        kind_of,
        key=lambda split: (place[kind_of[split]], split.partition("@")[0], levels.index(level_of[split]), split),
    )
    values = np.array([[_mean(measured, split, name) for name in names] for split in splits])
    figure, axes = plt.subplots(figsize=(1.9 + 0.52 * len(names), 0.24 * len(splits) + 1.2), layout="constrained")
    random_value, higher = METRICS[metric].random_value, METRICS[metric].higher
    low = np.nanmin(values) if random_value is None else min(random_value, float(np.nanmin(values)))
    image = axes.imshow(values, aspect="auto", cmap="Blues" if higher else "Blues_r", vmin=low)
    middle = (image.norm.vmin + 2 * image.norm.vmax) / 3
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = value > middle if higher else value < middle
            axes.text(
                column,
                row,
                f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=6.5,
                color="white" if dark else "#222222",
            )
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(splits)), splits, fontsize=7.5)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label=axis_label(metric), shrink=0.7, pad=0.02).outline.set_visible(False)
    return figure


def _mean(measured: MetricTable, split: str, name: str) -> float:
    values = measured.values[(measured.split == split) & (measured.name == name)]
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _trade_off(plt: Any, timing: list[dict[str, Any]]) -> Any:
    rows = [row for row in timing if row[DELAY] is not None and row[FALSE] is not None]
    names, alarms = (list(dict.fromkeys(row[column] for row in rows)) for column in ("detector", "alarm"))
    shades = colours(names)
    figure, axes = plt.subplots(figsize=(7.0, 3.9), layout="constrained")
    for row in rows:
        shade, marker = shades[row["detector"]], MARKERS[alarms.index(row["alarm"]) % len(MARKERS)]
        face = "white" if is_baseline(row["detector"]) else shade
        axes.plot(max(row[FALSE], 0.05), row[DELAY], marker, ms=7, color=shade, mfc=face, mew=1.3, alpha=0.9)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:.1e}"[0] in "25" else "")
    axes.tick_params(axis="x", which="both", pad=5)
    axes.set_xlim(min(max(row[FALSE], 0.05) for row in rows) / 1.5, None)
    axes.set_ylim(0, None)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("steps in alarm per 1,000 nominal steps")
    axes.set_ylabel("mean delay, capped at 20 (steps)")
    marks = [
        axes.plot([], [], "o", color=shades[n], mfc="white" if is_baseline(n) else shades[n], label=n)[0] for n in names
    ]
    marks += [
        axes.plot([], [], MARKERS[i % len(MARKERS)], color="#555555", label=alarm)[0] for i, alarm in enumerate(alarms)
    ]
    figure.legend(handles=marks, loc="outside right upper", fontsize=8)
    return figure
