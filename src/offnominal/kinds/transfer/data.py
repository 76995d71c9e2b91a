"""The datasets of a transfer cell: one per world."""

from __future__ import annotations

import json

from offnominal.anomalies.chosen_strengths import choose_strengths
from offnominal.anomalies.strengths import strengths_of
from offnominal.core.files import sha256_of
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.recipe import Strengths
from offnominal.kinds.faults.data import content_hash, inputs_version, world_data
from offnominal.kinds.transfer.cell import TransferCell

_OPEN: dict[str, dict[str, Dataset]] = {}


def open_datasets(cell: TransferCell, workers: int = 1) -> dict[str, Dataset]:
    """Return the dataset of each world, generated on first use; they stay open for cells with the same data."""
    versions = (inputs_version(world, cell.policy, cell.data) for world in cell.worlds)
    identity = " ".join([cell.source, *versions])
    if identity not in _OPEN:
        _OPEN.clear()
        strengths = {} if cell.data.faults else chosen_strengths(cell)
        plain = cell.replace(data=cell.data.replace(anomalies=None, levels=None))
        _OPEN[identity] = {
            world: world_data(world, plain, strengths=strengths.get(world), workers=workers) for world in cell.worlds
        }
    return _OPEN[identity]


def chosen_strengths(cell: TransferCell) -> dict[str, Strengths]:
    """Return the fault parameters of each world by anomaly and level; none for worlds that are not tested.

    Anomalies and levels that only some worlds have are left out in the others.

    Raises:
        UnknownName: The data name an anomaly or a level that no world has.
    """
    known = {world: _strengths(cell, world) if world in cell.test_worlds else {} for world in cell.worlds}
    everywhere = [key for table in known.values() for key in table]
    where, data = " or ".join(cell.test_worlds), cell.data
    return {
        world: choose_strengths(table, data.anomalies, data.levels, where=where, known=everywhere)
        for world, table in known.items()
    }


def _strengths(cell: TransferCell, world: str) -> Strengths:
    if not cell.faults:
        return strengths_of(world)
    return {(fault.anomaly, fault.level): fault.parameters[world] for fault in cell.faults if world in fault.parameters}


def datasets_hash(data: dict[str, Dataset]) -> str:
    """Return a hash of the episodes of all worlds."""
    content = {world: content_hash(dataset) for world, dataset in data.items()}
    return sha256_of(json.dumps(content, sort_keys=True))
