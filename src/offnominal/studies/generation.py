"""The generation of a store: a number that tells whether its parts were restored from backups of different times.

Each change of the segments raises the number. The file ``generation.json`` has it with the number of results, and each
segment has the one at which it was written. The file is written first, so that no segment is newer, wherever a process
is killed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile

FILE = "generation.json"
STORE, NUMBER = b"store", b"generation"
"""Where a segment says of which store and generation it is."""


class LostResult(UserWarning):
    """Results that a store had are gone, or its parts are of different times."""


@dataclass(frozen=True)
class Generation(Config):
    """A state of a store.

    Args:
        store: Id of the store; segments that were copied from another one have its id.
        number: Number of the state; 0 before the first.
        cells: Number of results.

    Example:
        >>> first = Generation().following(3)
        >>> (first.number, first.cells), first.following(5).store == first.store
        ((1, 3), True)
    """

    store: str = field(default_factory=lambda: uuid4().hex)
    number: int = 0
    cells: int = 0

    def following(self, cells: int, *, after: int = 0) -> Generation:
        """Return the next state.

        Args:
            cells: Number of results.
            after: Number of a later state that is known; the next number is larger.
        """
        return self.replace(number=max(self.number, after) + 1, cells=cells)

    def stamp(self) -> dict[bytes, str]:
        """Return the metadata of a segment that is written at this state."""
        return {STORE: self.store, NUMBER: str(self.number)}

    def number_in(self, metadata: Mapping[bytes, bytes]) -> int:
        """Return the number in the metadata of a segment; 0 if it is of another store."""
        number = int(metadata[NUMBER])
        return number if metadata[STORE] == self.store.encode() else 0

    def write(self, folder: Path) -> None:
        """Write the state into the folder of its store."""
        write_checked_json(folder / FILE, self.to_dict())


def read_generation(folder: Path) -> Generation | None:
    """Return the state of a store that its file has; None if there is no file, as in a store of version 0.2.

    Args:
        folder: Folder of the store.

    Raises:
        DamagedFile: The file is invalid or was changed.
    """
    path = folder / FILE
    try:
        return Generation.from_dict(read_checked_json(path))
    except MissingFile:
        return None
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is not valid ({str(error).rstrip('.')}).") from None


def lost_results(
    folder: Path,
    recorded: Generation,
    newest: int,
    *,
    listed: Iterable[str],
    present: Iterable[str],
    damaged: Iterable[str],
) -> str:
    """Return what a store has lost and what to do about it, in words; empty if nothing is missing.

    Args:
        folder: Folder of the store.
        recorded: State in the file of the store.
        newest: Largest number of its segments.
        listed: Keys of the results in the segments.
        present: Keys of the results that are there.
        damaged: Keys of damaged results, which were moved away.
    """
    known = {*present, *damaged}
    gone = max(len(set(listed) - known), recorded.cells - len(known))
    if gone > 0:
        what = "1 result is" if gone == 1 else f"{gone} results are"
        found = f"{what} gone from {folder} since its generation {recorded.number}."
    elif newest > recorded.number:
        found = f"{folder / FILE} is of generation {recorded.number}, but the segments are of generation {newest}."
    else:
        return ""
    return f"{found} If the store was restored from a backup, restore all of it; otherwise run its studies again."
