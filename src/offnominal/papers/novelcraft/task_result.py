"""The result of a task: rows of results, and examples for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.types import Array, Frame
from offnominal.datasets.png import encode_png
from offnominal.evaluation.estimate import Estimate

Row = dict[str, Any]
SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("task", pa.string()),
        ("name", pa.string()),
        ("variant", pa.string()),
        ("seed", pa.int64()),
        ("group", pa.string()),
        ("label", pa.string()),
        ("novel", pa.bool_()),
        ("values", pa.list_(pa.float64())),
        ("png", pa.binary()),
    ]
)
"""Schema of the examples of a cell: frames, scores along an episode, and confusion matrices, by `group`."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """The result of a task.

    Args:
        rows: Rows of results.
        examples: Rows of examples without key, task, name, variant and seed.
        scored: Number of scored frames.
        cost: Costs that were not measured in this process.
    """

    rows: list[Row]
    examples: list[Row]
    scored: int
    cost: dict[str, float] = field(default_factory=dict)


def columns(numbers: Mapping[str, Estimate], prefix: str = "") -> Row:
    """Return numbers with their intervals as columns; the AUROC with its bootstrap replicates too."""
    found: Row = {}
    for name, number in numbers.items():
        found |= number.columns(f"{prefix}{name}")
    if not prefix and "auroc" in numbers:
        found["draws_auroc"] = np.asarray(numbers["auroc"].draws, np.float32)
    return found


def values(numbers: Mapping[str, Estimate], prefix: str) -> Row:
    """Return numbers without intervals as columns."""
    return {f"{prefix}{name}": number.value for name, number in numbers.items()}


def example(group: str, label: str, novel: bool, numbers: Sequence[float] | Array, image: Frame | None = None) -> Row:
    """Return an example.

    Args:
        group: What it shows.
        label: What it is.
        novel: Whether it is novel.
        numbers: Its score or scores.
        image: Its image.
    """
    png = None if image is None else encode_png(np.ascontiguousarray(image))
    return {"group": group, "label": label, "novel": novel, "values": np.asarray(numbers).tolist(), "png": png}
