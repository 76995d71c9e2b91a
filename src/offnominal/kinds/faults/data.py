"""The dataset of a cell: generated in a world, or one of your own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.resolve import resolve
from offnominal.anomalies.strengths import published_strengths, strengths_of, strengths_table
from offnominal.core.directories import data_home
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import sha256_of
from offnominal.core.imported_modules import import_modules
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generation import generate
from offnominal.datasets.recipe import Recipe, Strengths
from offnominal.evaluation.data_splits import nominal_split
from offnominal.kinds.faults.cell import Cell, DataEntry
from offnominal.kinds.faults.foreign_code import foreign_version
from offnominal.studies.named_policy import named_policy
from offnominal.studies.source_names import dataset_folder, is_dataset, is_policy_file
from offnominal.worlds.named_world import NamedWorld, is_shipped_id
from offnominal.worlds.world_source import open_world

_OPEN: dict[str, Any] = {}
D = TypeVar("D")


def open_data(cell: Cell, workers: int = 1) -> Dataset:
    """Return the dataset of a cell; it stays open for the next cell with the same data.

    A dataset of a world is generated on first use. One of your own is taken as it is.
    """
    identity = f"{cell.source} {inputs_version(cell.world, cell.policy, cell.data)}"
    return kept_open(identity, lambda: world_data(cell.world, cell, workers=workers))


def kept_open(identity: str, make: Callable[[], D]) -> D:
    """Return data that stay open until others are asked for: cells with the same data follow each other."""
    if identity not in _OPEN:
        _OPEN.clear()
        _OPEN[identity] = make()
    found: D = _OPEN[identity]
    return found


def datasets_hash(data: Mapping[str, Dataset]) -> str:
    """Return a hash of the episodes of several datasets."""
    content = {name: content_hash(dataset) for name, dataset in data.items()}
    return sha256_of(json.dumps(content, sort_keys=True))


def inputs_version(world: str, policy: str, entry: DataEntry) -> str:
    """Return a hash of the files and of the code of other packages that the episodes of a world depend on.

    It is empty if there are none of them.
    """
    folder = dataset_folder(world) if is_dataset(world) else None
    if folder is not None:
        return Dataset(folder, verify="size").manifest.sha256
    weights = sha256_of(Path(policy)) if is_policy_file(policy) and Path(policy).is_file() else ""
    return weights + foreign_version(
        world, policy, [id for fault in entry.faults for id in fault.anomalies], entry.changes
    )


def world_data(world: str, cell: Cell, *, strengths: Strengths | None = None, workers: int = 1) -> Dataset:
    """Return the dataset of one world of a cell.

    Args:
        world: The world.
        cell: Names policy, data and modules.
        strengths: Fault parameters by (anomaly, level); those of the data if None.
        workers: Number of processes that may generate it.

    Raises:
        InvalidParameter: A dataset of your own lacks a split, or the world has no faults.
    """
    import_modules(cell.modules)
    cell = cell.replace(data=cell.data.in_world(world))
    if is_dataset(world):
        data = Dataset(dataset_folder(world) or world)
        check_splits(data, alarms=bool(cell.alarms))
    else:
        data = _generated(world, cell, strengths, workers)
    return data.images() if cell.data.frames else data


def check_splits(data: Dataset, *, alarms: bool) -> None:
    """Raise an error if a dataset lacks a split that an evaluation needs.

    Args:
        data: The dataset.
        alarms: Whether alarms are calibrated on it.
    """
    has = f"It has: {', '.join(data)}."
    if "train" not in data:
        raise InvalidParameter(f"{data.folder} has no split 'train' with nominal episodes for detectors. {has}")
    if not data.faulty:
        raise InvalidParameter(f"{data.folder} has no split with faults: no label is active outside of training. {has}")
    if nominal_split(data, data.faulty) is None:
        raise InvalidParameter(
            f"{data.folder} has no nominal split besides 'train'; faulty episodes are compared with 'test' or, without "
            f"it, with 'validation'. {has}"
        )
    if alarms and "validation" not in data:
        raise InvalidParameter(
            f"{data.folder} has no split 'validation'; alarms are calibrated on its scores. Add it, or leave the "
            f"alarms out. {has}"
        )


def anomalies_in(world: str, entry: DataEntry) -> list[str]:
    """Return the ids of the anomalies that may be in the episodes of a world; none for a dataset of your own.

    Args:
        world: Name of the world.
        entry: The data in this world.

    Example:
        >>> anomalies_in("SAP-Goal0-v0", DataEntry(anomalies=("action/offset",)))
        ['action/offset']
    """
    if is_dataset(world):
        return []
    if entry.faults:
        return sorted({id for fault in entry.faults for id in fault.anomalies})
    if entry.anomalies is not None:
        return sorted(entry.anomalies)
    return sorted({anomaly for anomaly, _ in (*strengths_of(world), *_published(world))})


def _generated(world: str, cell: Cell, strengths: Strengths | None, workers: int) -> Dataset:
    """Return the dataset of a world, generated on first use."""
    shipped = is_shipped_id(world) and not cell.modules
    source: Any = world if shipped else NamedWorld(world, cell.modules)
    policy = named_policy(cell.policy, world, source)
    named = {"policy": policy, "policy_name": cell.policy} if policy is not None else {"algorithm": cell.policy}
    options = _recipe_options(world, cell, strengths)
    recipe = Recipe.for_world(source, **named, **options)
    if strengths is None and cell.data.faults:
        recipe = recipe.replace(cells=tuple(fault.cell(world) for fault in cell.data.faults))
    _check_faults(recipe, source)
    folder = folder_of(recipe, world, cell.policy)
    return generate(recipe, folder, policy=policy, env=None if shipped else source, workers=workers)


def folder_of(recipe: Recipe, world: str, policy: str) -> Path | None:
    """Return the folder of a dataset whose episodes depend on code of other packages; None if they do not.

    A recipe does not know this code. The name of the folder has its version, so that no dataset of older code is used.

    Args:
        recipe: Recipe of the dataset.
        world: Name of the world.
        policy: Name of the policy.
    """
    ids = [each.anomaly for cell in recipe.cells for each in cell.each()]
    code = foreign_version(world, policy, ids, recipe.changes)
    return data_home() / f"{recipe.folder_name}-{code[:8]}" if code else None


def _recipe_options(world: str, cell: Cell, strengths: Strengths | None) -> dict[str, Any]:
    """Return the options of a recipe; raise an error if a world without strengths has no faults of its own."""
    options = cell.data.options()
    if strengths is not None:
        return options | {"strengths": strengths}
    if cell.data.faults:
        return options | {"levels": ()}
    if cell.data.published_strengths:
        others = _neutral(world) if cell.data.unpublished_neutral else strengths_of(world)
        return options | {"strengths": others | _published(world)}
    if not is_shipped_id(world) and not strengths_of(world):
        raise InvalidParameter(
            f"no strength of a fault is calibrated in {world}; list faults as [[data.faults]], with an anomaly and a "
            "parameter each."
        )
    return options


def _published(world: str) -> dict[tuple[str, str], float]:
    """Return the published strengths of a world, also at levels that we do not have."""
    return {(anomaly, level): value for (of, anomaly, level), value in published_strengths().items() if of == world}


def _neutral(world: str) -> dict[tuple[str, str], float]:
    """Return a parameter without effect for each level of the faults of sensors and actions."""
    lines = [line for line in strengths_table(world) if not line.anomaly.startswith("dynamics/")]
    return {(line.anomaly, line.level): make_anomaly(line.anomaly).neutral for line in lines}


def _check_faults(recipe: Recipe, source: Any) -> None:
    """Raise an error if a fault does not fit the world, before anything is simulated."""
    cells = [each for cell in recipe.cells for each in cell.each()]
    own = [cell for cell in cells if cell.schedule is not None or cell.channels is not None]
    if own or not isinstance(source, str):
        with open_world(source, 1) as world:
            environment = EnvironmentInfo.of(world, recipe.max_steps, has_images=recipe.frames)
            for cell in cells:
                resolve(cell.fault(recipe.schedule), environment)


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
