"""The cells that a store has results of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.core.files import parse_json
from offnominal.studies.base import BaseCell
from offnominal.studies.store import Store


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
