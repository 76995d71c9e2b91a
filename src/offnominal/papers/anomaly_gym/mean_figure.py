"""Figure 3: the mean of every detector over worlds and levels, from the values of Tables 12 and 13."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.plot_style import GREY, RULE, SERIES
from offnominal.papers.anomaly_gym.discrimination_tables import every_metric
from offnominal.papers.figure_numbers import numbers_in, plain_numbers
from offnominal.papers.paper import FigureData, PublishedFigure
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

METRICS = ("AUROC", "AUPR", "FPR95")
FIRST_PANEL = {False: "a", True: "d"}
"""The panel with the mean AUROC, of vector and of image detectors; the text of the paper names these two alone."""
UNKNOWN = (
    "Neither its numbers nor what it shows are known here: the text that this comparison was made from has none. "
    "Tables 3, 4, 5, 12 and 13 have the published numbers."
)


def means_of_detectors(lines: Sequence[PublishedComparison]) -> FigureData | None:
    """Return our values and the published ones by metric and detector; None without any of ours.

    A published mean is over the worlds and levels that ours has, and over all if we have none.

    Args:
        lines: The lines of Table 12 or 13.
    """
    found: dict[str, dict[str, dict[str, list[float]]]] = {metric: {} for metric in METRICS}
    for line in lines:
        if line.labels["metric"] in found:
            each = found[line.labels["metric"]].setdefault(line.labels["detector"], {"ours": [], "both": [], "all": []})
            if line.ours.value is not None:
                each["ours"].append(line.ours.value)
            if line.published is not None:
                each["all"].append(line.published)
                each["both"] += [line.published] * (line.ours.value is not None)
    if not any(each["ours"] for each in found[METRICS[0]].values()):
        return None
    return {
        metric: {
            detector: {
                "ours": plain_numbers(np.array(each["ours"])),
                "published": plain_numbers(np.array(each["both"] or ([] if each["ours"] else each["all"]))),
            }
            for detector, each in detectors.items()
        }
        for metric, detectors in found.items()
    }


def draw_means(plt: Any, data: FigureData, *, images: bool) -> Any:
    """Draw a panel per metric and a line per detector: our values, their mean, and the published mean.

    Args:
        plt: matplotlib's pyplot.
        data: Result of :func:`means_of_detectors`.
        images: Whether these are image detectors.
    """
    first = data[METRICS[0]]
    order = sorted(first, key=lambda name: -_mean(first[name]["ours"] or first[name]["published"]))
    size = (11.0, 0.36 * len(order) + 1.4)
    figure, panels = plt.subplots(1, len(METRICS), figsize=size, sharey=True, layout="constrained")
    for place, (axes, metric) in enumerate(zip(panels, METRICS, strict=True)):
        better = "lower is better" if metric == "FPR95" else "higher is better"
        axes.set_title(f"{chr(ord(FIRST_PANEL[images]) + place)}  {metric} ({better})")
        axes.set_xlim(-0.02, 1.02)
        for y, name in enumerate(order):
            _draw_detector(axes, y, data[metric].get(name, {"ours": [], "published": []}))
        if metric == "AUROC":
            axes.axvline(0.5, color=RULE, zorder=0)
    panels[0].set_yticks(range(len(order)), [f"{name}  ({len(first[name]['ours'])})" for name in order])
    panels[0].set_xlabel("in brackets: number of worlds and levels of ours", fontsize=8.0, loc="left")
    panels[0].invert_yaxis()
    handles = [
        panels[0].plot([], [], "o", color=SERIES[0], alpha=0.25, ms=4, label="ours, one world and level")[0],
        panels[0].plot([], [], "o", color=SERIES[0], ms=8, label="ours, mean")[0],
        panels[0].plot([], [], "D", color=GREY, ms=6, label="published, mean of the same worlds and levels")[0],
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _draw_detector(axes: Any, y: int, values: FigureData) -> None:
    ours, published = numbers_in(values["ours"]), numbers_in(values["published"])
    axes.plot(ours, np.full(len(ours), y), "o", color=SERIES[0], alpha=0.25, ms=4, mew=0)
    if published.size:
        axes.plot([published.mean()], [y + 0.25], "D", color=GREY, ms=6, mec="white", zorder=3)
    if ours.size:
        axes.plot([ours.mean()], [y], "o", color=SERIES[0], ms=8, mec="white", zorder=4)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _data(results: RunResults) -> FigureData | None:
    return means_of_detectors(every_metric(results)) if results.cells else None


def mean_figure(study: str, table: int, *, images: bool) -> PublishedFigure:
    """Return the part of the figure about vector or image detectors.

    Args:
        study: Name of its study.
        table: Number of the table with its values.
        images: Whether it is about image detectors.
    """

    def draw(plt: Any, data: FigureData) -> Any:
        return draw_means(plt, data, images=images)

    kind = "image" if images else "vector"
    return PublishedFigure(
        3,
        f"means of {kind} detectors over worlds, faults and two levels",
        study,
        f"figure-3-{kind}s",
        _data,
        draw,
        images=images,
        tables=(str(table),),
        of_values=means_of_detectors,
    )
