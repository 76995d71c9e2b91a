"""The datasets of a transfer cell: one per world."""

from __future__ import annotations

import json

from offnominal.anomalies.strengths import strengths_of
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.files import sha256_of
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.recipe import Strengths
from offnominal.studies.data import content_hash, inputs_version, world_data
from offnominal.studies.transfer.cell import TransferCell

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
    for what, number, wanted in (("anomaly", 0, cell.data.anomalies), ("level", 1, cell.data.levels)):
        names = sorted({key[number] for key in everywhere})
        for name in wanted or ():
            if name not in names:
                raise UnknownName(
                    f"no {what} {name!r} has a known strength in {' or '.join(cell.test_worlds)}."
                    f"{did_you_mean(name, names)} Known: {', '.join(names) or 'none'}."
                )
    return {
        world: {key: value for key, value in table.items() if _is_chosen(cell, *key)} for world, table in known.items()
    }


def _strengths(cell: TransferCell, world: str) -> Strengths:
    if not cell.faults:
        return strengths_of(world)
    return {(fault.anomaly, fault.level): fault.parameters[world] for fault in cell.faults if world in fault.parameters}


def _is_chosen(cell: TransferCell, anomaly: str, level: str) -> bool:
    anomalies, levels = cell.data.anomalies, cell.data.levels
    return (anomalies is None or anomaly in anomalies) and (levels is None or level in levels)


def datasets_hash(data: dict[str, Dataset]) -> str:
    """Return a hash of the episodes of all worlds."""
    content = {world: content_hash(dataset) for world, dataset in data.items()}
    return sha256_of(json.dumps(content, sort_keys=True))
