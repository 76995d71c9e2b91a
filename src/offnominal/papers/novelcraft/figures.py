"""The figures of a study of novelty: AUROC by novelty, galleries of frames, and scores along episodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.datasets.png import decode_png
from offnominal.papers.novelcraft.results import EPISODE_NOVELTIES, EPISODES, NoveltyResults
from offnominal.papers.novelcraft.tables import Method, label_of, ordered, shown
from offnominal.papers.novelcraft.task_result import Row
from offnominal.reports.confusion_figure import confusion_figure
from offnominal.reports.figures import FAULTY, NOMINAL

SPREAD = 0.75
"""Height of the marks of one novelty."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#A08000")
GREY = "#888888"
BASELINE = "Random"
"""Method that is not compared with others."""
ROWS = {"highest": "most novel", "lowest": "least novel"}
WIDTH = 9.0
"""Width of the figure of an episode in inches."""
MOST_DECIMALS = 6


def modality_figure(plt: Any, found: NoveltyResults) -> Any:
    """Draw the AUROC of every method by novelty, with 95 % intervals; the baseline is grey and last."""
    methods = sorted(ordered(found, EPISODES), key=lambda method: method[0] == BASELINE)
    novelties = found.row_names(EPISODE_NOVELTIES)
    height = 0.9 + max(0.5, 0.13 * len(methods)) * len(novelties) + 0.07 * len(methods)
    figure, axes = plt.subplots(figsize=(8.0, height), layout="constrained")
    step = SPREAD / max(len(methods), 1)
    for number, method in enumerate(methods):
        style = {"color": GREY if method[0] == BASELINE else PALETTE[number % len(PALETTE)]}
        mark = MARKERS[number % len(MARKERS)]
        for place, novelty in enumerate(novelties):
            value = found.estimate(EPISODE_NOVELTIES, *method, "auroc", novelty)
            if value.value is not None:
                y = place + step * (number - (len(methods) - 1) / 2)
                ends = [each for each in (value.low, value.high) if each is not None]
                axes.plot(ends, [y] * len(ends), lw=2.5, alpha=0.35, **style)
                axes.plot(value.value, y, mark, ms=4.5, **style)
        axes.plot([], [], mark, label=shown(method), **style)
    axes.axvline(0.5, color="#888888", lw=0.9, ls=(0, (3, 3)), zorder=0)
    for place in range(1, len(novelties)):
        axes.axhline(place - 0.5, color="#cccccc", lw=0.8, zorder=0)
    axes.set_yticks(range(len(novelties)), [label_of(name) for name in novelties])
    axes.set_ylim(len(novelties) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("AUROC of episodes")
    figure.legend(loc="outside upper left", ncols=4, fontsize=8)
    return figure


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
            axes.axvline(place, color="#999999", lw=0.7, ls=":", zorder=0)
        axes.plot(np.arange(len(scores)), scores, color=colour, lw=1.4)
        axes.axhline(threshold, color="#555555", lw=0.9, ls="--")
        axes.set_xlim(-0.5, len(scores) - 0.5)
        axes.set_title(shown(method), fontsize=8, fontweight="normal", pad=2)
        axes.tick_params(labelsize=7)
        axes.grid(False, axis="x")
        axes.locator_params(axis="y", nbins=3)
    grid[-1].set_xticks(places)
    grid[-1].set_xlabel("frame", fontsize=8)
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
