"""Figure of a confusion matrix: true classes by predicted classes or clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.plot_style import FAULTY
from offnominal.core.types import IntArray
from offnominal.reports.heat_cells import draw_heat_cells

CELL = 0.42
"""Side of a cell in inches."""


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
    texts = np.where(counts > 0, counts.astype(str), "")
    columns = [*classes, *(f"extra {number + 1}" for number in range(n_columns - n_classes))]
    rows = [f"{name} ({total})" for name, total in zip(classes, counts.sum(axis=1), strict=True)]
    draw_heat_cells(axes, counts.astype(float), rows, columns, shares=shares, texts=texts)
    axes.set_aspect("equal")
    plt.setp(axes.get_xticklabels(), rotation=45, ha="right", rotation_mode="anchor")
    if 0 < labelled < n_classes:
        axes.axhline(labelled - 0.5, color=FAULTY, lw=1.2)
        axes.axvline(labelled - 0.5, color=FAULTY, lw=1.2)
    axes.set_xlabel("matched cluster (cells: frames)")
    axes.set_ylabel("true class (frames)")
    if title:
        axes.set_title(title)
    return figure
