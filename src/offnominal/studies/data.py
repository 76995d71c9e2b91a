"""The dataset of a cell."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from offnominal.agents.scripted import scripted_expert
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.loading import load_dataset
from offnominal.studies.cell import SCRIPTED, Cell

_OPEN: dict[str, Dataset] = {}


def open_data(cell: Cell) -> Dataset:
    """Return the dataset of a cell, generated on first use; it stays open for the next cell of the same data."""
    if cell.source not in _OPEN:
        _OPEN.clear()
        options: dict[str, Any] = {"algorithm": cell.policy}
        if cell.policy == SCRIPTED:
            options = {"policy": scripted_expert(cell.world), "policy_name": SCRIPTED}
        data = load_dataset(cell.world, **options, **cell.data.options())
        _OPEN[cell.source] = data.images() if cell.data.frames else data
    return _OPEN[cell.source]


def content_hash(data: Dataset) -> str:
    """Return a hash over the episodes of all splits, whatever wrote their files.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import generate
        >>> folders = TemporaryDirectory(), TemporaryDirectory()
        >>> first, second = (generate("SAP-Goal0-v0", each.name, episodes=3, levels=[]) for each in folders)
        >>> content_hash(first) == content_hash(second)
        True
    """
    content = {name: entry.content for name, entry in data.manifest.splits.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
