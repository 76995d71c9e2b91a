"""Figure of a confusion matrix: true classes by predicted classes or clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import IntArray

CELL = 0.42
"""Side of a cell in inches."""
DARK = 0.55
"""Share from which the text of a cell is white."""


def confusion_figure(
    plt: Any, confusion: IntArray, classes: Sequence[str], *, labelled: int = 0, title: str = ""
) -> Any:
    """Draw a confusion matrix; colours are shares of the true class, numbers are counts.

    Args:
        plt: Matplotlib's pyplot.
        confusion: (c, k): rows of each true class in each cluster; column i belongs to class i.
        classes: Names of the c classes.
        labelled: Number of classes with labels, the first ones; a line divides them from new classes.
        title: Title of the figure.

    Raises:
        InvalidParameter: There are not as many names as rows.
    """
    counts = np.asarray(confusion)
    n_classes, n_columns = counts.shape
    if len(classes) != n_classes:
        raise InvalidParameter(f"there are {len(classes)} names for {n_classes} classes; expected as many.")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size = (2.1 + CELL * n_columns, 1.5 + CELL * n_classes)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="equal")
    for row, column in zip(*np.nonzero(counts), strict=True):
        colour = "white" if shares[row, column] > DARK else "#222222"
        text = f"{counts[row, column]}"
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
    columns = [*classes, *(f"extra {number + 1}" for number in range(n_columns - n_classes))]
    axes.set_xticks(range(n_columns), columns, rotation=45, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_yticks(range(n_classes), [f"{name} ({total})" for name, total in _totals(counts, classes)], fontsize=8)
    if 0 < labelled < n_classes:
        axes.axhline(labelled - 0.5, color="#D55E00", lw=1.0)
        axes.axvline(labelled - 0.5, color="#D55E00", lw=1.0)
    axes.set_xlabel("matched cluster")
    axes.set_ylabel("true class (frames)")
    axes.grid(False)
    if title:
        axes.set_title(title, fontsize=9)
    return figure


def _totals(counts: IntArray, classes: Sequence[str]) -> list[tuple[str, int]]:
    return list(zip(classes, counts.sum(axis=1).tolist(), strict=True))
