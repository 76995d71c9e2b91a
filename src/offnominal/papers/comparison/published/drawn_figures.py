"""The figures of the paper that we draw too, and the data that they are drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.plot_style import GREY, INK
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.figures import (
    label_budget_data,
    label_budget_figure,
    pareto_data,
    pareto_figure,
    variants_figure,
)
from offnominal.papers.comparison.published.comparison_lines import rule
from offnominal.papers.comparison.published.image_tables import BLUE_PIXELS, class_table, figure_c3, mean_table
from offnominal.papers.comparison.published.metric_tables import cell_table
from offnominal.papers.comparison.published.rank_lines import Cells, complete
from offnominal.papers.comparison.ranks import compare_methods, table_ranks
from offnominal.papers.comparison.search_spaces import search_space_of
from offnominal.papers.comparison.sensitivity import variants
from offnominal.papers.figure_numbers import numbers_in, plain_numbers
from offnominal.papers.paper import FigureData, PublishedFigure, Values
from offnominal.reports.critical_figure import critical_figure
from offnominal.studies.friedman import RankComparison
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

Unfilled = Callable[[Any], str]
Lines = Callable[[RunResults], list[PublishedComparison]]
PROBLEM = ("table", "images", "class")
"""Labels of what methods are ranked on."""
UNITS = {"table": "tables", "images": "image sets", "class": "classes of image sets"}
"""What methods are ranked on, by the last of these labels."""


def _variants_data(outcomes: ComparisonResults) -> FigureData | None:
    names, values = variants(outcomes)
    return {"names": list(names), "ranks": plain_numbers(table_ranks(values))} if len(names) > 1 else None


def _variants_figure(plt: Any, data: FigureData) -> Any:
    return variants_figure(plt, data["names"], numbers_in(data["ranks"]))


def _data(results: RunResults, *, of: Callable[[ComparisonResults], FigureData | None]) -> FigureData | None:
    """Return the data of a figure, from tables that all its methods have; None without results."""
    return of(ComparisonResults.of(results.table).whole()) if results.cells else None


def _of_lines(results: RunResults, *, lines: Lines, of: Callable[[Values], FigureData | None]) -> FigureData | None:
    """Return the data of a figure of the values of a table; None without results."""
    return of(lines(results)) if results.cells else None


def critical_data(values: Values) -> FigureData | None:
    """Return the mean ranks of our values and their critical difference, as the paper computes both.

    Methods with less than half as many values as others are left out, and then problems on which one of the others has
    none.

    Args:
        values: Of published tables with a value by table, or by image set and class.

    Returns:
        None with fewer than five methods or two problems.

    Example:
        >>> critical_data([]) is None
        True
    """
    cells: Cells = {
        (tuple(line.labels[name] for name in PROBLEM if name in line.labels), line.labels["method"]): line.ours.value
        for line in values
        if line.rule == rule("share") and line.ours.value is not None and not math.isnan(line.ours.value)
    }
    if not cells:
        return None
    problems, methods = complete(cells, cells)
    if not problems:
        return None
    found = np.array([[cells[problem, method] for method in methods] for problem in problems])
    compared = compare_methods(methods, found, ties="min", decimals=2)
    unit = [UNITS[name] for name in PROBLEM if name in values[0].labels][-1]
    return None if compared is None else {**asdict(compared), "unit": unit}


def _critical_figure(plt: Any, data: FigureData) -> Any:
    compared = RankComparison(
        tuple(data["names"]),
        tuple(data["ranks"]),
        data["blocks"],
        data["statistic"],
        data["p_value"],
        data["critical_difference"],
    )
    figure = critical_figure(plt, compared)
    about = f"{len(compared.names)} methods on {compared.blocks} {data['unit']}; Nemenyi's test, 10 %"
    figure.text(0.0, -0.02, about, fontsize=8)
    return figure


def airplane_data(values: Values) -> FigureData | None:
    """Return our AUC of methods trained on airplanes and the published one, the best published one first."""
    known = sorted((line for line in values if line.published is not None), key=lambda line: -(line.published or 0.0))
    if all(line.ours.value is None for line in known):
        return None
    return {
        "methods": [line.labels["method"] for line in known],
        "ours": [line.ours.value for line in known],
        "published": [line.published for line in known],
    }


def airplane_figure(plt: Any, data: FigureData) -> Any:
    """Draw a row per method: our AUC and the published one.

    Args:
        plt: matplotlib's pyplot.
        data: Of :func:`airplane_data`.
    """
    names = ["blue pixels" if name == BLUE_PIXELS else search_space_of(name).title for name in data["methods"]]
    places = np.arange(len(names))[::-1]
    figure, axes = plt.subplots(figsize=(5.6, 0.3 * len(names) + 0.9))
    axes.plot(numbers_in(data["published"]), places, "o", mfc="white", mec=GREY, ms=7, label="published")
    axes.plot(numbers_in(data["ours"]), places, "o", color=INK, ms=5, label="ours")
    axes.set_yticks(places, names)
    axes.set_xlabel("test AUC, airplanes normal and the other nine classes of CIFAR-10 anomalous (0.5 = random)")
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right")
    return figure


def published_figures(
    tables: str,
    deep: str,
    images: str,
    images_in: str,
    *,
    scale: str,
    unfilled: Sequence[Unfilled],
) -> tuple[PublishedFigure, ...]:
    """Return the figures.

    Args:
        tables: Name of the study of classical methods on tables.
        deep: Name of that of deep methods.
        images: Name of that on images, one class left out.
        images_in: Name of that with one class left in.
        scale: Scale of the studies on images.
        unfilled: Why a run has no ranks on tables, no ranks on classes, no variants, and no airplanes.
    """
    few_tables, few_classes, few_variants, no_airplanes = unfilled
    ranked = partial(_critical, few_tables=few_tables, few_classes=few_classes)
    budgets = "effect of labels: mean AUC and mean rank by the selection of the configuration"
    airplanes = partial(_of_lines, lines=figure_c3, of=airplane_data)
    return (
        ranked(1, "mean ranks of the AUC on tables", tables, "IV", partial(cell_table, metric="AUC", classical=True)),
        ranked(3, "mean ranks on image sets", images, "VI", partial(mean_table, item="table_VI"), scale=scale),
        PublishedFigure(4, budgets, tables, "knowledge", partial(_data, of=label_budget_data), label_budget_figure),
        PublishedFigure(
            5,
            "ranks of the variants of autoencoders",
            deep,
            "variants",
            partial(_data, of=_variants_data),
            _variants_figure,
            unfilled=few_variants,
        ),
        PublishedFigure(
            6, "rank against time to fit and to score", tables, "pareto", partial(_data, of=pareto_data), pareto_figure
        ),
        ranked(
            "B1",
            "mean ranks of the TPR at 5 % false alarms on tables",
            tables,
            "B1",
            partial(cell_table, metric="TPR@5", classical=True),
        ),
        ranked(
            "C1",
            "mean ranks on the classes of image sets, each left out",
            images,
            "C5",
            partial(class_table, item="table_C5"),
            scale=scale,
        ),
        PublishedFigure(
            "C2",
            f"{budgets}, images",
            images,
            "knowledge",
            partial(_data, of=label_budget_data),
            label_budget_figure,
            scale,
        ),
        PublishedFigure(
            "C3",
            "AUC of methods trained on airplanes",
            images_in,
            "airplanes",
            airplanes,
            airplane_figure,
            scale,
            tables=("figC3",),
            of_values=airplane_data,
            unfilled=no_airplanes,
        ),
    )


def _critical(
    number: int | str,
    title: str,
    study: str,
    table: str,
    lines: Lines,
    *,
    few_tables: Unfilled,
    few_classes: Unfilled,
    scale: str = "laptop",
) -> PublishedFigure:
    """Return a diagram of critical differences."""
    return PublishedFigure(
        number,
        f"critical differences: {title}",
        study,
        f"critical_difference_{table}",
        partial(_of_lines, lines=lines, of=critical_data),
        _critical_figure,
        scale,
        tables=(table,),
        of_values=critical_data,
        unfilled=few_tables if scale == "laptop" else few_classes,
    )
