"""The figures of a run, for papers and slides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.plot_style import DOTTED, REFERENCE, RULE, pyplot
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.evaluation.alarm_budget import GRID
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.budget_curves import CURVES, NET_CURVES, BudgetCurve, budget_curves
from offnominal.reports.budget_text import allowed_rates
from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.default_alarm import default_alarm
from offnominal.reports.dot_panels import draw_estimate, name_rows
from offnominal.reports.guarantee_figure import guarantee_figure
from offnominal.reports.headline import NOT_CONTROLLED
from offnominal.reports.heat_cells import draw_heat_cells
from offnominal.reports.incidence_curves import IncidenceTable
from offnominal.reports.incidence_figure import incidence_figure
from offnominal.reports.leaderboard import metrics_of
from offnominal.reports.payload import KIND_ORDER, LEVEL_ORDER, in_order
from offnominal.reports.save_figures import save_figures
from offnominal.studies.friedman import friedman
from offnominal.studies.guarantees import guarantees, over_all_worlds
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.results import RunResults
from offnominal.studies.timings import Numbers, Place, over, timings

FALSE = "false_alarms"


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
    drawn: dict[str, Callable[[Any], Any]] = {
        "leaderboard": lambda plt: _leaderboard(plt, measured, metric),
        "by_kind": lambda plt: _boxes(plt, measured, metric, "kind", kinds),
        "by_level": lambda plt: _boxes(plt, measured, metric, "level", levels),
        "heat_map": lambda plt: _heat_map(plt, measured, metric, kinds),
    }
    compared = friedman(measured, metric)
    if compared is not None:
        drawn["critical_difference"] = lambda plt: critical_figure(plt, compared)
    names = [each.name for each in leaderboard(measured, metric)]
    curves = {
        what: {name: by_name[name] for name in names if name in by_name}
        for what in (*CURVES, *NET_CURVES)
        if (by_name := budget_curves(results.table, what))
    }
    if all(what in curves for what in CURVES):
        alarms = timings(results.table, (*CURVES.values(), FALSE))
        points = {what: _alarm_points(alarms, number) for what, number in CURVES.items()}
        rates = allowed_rates(results.table, list(dict.fromkeys(measured.world.tolist())))
        budgets = sorted({rate for rate in rates if rate is not None})
        seen = {what: curves[what] for what in CURVES}
        drawn["delay_false_alarms"] = lambda plt: delay_figure(plt, seen, points, budgets)
        if all(what in curves for what in NET_CURVES):
            net = {what: curves[what] for what in NET_CURVES}
            drawn["net_delay_false_alarms"] = lambda plt: delay_figure(plt, net, {}, budgets)
    over_time, alarm = IncidenceTable.of(results.table), default_alarm(results.table)
    if over_time is not None and alarm is not None and (found := over_time.curves(alarm)):
        in_order_of_names = {name: found[name] for name in names if name in found}
        drawn["detection_over_time"] = lambda plt: incidence_figure(plt, in_order_of_names, alarm)
    checks = over_all_worlds(guarantees(results.table))
    if any(check.level is not None for check in checks.values()):
        drawn["guarantees"] = lambda plt: guarantee_figure(plt, checks, names)
    save_figures(plt, drawn, folder, dpi=200)


def _alarm_points(found: Mapping[Place, Numbers], number: str) -> Points:
    """Return rate of false alarms and a number of each alarm and detector, over worlds and faults."""
    groups: dict[tuple[str, str], list[Numbers]] = {}
    for (alarm, _, _, name), numbers in found.items():
        groups.setdefault((alarm, name), []).append(numbers)
    points: dict[str, dict[str, tuple[float, float]]] = {}
    for (alarm, name), several in groups.items():
        mean = over(several)
        x, y = mean.get(FALSE), mean.get(number)
        if x is not None and y is not None:
            points.setdefault(alarm, {})[name] = (x, y)
    return points


def axis_label(metric: str) -> str:
    """Return a metric's label with its unit.

    Example:
        >>> axis_label("matched_auroc"), axis_label("fpr95"), axis_label("budget_mean_delay")
        ('Time-matched AUROC (0.5 = random)', 'FPR at 95 % TPR (share)', 'Delay at budget (steps)')
    """
    found = METRICS[metric]
    random = "" if found.random_value is None else f"{found.random_value:g} = random"
    return f"{found.label} ({found.unit or random or 'share'})"


def _leaderboard(plt: Any, measured: MetricTable, metric: str) -> Any:
    entries = leaderboard(measured, metric)
    shades = colours(each.name for each in entries)
    figure, axes = plt.subplots(figsize=(6.2, 0.32 * len(entries) + 1.0), layout="constrained")
    for place, each in enumerate(entries):
        draw_estimate(axes, each.estimate, place, shades[each.name], hollow=is_baseline(each.name))
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
    name_rows(axes, [each.name for each in entries])
    _random_line(axes.axvline, metric)
    axes.set_xlabel(f"{axis_label(metric)}, 95 % interval;\na shared letter: no significant difference")
    return figure


def _random_line(line: Callable[..., Any], metric: str) -> None:
    random_value = METRICS[metric].random_value
    if random_value is not None:
        line(random_value, color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)


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
        axes.set_title(entry)
        name_rows(axes, names)
    figure.supxlabel(f"{axis_label(metric)}, one point per fault", fontsize=9.5)
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
    kinds_by_split = dict(zip(measured.split.tolist(), measured.kind.tolist(), strict=True))
    levels_by_split = dict(zip(measured.split.tolist(), measured.level.tolist(), strict=True))
    levels = in_order(set(levels_by_split.values()), LEVEL_ORDER)
    splits = sorted(
        kinds_by_split,
        key=lambda split: (
            place[kinds_by_split[split]],
            split.partition("@")[0],
            levels.index(levels_by_split[split]),
            split,
        ),
    )
    values = np.array([[_mean(measured, split, name) for name in names] for split in splits])
    figure, axes = plt.subplots(figsize=(2.6 + 0.46 * len(names), 0.24 * len(splits) + 1.4), layout="constrained")
    image = draw_heat_cells(axes, values, splits, names, shares=_shares(values, metric))
    plt.setp(axes.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")
    axes.set_ylabel("fault @ strength")
    bar = figure.colorbar(image, ax=axes, label=axis_label(metric), shrink=min(1.0, 12 / len(splits)), pad=0.02)
    bar.outline.set_visible(False)
    if _shares(values, metric) is not None:
        low, high = _ends(values, metric)
        bar.ax.set_yticks([0.0, 1.0], [fixed(low, 2), fixed(high, 2)])
    return figure


def _shares(values: FloatArray, metric: str) -> FloatArray | None:
    """Return where values lie between the worst and the best; None for AUROC, which has its own scale."""
    if metric.endswith("auroc") and metric != "excess_auroc":
        return None
    low, high = _ends(values, metric)
    return (values - low) / ((high - low) or 1.0)


def _ends(values: FloatArray, metric: str) -> tuple[float, float]:
    """Return the worst and the best value."""
    ends = float(np.nanmin(values)), float(np.nanmax(values))
    return ends if METRICS[metric].higher else ends[::-1]


def _mean(measured: MetricTable, split: str, name: str) -> float:
    values = measured.values[(measured.split == split) & (measured.name == name)]
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


LABELS = {
    "detected": "detected within 20 steps (share)",
    "delay": "mean delay, a miss costs 20 (steps)",
    "net_detected": "net detection within 20 steps (share)",
    "net_delay": "net delay, a miss costs 20 (steps)",
}
NO_POWER = {"net_detected": 0.0, "net_delay": 20.0}
"""Numbers of random scores and of the elapsed time."""
MARKERS = "os^Dv*Xp"
Points = Mapping[str, Mapping[str, tuple[float, float]]]
"""Rate of false alarms and height of each alarm and detector."""


def delay_figure(
    plt: Any, curves: Mapping[str, Mapping[str, BudgetCurve]], points: Mapping[str, Points], budgets: Collection[float]
) -> Any:
    """Draw detection and delay against the rate of false alarms.

    Args:
        plt: matplotlib's pyplot.
        curves: For detection and for the delay, the curve of each detector, best first.
        points: The same for the alarms; none beside curves that are controlled for time.
        budgets: Budgets of the worlds, in false alarms per 1,000 steps; a dotted line each.
    """
    figure, panels = plt.subplots(1, len(curves), figsize=(9.6, 4.4), layout="constrained")
    names = list(next(iter(curves.values())))
    shades = colours(names)
    dotted = "budget" if len(budgets) == 1 else "budgets of the worlds"
    for axes, (what, found) in zip(panels, curves.items(), strict=True):
        for budget in budgets:
            axes.axvline(budget, color=RULE, lw=1.0, ls=":", zorder=0)
        for name, curve in found.items():
            axes.fill_between(GRID, curve.low, curve.high, color=shades[name], alpha=0.12, lw=0)
            axes.plot(GRID, curve.values, color=shades[name], lw=1.6, ls="--" if is_baseline(name) else "-", label=name)
        if what in NO_POWER:
            axes.axhline(NO_POWER[what], color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)
        for marker, each in zip(MARKERS, points.get(what, {}).values(), strict=False):
            for name, (x, y) in each.items():
                axes.plot(max(x, GRID[0]), y, marker, ms=5.5, color=shades[name], mec="white", mew=0.6, zorder=3)
        axes.set_xscale("log")
        axes.set_xlim(GRID[0] / 1.15, GRID[-1])
        axes.set_ylim(None if what == "net_detected" else 0, 1.02 if what.endswith("detected") else None)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_ylabel(LABELS[what])
        axes.set_xlabel(f"false alarms (per 1,000 nominal steps)\ndotted: the {dotted}")
    handles, labels = panels[0].get_legend_handles_labels()
    for marker, alarm in zip(MARKERS, next(iter(points.values()), {}), strict=False):
        (handle,) = panels[0].plot([], [], marker, color="0.4", ms=5.5)
        handles.append(handle)
        labels.append(alarm)
    about: dict[str, Any] = {"title": NOT_CONTROLLED, "title_fontsize": 8.5} if points else {}
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8, **about)
    return figure
