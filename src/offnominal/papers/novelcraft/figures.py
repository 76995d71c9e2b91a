"""The figures of a study of novelty: AUROC by novelty, galleries of frames, and scores along episodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.plot_style import FAULTY, INK, NOMINAL, REFERENCE
from offnominal.datasets.png import decode_png
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.novelcraft.results import EPISODE_NOVELTIES, EPISODES, NoveltyResults
from offnominal.papers.novelcraft.tables import Method, label_of, ordered, shown
from offnominal.papers.novelcraft.task_result import Row
from offnominal.reports.confusion_figure import confusion_figure
from offnominal.reports.dot_panels import dot_panels

BASELINE = "Random"
"""Method that is not compared with others."""
ROWS = {"highest": "most novel", "lowest": "least novel"}
WIDTH = 8.0
"""Width of the figure of an episode in inches."""
MOST_DECIMALS = 6


def modality_figure(plt: Any, found: NoveltyResults) -> Any:
    """Draw the AUROC of every method with its 95 % interval: a panel per novelty, best on top, the baseline last."""
    methods = sorted(ordered(found, EPISODES), key=lambda method: method[0] == BASELINE)
    by_name = {shown(method): method for method in methods}

    def auroc(novelty: str, name: str) -> Estimate:
        return found.estimate(EPISODE_NOVELTIES, *by_name[name], "auroc", novelty)

    panels = {label_of(novelty): partial(auroc, novelty) for novelty in found.row_names(EPISODE_NOVELTIES)}
    label = "AUROC of episodes (0.5 = random)"
    return dot_panels(plt, list(by_name), panels, label=label, random_value=0.5, limits=(-0.03, 1.03))


def gallery_figure(plt: Any, examples: Sequence[Row]) -> Any:
    """Draw the frames with the highest scores above those with the lowest.

    Args:
        plt: Matplotlib's pyplot.
        examples: Examples of one cell. A frame that is among the highest and the lowest is left out.
    """
    both = _in_both(examples)
    groups = {
        group: [each for each in examples if each["group"] == group and _identity(each) not in both] for group in ROWS
    }
    columns = max(1, *map(len, groups.values()))
    size = (1.3 * columns, 3.3)
    figure, grid = plt.subplots(len(ROWS), columns, figsize=size, layout="constrained", squeeze=False)
    for axes in grid.ravel():
        axes.set_axis_off()
    digits = _decimals([each["values"][0] for rows in groups.values() for each in rows])
    for row, (group, title) in enumerate(ROWS.items()):
        for axes, each in zip(grid[row], groups[group], strict=False):
            axes.set_axis_on()
            _image(axes, decode_png(each["png"]), FAULTY if each["novel"] else NOMINAL)
            axes.set_title(label_of(each["label"]), fontsize=8, fontweight="normal", loc="center", pad=3)
            axes.set_xlabel(f"{each['values'][0]:.{digits}f}", fontsize=8, labelpad=2)
        grid[row, 0].set_ylabel(title, fontsize=9)
    return figure


def _in_both(examples: Sequence[Row]) -> set[tuple[bytes, float]]:
    """Return the frames that are among the highest and the lowest, as those of a small set are."""
    found = [{_identity(each) for each in examples if each["group"] == group} for group in ROWS]
    shared = set.intersection(*found)
    return shared if all(each - shared for each in found) else set()


def _identity(each: Row) -> tuple[bytes, float]:
    return each["png"], each["values"][0]


def _decimals(scores: Sequence[float]) -> int:
    """Return how many decimals show differences of a hundredth of the range.

    Example:
        >>> _decimals([253.1, 254.2]), _decimals([0.1, 0.105]), _decimals([100.0, 900.0])
        (2, 5, 0)
    """
    spread = max(scores, default=0.0) - min(scores, default=0.0)
    return min(MOST_DECIMALS, max(0, 2 - math.floor(math.log10(spread)))) if spread > 0.0 else 2


def curve_figure(plt: Any, examples: Mapping[Method, Row]) -> Any:
    """Draw frames of one episode above the scores of several methods along it; dotted lines are at these frames.

    Args:
        plt: Matplotlib's pyplot.
        examples: Example of the same episode by method.
    """
    first = next(iter(examples.values()))
    _, episode, numbers = first["label"].split("|")
    places = [int(number) for number in numbers.split(",")]
    colour = FAULTY if first["novel"] else NOMINAL
    tiles = np.split(decode_png(first["png"]), len(places), axis=1)
    figure = plt.figure(figsize=(WIDTH, 1.55 + 0.85 * len(examples)), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[1.25, 0.3 + 0.85 * len(examples)])
    for axes, place, tile in zip(above.subplots(1, len(places), squeeze=False)[0], places, tiles, strict=True):
        _image(axes, tile, colour)
        axes.set_xlabel(f"frame {place}", fontsize=8, labelpad=2)
    above.suptitle(f"{'novel' if first['novel'] else 'normal'} episode {episode}", fontsize=9, x=0.01, ha="left")
    grid = below.subplots(len(examples), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (method, each) in zip(grid, examples.items(), strict=True):
        threshold, *scores = each["values"]
        for place in places:
            axes.axvline(place, color=REFERENCE, lw=0.7, ls=":", zorder=0)
        axes.plot(np.arange(len(scores)), scores, color=colour, lw=1.4)
        axes.axhline(threshold, color=INK, lw=0.9, ls="--")
        axes.set_xlim(-0.5, len(scores) - 0.5)
        axes.set_title(f"{shown(method)}: anomaly score", fontsize=8.5, fontweight="normal", pad=2)
        axes.tick_params(labelsize=8)
        axes.grid(False, axis="x")
        axes.locator_params(axis="y", nbins=3)
    grid[-1].set_xticks(places)
    grid[-1].set_xlabel("time (frames)")
    return figure


def discovery_figure(plt: Any, example: Row) -> Any:
    """Draw the confusion matrix of a category discovery."""
    labelled, _, names = example["label"].partition("|")
    classes = names.split(",")
    counts = np.array(example["values"], np.int64).reshape(len(classes), -1)
    return confusion_figure(plt, counts, [label_of(name) for name in classes], labelled=int(labelled))


def _image(axes: Any, image: Any, colour: str) -> None:
    """Draw an image with a border."""
    axes.imshow(image, interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=colour, linewidth=2.0)
