"""The figures of a study of novelty: AUROC by novelty, galleries of frames, and scores along episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.datasets.png import decode_png
from offnominal.papers.novelcraft.results import EPISODE_NOVELTIES, EPISODES, NoveltyResults
from offnominal.papers.novelcraft.tables import Method, ordered, shown
from offnominal.papers.novelcraft.task_result import Row
from offnominal.reports.confusion_figure import confusion_figure
from offnominal.reports.figures import FAULTY, NOMINAL

SPREAD = 0.75
"""Height of the marks of one novelty."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#A08000")
ROWS = {"highest": "most novel", "lowest": "least novel"}


def modality_figure(plt: Any, found: NoveltyResults) -> Any:
    """Draw the AUROC of every method by novelty, with 95 % intervals."""
    methods, novelties = ordered(found, EPISODES), found.row_names(EPISODE_NOVELTIES)
    height = 1.0 + max(0.5, 0.13 * len(methods)) * len(novelties) + 0.1 * len(methods)
    figure, axes = plt.subplots(figsize=(6.4, height), layout="constrained")
    step = SPREAD / max(len(methods), 1)
    for number, method in enumerate(methods):
        style = {"color": PALETTE[number % len(PALETTE)]}
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
    axes.set_yticks(range(len(novelties)), [name.replace("_", " ") for name in novelties])
    axes.set_ylim(len(novelties) - 0.5, -0.5)
    axes.set_xlabel("AUROC of episodes")
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    return figure


def gallery_figure(plt: Any, examples: Sequence[Row]) -> Any:
    """Draw the frames with the highest scores above those with the lowest.

    Args:
        plt: Matplotlib's pyplot.
        examples: Examples of one cell.
    """
    groups = {group: [each for each in examples if each["group"] == group] for group in ROWS}
    columns = max(map(len, groups.values()))
    size = (1.25 * columns, 3.1)
    figure, grid = plt.subplots(len(ROWS), columns, figsize=size, layout="constrained", squeeze=False)
    for axes in grid.ravel():
        axes.set_axis_off()
    for row, (group, title) in enumerate(ROWS.items()):
        for axes, each in zip(grid[row], groups[group], strict=False):
            axes.set_axis_on()
            _image(axes, decode_png(each["png"]), FAULTY if each["novel"] else NOMINAL)
            name = each["label"].removeprefix("item_").replace("_", " ")
            axes.set_title(name, fontsize=7, fontweight="normal", loc="center")
            axes.set_xlabel(f"{each['values'][0]:.3g}", fontsize=7)
        grid[row, 0].set_ylabel(title, fontsize=8)
    return figure


def curve_figure(plt: Any, examples: Mapping[Method, Row]) -> Any:
    """Draw frames of one episode above the scores of several methods along it.

    Args:
        plt: Matplotlib's pyplot.
        examples: Example of the same episode by method.
    """
    first = next(iter(examples.values()))
    _, episode, numbers = first["label"].split("|")
    places = [int(number) for number in numbers.split(",")]
    strip, colour = decode_png(first["png"]), FAULTY if first["novel"] else NOMINAL
    heights = [8.0 / len(places) + 0.1, *([0.8] * len(examples))]
    size = (8.0, sum(heights) + 0.7)
    figure, grid = plt.subplots(len(heights), 1, figsize=size, layout="constrained", height_ratios=heights)
    _image(grid[0], strip, colour)
    side = strip.shape[0]
    grid[0].set_xticks([side * (place + 0.5) for place in range(len(places))], [f"frame {each}" for each in places])
    grid[0].tick_params(labelsize=7, length=0)
    grid[0].set_title(f"episode {episode}", fontsize=9)
    for axes, (method, each) in zip(grid[1:], examples.items(), strict=True):
        threshold, *scores = each["values"]
        axes.plot(np.arange(len(scores)), scores, color=colour, lw=1.3)
        axes.axhline(threshold, color="#555555", lw=0.9, ls="--")
        axes.set_xlim(-0.5, len(scores) - 0.5)
        axes.set_title(shown(method), fontsize=8, fontweight="normal", pad=2)
        axes.tick_params(labelsize=7)
        axes.locator_params(axis="y", nbins=3)
    grid[-1].set_xlabel("frame", fontsize=8)
    return figure


def discovery_figure(plt: Any, example: Row) -> Any:
    """Draw the confusion matrix of a category discovery."""
    labelled, _, names = example["label"].partition("|")
    classes = names.split(",")
    counts = np.array(example["values"], np.int64).reshape(len(classes), -1)
    return confusion_figure(plt, counts, [name.removeprefix("item_") for name in classes], labelled=int(labelled))


def _image(axes: Any, image: Any, colour: str) -> None:
    """Draw an image with a border."""
    axes.imshow(image, interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=colour, linewidth=2.0)
