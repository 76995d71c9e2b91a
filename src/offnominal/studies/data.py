"""The dataset of a cell."""

from __future__ import annotations

import hashlib
import json

from offnominal.agents.scripted import scripted_expert
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generation import generate
from offnominal.datasets.recipe import Recipe
from offnominal.studies.cell import SCRIPTED, Cell

_OPEN: dict[str, Dataset] = {}


def open_data(cell: Cell, workers: int = 1) -> Dataset:
    """Return the dataset of a cell, generated on first use; it stays open for the next cell with the same data."""
    if cell.source not in _OPEN:
        _OPEN.clear()
        options, policy = cell.data.options(), None
        if cell.policy == SCRIPTED:
            policy = scripted_expert(cell.world)
            recipe = Recipe.for_world(cell.world, policy=policy, policy_name=SCRIPTED, **options)
        else:
            recipe = Recipe.for_world(cell.world, algorithm=cell.policy, **options)
        data = generate(recipe, policy=policy, workers=workers)
        _OPEN[cell.source] = data.images() if cell.data.frames else data
    return _OPEN[cell.source]


def content_hash(data: Dataset) -> str:
    """Return a hash of the episodes of all splits, independent of their file format.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import Recipe, generate
        >>> folders = TemporaryDirectory(), TemporaryDirectory()
        >>> first, second = (
        ...     generate(Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[]), each.name) for each in folders
        ... )
        >>> content_hash(first) == content_hash(second)
        True
    """
    content = {name: entry.content for name, entry in data.manifest.splits.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
