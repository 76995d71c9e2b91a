"""The figures of a comparison of detectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import pyplot
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.figures.label_budget_figure import label_budget_figure
from offnominal.papers.comparison.figures.pareto_figure import pareto_figure
from offnominal.papers.comparison.figures.sensitivity_figure import SEPARATE_BY, sensitivity_figure
from offnominal.papers.comparison.figures.variants_figure import variants_figure
from offnominal.papers.comparison.search.search_space import search_space_of
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.ranks import compare_methods
from offnominal.papers.comparison.selection.sensitivity import parameters_of
from offnominal.papers.comparison.selection.variants import variants
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.heat_cells import draw_heat_cells
from offnominal.reports.save_figures import save_figures

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
        lambda plt: label_budget_figure(plt, outcomes),
    )
    drawings["pareto"] = (
        "Rank against time: mean rank of the test AUC, and CPU seconds per configuration; no method is better and "
        "faster than those on the dashed line",
        lambda plt: pareto_figure(plt, outcomes, values),
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
            lambda plt: variants_figure(plt, names, tried),
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
