"""Tables I and II: sizes of the tables and image sets in the data home, after the split. Nothing is downloaded."""

from __future__ import annotations

from functools import cache

import numpy as np

from offnominal.core.types import BoolArray
from offnominal.datasets.image_sets import image_set_entry, leave_one_out, load_images
from offnominal.datasets.tables import load_table, table_entry
from offnominal.datasets.tables.table_split import SplitRows, split_rows
from offnominal.papers.comparison.published.comparison_lines import compared
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, PAPER, table_names
from offnominal.papers.printed_values import printed_values
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

SEED = 1
"""Seed of the split whose rows are counted; all splits have the same sizes."""
NOT_AT_HAND = "{} is not in the data home; `offnominal tables` says how to get it"
SHAPE = ("height", "width", "channels")
Sizes = dict[str, float]


def table_i(_: RunResults) -> list[PublishedComparison]:
    """Compare the number of columns and of normal and anomalous rows of each table."""
    lines = []
    for row in printed_values(PAPER, "table_I"):
        name = table_names()[row["alias"]]
        lines.append(_line({"table": name, "quantity": row["quantity"]}, _table_sizes(name), row["value"]))
    return lines


def table_ii(_: RunResults) -> list[PublishedComparison]:
    """Compare the shape of images and the number of normal and anomalous ones, the first class left out."""
    lines = []
    for row in printed_values(PAPER, "table_II"):
        name = IMAGE_SETS[row["alias"]]
        lines.append(_line({"images": name, "quantity": row["quantity"]}, _image_sizes(name), row["value"]))
    return lines


def _line(labels: dict[str, str], sizes: Sizes | None, published: str) -> PublishedComparison:
    """Compare a size; sizes are equal or they differ."""
    name = next(iter(labels.values()))
    note = NOT_AT_HAND.format(name) if sizes is None else ""
    ours = None if sizes is None else sizes[labels["quantity"]]
    return compared(labels, ours, float(published), "size", note=note)


@cache
def _table_sizes(name: str) -> Sizes | None:
    """Return the sizes of a table with all its columns; None if its files are missing."""
    if table_entry(name).presence != "present":
        return None
    table = load_table(name, drop_identifiers=False)
    rows = split_rows(len(table.normal), len(table.anomalous), SEED)
    return {"dim": table.dim, **_counts(rows, len(table.normal))}


@cache
def _image_sizes(name: str) -> Sizes | None:
    """Return the sizes of an image set; None if its files are missing."""
    if image_set_entry(name).presence != "present":
        return None
    images = load_images(name)
    split = leave_one_out(images, 0, SEED)
    labels = np.concatenate([part.anomalous for part in (split.train, split.validation, split.test)])
    shape = dict(zip(SHAPE, images.images.shape[1:], strict=True))
    return {**shape, **_count(labels)}


def _counts(rows: SplitRows, normal: int) -> Sizes:
    return _count(np.concatenate([rows.train, rows.validation, rows.test]) >= normal)


def _count(anomalous: BoolArray) -> Sizes:
    return {"anom": int(anomalous.sum()), "normal": int((~anomalous).sum())}
