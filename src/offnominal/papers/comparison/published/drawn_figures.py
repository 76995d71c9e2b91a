"""The figures of the paper that we draw too, and the data that they are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.figures import (
    label_budget_data,
    label_budget_figure,
    pareto_data,
    pareto_figure,
    variants_figure,
)
from offnominal.papers.comparison.ranks import table_ranks
from offnominal.papers.comparison.sensitivity import variants
from offnominal.papers.figure_numbers import numbers_in, plain_numbers
from offnominal.papers.paper import FigureData, PublishedFigure
from offnominal.studies.results import RunResults


def _variants_data(outcomes: ComparisonResults) -> FigureData | None:
    names, values = variants(outcomes)
    return {"names": list(names), "ranks": plain_numbers(table_ranks(values))} if len(names) > 1 else None


def _variants_figure(plt: Any, data: FigureData) -> Any:
    return variants_figure(plt, data["names"], numbers_in(data["ranks"]))


def _data(results: RunResults, *, of: Callable[[ComparisonResults], FigureData | None]) -> FigureData | None:
    """Return the data of a figure; None without results."""
    return of(ComparisonResults.of(results.table)) if results.cells else None


def published_figures(tables: str, deep: str) -> tuple[PublishedFigure, ...]:
    """Return the figures.

    Args:
        tables: Name of the study of classical methods on tables.
        deep: Name of that of deep methods.
    """
    labels = "effect of labels: mean AUC and mean rank by the selection of the configuration"
    ranks, times = "ranks of the variants of autoencoders", "rank against time to fit and to score"
    return (
        PublishedFigure(4, labels, tables, "knowledge", partial(_data, of=label_budget_data), label_budget_figure),
        PublishedFigure(5, ranks, deep, "variants", partial(_data, of=_variants_data), _variants_figure),
        PublishedFigure(6, times, tables, "pareto", partial(_data, of=pareto_data), pareto_figure),
    )
