"""The results of a study that are in the store, without computing anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import parse_json
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.cell import result_key
from offnominal.studies.code import Sources
from offnominal.studies.kinds import kind_of
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import read_run
from offnominal.studies.runs import STORE, cells_of, describe, results_of, run_folder
from offnominal.studies.store import Store
from offnominal.studies.world_selection import at_worlds

Stored = list[tuple[str, str]]
"""Code and key of each result of a cell, the last one first."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredRun:
    """The results of a study that are in the store.

    Args:
        results: The results; without rows if there are none. `missing` lists the cells without a result.
        cells: Number of cells of the study.
        outdated: Labels of cells whose only results were computed by another version of the code.
        keys: Keys of the results.
    """

    results: RunResults
    cells: int
    outdated: tuple[str, ...]
    keys: frozenset[str] = frozenset()

    @property
    def state(self) -> str:
        """How many cells have no result, or one of other code; empty if there are none."""
        states = {"have no result": len(self.results.missing), "have results of other code": len(self.outdated)}
        return " and ".join(f"{count} of {self.cells} cells {state}" for state, count in states.items() if count)


def stored_run(
    study: BaseStudy,
    scale: str | None = None,
    *,
    store: Path = STORE,
    worlds: str | Iterable[str] | None = None,
    sources: Sources | None = None,
) -> StoredRun:
    """Return the results of a study that are in the store. Nothing is computed, and no data are generated.

    A result counts if it is of the same cell. Of several, the last one of the present code is taken; if there is none,
    the last one of another version of the code.

    Args:
        study: The study.
        scale: Name of a scale; the whole study if None.
        store: Store of the results of all runs.
        worlds: Patterns of the worlds of the study; those of the scale if None.
        sources: Source code that was read before.

    Example:
        >>> from offnominal.studies.catalogue import load_study
        >>> found = stored_run(load_study("quickstart"), store=Path("no-such-store"))
        >>> found.cells == len(found.results.missing), found.results.cells
        (True, 0)
    """
    chosen = at_worlds(study, scale, worlds)
    cells, missing = cells_of(chosen)
    place = Store(store)
    stored, read = _stored(place), sources or Sources()
    keys: dict[str, str] = {}
    outdated: list[str] = []
    known: set[str] = set()
    for cell in cells:
        found = stored.get(_text(cell.to_dict()), [])
        code = kind_of(cell).code_of(cell, read) if found else ""
        current = [key for version, key in found if version == code]
        if found and not current:
            outdated.append(cell.label)
        key = _key(cell, current or [key for _, key in found], code)
        keys[key] = cell.label
        known |= {key} if found else set()
    folder = run_folder(study, chosen, scale)
    manifest = _manifest(folder, keys) or {
        **describe(study, chosen, scale, missing),
        "keys": list(keys),
        "labels": list(keys.values()),
        "store": str(store),
    }
    return StoredRun(results_of(manifest, place, folder), len(keys), tuple(outdated), frozenset(known))


def _key(cell: BaseCell, known: list[str], code: str) -> str:
    """Return the key of the result, or one that no result has."""
    return known[0] if known else result_key(cell, data="", code=code)


def _stored(store: Store) -> dict[str, Stored]:
    """Return the results of each cell, as text; the last ones first."""
    table = store.cells().select(["cell", "code", "key"])
    rows = [row for row in table.to_pylist() if store.has(row["key"])]
    found: dict[str, Stored] = {}
    for row in sorted(rows, key=lambda row: -store.path(row["key"]).stat().st_mtime):
        found.setdefault(_text(parse_json(row["cell"], "the cell of a result")), []).append((row["code"], row["key"]))
    return found


def _text(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)


def _manifest(folder: Path, keys: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the manifest of a run with exactly these results; it also has versions, hardware and cost."""
    try:
        manifest = read_run(folder)
    except (MissingFile, DamagedFile):
        return None
    return manifest if set(manifest["keys"]) == set(keys) else None
