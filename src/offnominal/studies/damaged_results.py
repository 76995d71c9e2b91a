"""Damaged results of a store: how many there are, and where their files lie."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from pathlib import Path

from offnominal.studies.files import is_whole
from offnominal.studies.segments import cell_files, is_key
from offnominal.studies.store import Store


@dataclass(frozen=True, slots=True)
class DamagedResults:
    """Files of damaged results, whose cells count as not run.

    Args:
        folder: Folder of the store.
        moved: Files that were moved to ``damaged/`` and whose cells were not computed again.
        cut_off: Files without an end; they stay where they are, because they may be copied just now.

    Example:
        >>> str(DamagedResults(Path("store"), moved=(Path("store/damaged/5f.parquet"),)))
        '1 damaged result counts as not run: 1 was moved to store/damaged. Run its study again.'
    """

    folder: Path
    moved: tuple[Path, ...] = ()
    cut_off: tuple[Path, ...] = ()

    @classmethod
    def of(cls, store: Store) -> DamagedResults:
        """Return the damaged results of a store that were found so far: a file is checked when it is read.

        Args:
            store: The store.
        """
        aside = sorted((store.folder / "damaged").glob("*.parquet"))
        cells = (Path(path) for _, path in cell_files(store.folder / "cells"))
        return cls(
            store.folder,
            moved=tuple(path for path in aside if is_key(path.stem) and not store.has(path.stem)),
            cut_off=tuple(sorted(path for path in cells if not is_whole(path))),
        )

    def __bool__(self) -> bool:
        return bool(self.moved or self.cut_off)

    def __str__(self) -> str:
        count = len(self.moved) + len(self.cut_off)
        what, whose = ("result counts", "its study") if count == 1 else ("results count", "their studies")
        moved = f"{_were(self.moved)} moved to {self.folder / 'damaged'}" if self.moved else ""
        cut_off = f"{_were(self.cut_off)} cut off in {self.folder / 'cells'}" if self.cut_off else ""
        places = " and ".join(filter(None, (moved, cut_off)))
        return f"{count} damaged {what} as not run: {places}. Run {whose} again."


def _were(files: Sized) -> str:
    return f"{len(files)} {'was' if len(files) == 1 else 'were'}"
