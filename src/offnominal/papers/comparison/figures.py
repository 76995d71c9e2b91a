"""The figures of a comparison: ranks, labels, times, sensitivity to parameters, variants, and all values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.plot_style import DOTTED, GREY, INK, MARKERS, REFERENCE, markers, pyplot
from offnominal.core.types import FloatArray, IntArray
from offnominal.papers.comparison.comparison_results import (
    ALL,
    BUDGETS,
    CLEAN,
    RANDOM_CHOICE,
    ComparisonResults,
    by_label_budget,
)
from offnominal.papers.comparison.ranks import compare_methods, mean_ranks, table_ranks
from offnominal.papers.comparison.search_spaces import search_space_of
from offnominal.papers.comparison.sensitivity import Effect, parameters_of, sensitivity, variants
from offnominal.papers.figure_numbers import numbers_in, plain_numbers
from offnominal.papers.paper import FigureData
from offnominal.reports.colours import HIGHLIGHTED, colours, colours_in_order
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.direct_labels import label_ends, label_points
from offnominal.reports.heat_cells import draw_heat_cells
from offnominal.reports.save_figures import save_figures
from offnominal.reports.tables import text

Drawing = tuple[str, Callable[[Any], Any]]
"""A caption, and a function that draws the figure with pyplot."""


def draw_figures(outcomes: ComparisonResults, folder: Path) -> dict[str, str]:
    """Write every figure as PNG and SVG; return their captions by name.

    Args:
        outcomes: Results of a run.
        folder: Folder of the figures.
    """
    plt = pyplot()
    drawings = _drawings(outcomes)
    save_figures(plt, {name: draw for name, (_, draw) in drawings.items()}, folder)
    return {name: caption for name, (caption, _) in drawings.items()}


def _drawings(outcomes: ComparisonResults) -> dict[str, Drawing]:
    values = outcomes.values("mean")
    drawings: dict[str, Drawing] = {}
    compared = compare_methods(outcomes.methods, values)
    if compared is not None:
        drawings["critical_difference"] = (
            "Mean ranks; methods under one bar do not differ significantly (Nemenyi, 10 %)",
            lambda plt: critical_figure(plt, compared),
        )
    drawings["knowledge"] = (
        "Effect of labels: test AUC and rank by the validation points that are labelled to select the configuration",
        lambda plt: label_budget_figure(plt, label_budget_data(outcomes)),
    )
    drawings["pareto"] = (
        "Rank against time: mean rank of the test AUC, and CPU seconds per configuration; no method is better and "
        "faster than those on the dashed line",
        lambda plt: pareto_figure(plt, pareto_data(outcomes)),
    )
    for method in SEPARATE_BY:
        if method in outcomes.methods and parameters_of(outcomes, method):
            drawings[f"sensitivity_{method}"] = (
                f"Sensitivity to the parameters of {search_space_of(method).title}: test AUC, mean over tables "
                "and seeds",
                partial(sensitivity_figure, outcomes=outcomes, method=method),
            )
    names, tried = variants(outcomes)
    if len(names) > 1:
        drawings["variants"] = (
            "Variants of autoencoders by loss, variance ([v] with a VampPrior) and score: ranks of the test AUC",
            lambda plt: variants_figure(plt, names, table_ranks(tried)),
        )
    drawings["heat"] = "Test AUC of every method on every table", lambda plt: _heat(plt, outcomes, values)
    return drawings


def _heat(plt: Any, outcomes: ComparisonResults, values: FloatArray) -> Any:
    tables, methods = outcomes.tables, outcomes.methods
    figure, axes = plt.subplots(figsize=(0.5 * len(methods) + 2.4, 0.24 * len(tables) + 0.8))
    image = draw_heat_cells(axes, values, tables, methods)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    plt.setp(axes.get_xticklabels(), rotation=45, ha="left", rotation_mode="anchor")
    bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.02, label="test AUC (0.5 = random)")
    bar.outline.set_visible(False)
    return figure


ENDS = {RANDOM_CHOICE: "drawn", CLEAN: "no\nanom.", ALL: "all\nlabels"}
ABOUT = {
    "percents": "most suspicious points that are labelled (%)",
    "numbers": "most suspicious points that are labelled (count)",
}


def label_budget_data(outcomes: ComparisonResults) -> FigureData:
    """Return mean test AUC and mean rank of each method by the labels that select the configuration.

    A mean over some tables only could not be compared with the others: it is not known.
    """
    budgets = {}
    for budget in BUDGETS:
        by = by_label_budget(outcomes, budget)
        means = np.array([found.mean(axis=0) for found in by.values()])
        ranks = np.array([np.where(np.isnan(found).any(axis=0), np.nan, mean_ranks(found)) for found in by.values()])
        budgets[budget] = {"labels": list(by), "means": plain_numbers(means), "ranks": plain_numbers(ranks)}
    last = plain_numbers(mean_ranks(outcomes.values("mean")))
    return {"methods": outcomes.methods, "ranks": last, "budgets": budgets}


def label_budget_figure(plt: Any, data: FigureData) -> Any:
    """Draw the mean test AUC and the mean rank by the labels that select the configuration, from none to all.

    A line joins the numbers of labels; a configuration drawn at random, one without known anomalies, and one chosen by
    all labels are single marks. The best methods with all labels are in colour.

    Args:
        plt: matplotlib's pyplot.
        data: Of :func:`label_budget_data`.
    """
    figure, grid = plt.subplots(2, len(BUDGETS), figsize=(8.6, 6.4), sharex="col", sharey="row")
    figure.subplots_adjust(wspace=0.06, hspace=0.08, right=0.86)
    methods = data["methods"]
    names = [methods[place] for place in np.argsort(numbers_in(data["ranks"]), kind="stable")]
    shades, shapes = colours(names), markers(names)
    for column, (budget, by) in zip(grid.T, data["budgets"].items(), strict=True):
        means, ranks = numbers_in(by["means"]), numbers_in(by["ranks"])
        for axes, values in zip(column, (means, ranks), strict=True):
            for name in reversed(names):
                _draw_budgets(
                    axes, by["labels"], values[:, methods.index(name)], color=shades[name], marker=shapes[name]
                )
        column[1].set_xticks(range(len(means)), [ENDS.get(label, label.rstrip("%")) for label in by["labels"]])
        column[1].set_xlabel(ABOUT[budget])
    grid[1, 0].invert_yaxis()
    grid[0, 0].set_ylabel("mean test AUC (0.5 = random)")
    grid[1, 0].set_ylabel("mean rank (1 = best)")
    for axes, values in zip(grid[:, -1], (means, ranks), strict=True):
        ends = {search_space_of(name).title: values[-1, methods.index(name)] for name in names}
        label_ends(axes, ends, {search_space_of(name).title: shades[name] for name in names})
    return figure


def _draw_budgets(axes: Any, labels: list[str], values: FloatArray, **style: str) -> None:
    budgets = np.array([label not in ENDS for label in labels])
    places = np.arange(len(labels))
    axes.plot(places[budgets], values[budgets], ms=4.5, lw=1.3, **style)
    axes.plot(places[~budgets], values[~budgets], ms=4.5, ls="", **style)


SHORTEST = 1e-5
"""Seconds at which the axis begins; shorter times are drawn there."""


def pareto_data(outcomes: ComparisonResults) -> FigureData:
    """Return the mean rank of the test AUC of each method, and the seconds to fit and to score a configuration."""
    seconds = plain_numbers(np.nanmean(outcomes.seconds(), axis=0))
    return {
        "methods": outcomes.methods,
        "ranks": plain_numbers(mean_ranks(outcomes.values("mean"))),
        "seconds": seconds,
    }


def pareto_figure(plt: Any, data: FigureData) -> Any:
    """Draw the mean rank of each method against the time it takes to fit and to score.

    Args:
        plt: matplotlib's pyplot.
        data: Of :func:`pareto_data`.
    """
    figure, both = plt.subplots(1, 2, figsize=(8.6, 4.2), sharey=True)
    figure.subplots_adjust(wspace=0.08)
    ranks, methods = numbers_in(data["ranks"]), data["methods"]
    names = [methods[place] for place in np.argsort(ranks, kind="stable")]
    shades = colours(names)
    both[0].set_ylim(np.nanmax(ranks) + 0.6, np.nanmin(ranks) - 0.6)
    both[0].set_ylabel("mean rank of the test AUC (1 = best)")
    seconds = np.maximum(numbers_in(data["seconds"]), SHORTEST)
    for axes, spent, step in zip(both, seconds.T, ("fit", "score"), strict=True):
        front = frontier(spent, ranks)
        axes.step(spent[front], ranks[front], where="post", color=REFERENCE, lw=1.0, ls=DOTTED, zorder=0)
        axes.set_xscale("log")
        axes.set_xlim(*decades(spent))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(plt.NullFormatter())
        axes.set_xlabel(f"CPU time to {step} a configuration (s)")
        places = [methods.index(name) for name in names]
        points = [
            (search_space_of(name).title, spent[at], ranks[at], shades[name])
            for name, at in zip(names, places, strict=True)
        ]
        for _, x, y, shade in points:
            axes.plot(x, y, "o", ms=6, color=shade)
        label_points(axes, points)
    return figure


def decades(seconds: FloatArray) -> tuple[float, float]:
    """Return the powers of ten between which times lie, with room for a name on the right.

    Example:
        >>> decades(np.array([0.02, 0.3]))
        (0.01, 1.0)
    """
    first, last = np.log10(np.nanmin(seconds) / 1.2), np.log10(np.nanmax(seconds) * 2.0)
    return float(10.0 ** np.floor(first)), float(10.0 ** np.ceil(last))


def frontier(cost: FloatArray, rank: FloatArray) -> IntArray:
    """Return the places that no other beats in both cost and rank, by rising cost.

    Example:
        >>> frontier(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 1.0])).tolist()
        [0, 2]
    """
    order: IntArray = np.lexsort((rank, cost))
    best = np.minimum.accumulate(rank[order])
    beaten = np.concatenate([[False], rank[order][1:] >= best[:-1]])
    return np.asarray(order[~beaten])


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
                _draw_effect(
                    axes, sensitivity(outcomes, method, parameter, where={apart: value}), shade, shape, f"{value}, "
                )
        else:
            _draw_effect(axes, sensitivity(outcomes, method, parameter), INK, MARKERS[0], "")
        axes.set_title(parameter)
        axes.set_xlabel("value")
    for axes in grid.flat[len(varying) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("mean test AUC (0.5 = random)")
    _legend(figure, grid)
    figure.subplots_adjust(wspace=0.08, hspace=0.55)
    return figure


def _draw_effect(axes: Any, effect: Effect, shade: str, shape: str, before: str) -> None:
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


def variants_figure(plt: Any, names: Sequence[str], ranks: FloatArray) -> Any:
    """Draw a box per variant: its ranks over tables, the best mean rank on top, the best few in colour.

    Args:
        plt: matplotlib's pyplot.
        names: Names of the variants.
        ranks: (tables, variants).
    """
    order = np.argsort(-ranks.mean(axis=0), kind="stable")
    best = colours_in_order([names[index] for index in order[::-1][:HIGHLIGHTED]])
    figure, axes = plt.subplots(figsize=(6.4, 0.24 * len(names) + 0.9))
    boxes = axes.boxplot(
        ranks[:, order], orientation="horizontal", widths=0.6, showmeans=True, patch_artist=True, sym=""
    )
    for place, index in enumerate(order):
        shade = best.get(names[index], GREY)
        boxes["boxes"][place].set(facecolor=f"{shade}40", edgecolor=shade)
        boxes["medians"][place].set(color=shade, linewidth=2)
        boxes["means"][place].set(marker="D", markersize=4, markerfacecolor="white", markeredgecolor=shade)
        for part in ("whiskers", "caps"):
            for line in boxes[part][2 * place : 2 * place + 2]:
                line.set(color=shade)
    axes.set_yticks(range(1, len(names) + 1), [names[index] for index in order])
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0.5, len(names) + 0.5)
    axes.set_xlabel("rank on a table (1 = best); box and line: quartiles, diamond: mean")
    return figure
