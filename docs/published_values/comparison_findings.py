"""The figures of the findings on the comparison of anomaly detectors."""

from collections import defaultdict
from statistics import quantiles

import numpy as np

from offnominal.papers.catalogue import figures_of, paper
from offnominal.papers.comparison.ranks import Ties, mean_ranks
from offnominal.papers.printed_values import printed_values
from offnominal.papers.result_sources import scales_of
from offnominal.papers.shipped_figures import shipped_figure
from published_values.finding_points import BESIDE, PUBLISHED, SHARES, beside, grouped, table
from published_values.point_figure import Point, PointFigure

PARTS = {"classical": "", "deep": "-deep"}
"""Ends of the names of the files of classical and of deep methods."""
RANKS = (1.0, 5.0, 10.0, 15.0, 20.0, 23.0)
SELECTED_BY = {"any": "none: drawn at random", "none": "known normal rows only", "all": "all labels"}
"""Labels that select the configuration, by their name in the figure of the paper."""


def methods() -> PointFigure:
    """Return the differences of test AUC between ours and published ones, over the tables of each method."""
    name = "ours − published"
    found: dict[str, dict[str, list[Point]]] = {}
    for part, ending in PARTS.items():
        of_tables = [row for row in table(f"comparison-IV{ending}") if row["ours"] and row["published"]]
        for method, rows in grouped([row for row in of_tables if not row["units"]], "method").items():
            low, middle, high = quantiles([float(row["ours"]) - float(row["published"]) for row in rows], n=4)
            found.setdefault(part, {})[f"{method} ({len(rows)} tables)"] = [Point(name, middle, low, high)]
    series = {name: "median over tables; the line is their middle half (not an interval)"}
    ticks = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
    return PointFigure("Differences of test AUC by method", "difference of test AUC", ticks, found, series, 0.0)


def rank_means() -> PointFigure:
    """Return ours and the published mean rank of each method by test AUC."""
    found = {
        part: beside([row for row in table(f"comparison-V{ending}") if _by_auc(row)], "method")
        for part, ending in PARTS.items()
    }
    series = {**BESIDE, PUBLISHED: "among the same methods, on the same tables"}
    return PointFigure(
        "Mean ranks of methods", "mean rank by test AUC (1 is best)", (1.0, 3.0, 5.0, 7.0, 9.0, 11.0), found, series
    )


def ties() -> PointFigure:
    """Return the printed mean ranks of Table IV, and those of its cells with two rules for ties."""
    rules: dict[str, Ties] = {"ties share the best place": "min", "ties have their mean place": "average"}
    rows = printed_values("comparison", "table_IV")
    printed = {row["method"]: float(row["value"]) for row in rows if row["quantity"] == "mean_rank"}
    cells: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["quantity"] == "mean_over_folds":
            cells[row["dataset"]][row["method"]] = float(row["value"])
    values = np.array([[cell[method] for method in printed] for cell in cells.values()])
    found: dict[str, list[Point]] = {method: [] for method in printed}
    for series, rule in rules.items():
        for method, rank in zip(printed, mean_ranks(values, ties=rule), strict=True):
            found[method].append(Point(series, float(rank)))
    for method, rank in printed.items():
        found[method].append(Point("printed", rank))
    about = dict.fromkeys(rules, "from the printed cells") | {"printed": "in the paper, to one digit"}
    return PointFigure("Mean ranks of Table IV by the rule for ties", "mean rank", RANKS, {"": found}, about)


def labels() -> PointFigure:
    """Return the mean test AUC of each method by the labels that select its configuration."""
    (figure,) = figures_of("comparison", [4])
    shipped = shipped_figure("comparison", figure, scales_of(paper("comparison").load_published(), figure))
    if shipped is None:
        raise ValueError("the package has no data of Figure 4 of the comparison")
    data = shipped.data
    budget = data["budgets"]["percents"]
    means = dict(zip(budget["labels"], budget["means"], strict=True))
    found = {
        method: [Point(series, means[label][place]) for label, series in SELECTED_BY.items()]
        for place, method in enumerate(data["methods"])
    }
    about = dict.fromkeys(SELECTED_BY.values(), "mean over the tables of all methods")
    ticks = (0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
    return PointFigure(
        "Test AUC by the labels that select the configuration", "mean test AUC", ticks, {"": found}, about
    )


def selection() -> PointFigure:
    """Return ours and the published AUC on images, with a configuration for each class and with one for all classes."""
    found = {
        f"{title}, {images}": beside([row for row in table(name) if row["images"] == images], "method")
        for title, name in (("for each class", "comparison-VI-images"), ("for all", "comparison-C2-images"))
        for images in ("mnist", "fashion_mnist")
    }
    return PointFigure(
        "AUC on images by the selection of the configuration", "mean test AUC", SHARES, found, BESIDE, 0.5
    )


def _by_auc(row: dict[str, str]) -> bool:
    return (row["metric"], row["selection"]) == ("AUC", "mean")
