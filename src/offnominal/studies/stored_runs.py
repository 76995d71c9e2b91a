"""The results of a study that are in the store, without computing anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import parse_json
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.code import Sources
from offnominal.studies.execution import code_of
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import read_run
from offnominal.studies.runs import STORE, cells_of, describe, results_of, run_folder
from offnominal.studies.store import Store
from offnominal.studies.world_selection import at_worlds


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
    store: Path | StoreIndex = STORE,
    worlds: str | Iterable[str] | None = None,
    sources: Sources | None = None,
) -> StoredRun:
    """Return the results of a study that are in the store. Nothing is computed, and no data are generated.

    A result counts if it is of the same cell. Of several, the last one of the present code is taken; if there is none,
    the last one of another version of the code.

    Args:
        study: The study.
        scale: Name of a scale; the whole study if None.
        store: Store of the results of all runs, or its index, which serves several studies.
        worlds: Patterns of the worlds of the study; those of the scale if None.
        sources: Source code that was read before.

    Example:
        >>> from offnominal.studies.catalogue import load_study
        >>> found = stored_run(load_study("quickstart"), store=Path("no-such-store"))
        >>> found.cells == len(found.results.missing), found.results.cells
        (True, 0)
    """
    chosen = at_worlds(study, scale, worlds)
    cells, without_data = cells_of(chosen)
    index, read = StoreIndex.read(store) if isinstance(store, Path) else store, sources or Sources()
    labels, outdated = _newest_results(cells, index, read)
    missing = {cell.label for cell in cells if not index.results_of(cell)}
    folder = run_folder(study, chosen, scale)
    manifest = (None if missing else _manifest(folder, labels)) or {
        **describe(study, chosen, scale, without_data),
        "keys": list(labels),
        "labels": list(labels.values()),
        "store": str(index.store.folder),
    }
    results = results_of(manifest, index.store, folder)
    gone = {*missing, *results.missing}
    results = replace(results, missing=tuple(cell.label for cell in cells if cell.label in gone))
    return StoredRun(results, len(cells), outdated, frozenset(labels))


def _newest_results(
    cells: Iterable[BaseCell], index: StoreIndex, sources: Sources
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the labels of cells by the keys of their results, and the labels of those without any of this code."""
    labels: dict[str, str] = {}
    outdated: list[str] = []
    for cell in cells:
        if found := index.results_of(cell):
            code = code_of(cell, sources)
            current = [key for version, key in found if version == code]
            labels[current[0] if current else found[0][1]] = cell.label
            if not current:
                outdated.append(cell.label)
    return labels, tuple(outdated)


def _manifest(folder: Path, keys: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the manifest of a run with exactly these results; it also has versions, hardware and cost."""
    try:
        manifest = read_run(folder)
    except (MissingFile, DamagedFile):
        return None
    return manifest if set(manifest["keys"]) == set(keys) else None


@dataclass(frozen=True, slots=True, eq=False)
class StoreIndex:
    """The cells that a store has results of, as they were when it was read; several studies can share it.

    Args:
        store: The store.
        results: Code and key of each result by its cell as JSON, the last one first.

    Example:
        >>> from offnominal.kinds import Cell, DataEntry
        >>> index = StoreIndex.read(Path("no-such-store"))
        >>> index.results_of(Cell("SAP-Goal0-v0", "Time", "Time", data=DataEntry(episodes=6)))
        ()
    """

    store: Store
    results: Mapping[str, Sequence[tuple[str, str]]]

    @classmethod
    def read(cls, folder: Path) -> StoreIndex:
        """Read the index of a store; without entries if there is no store.

        Args:
            folder: Folder of the store.
        """
        store = Store(folder)
        rows = store.cells().select(["cell", "code", "key"]).to_pylist()
        present = [row for row in rows if store.has(row["key"])]
        results: dict[str, list[tuple[str, str]]] = {}
        for row in sorted(present, key=lambda row: -store.path(row["key"]).stat().st_mtime):
            cell = parse_json(row["cell"], "the cell of a result")
            results.setdefault(_text(cell), []).append((row["code"], row["key"]))
        return cls(store, results)

    def results_of(self, cell: BaseCell) -> Sequence[tuple[str, str]]:
        """Return code and key of each result of a cell, the last one first.

        Args:
            cell: The cell.
        """
        return self.results.get(_text(cell.to_dict()), ()) if self.results else ()


def _text(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)
