"""Writing of datasets in a hidden folder beside the final one.

An interrupted writer leaves no visible dataset. The next writer resumes: a journal lists every finished split with its
hash. A lock, which the system releases with the process, excludes concurrent writers.

Only files of datasets are removed: a hidden folder with other entries is refused, and of a replaced dataset only the
files in its manifest are removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

from offnominal.core.config import Config
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, InvalidParameter, OffnominalError
from offnominal.core.files import file_errors, parse_json, read_text, sha256_of
from offnominal.datasets.frames import FramesWriter, without_frames
from offnominal.datasets.hashing import ContentHash
from offnominal.datasets.layout import Channels
from offnominal.datasets.manifest import (
    FRAMES_FOLDER,
    MANIFEST,
    FramesEntry,
    Manifest,
    SplitEntry,
    file_of,
    read_manifest,
)
from offnominal.datasets.owned import SHOWN, check_removable, remove_dataset
from offnominal.datasets.parquet import write_episodes
from offnominal.datasets.split import Split
from offnominal.datasets.statistics import StatisticsAccumulator

JOURNAL, LOCK, FINISHED, STARTED, REPLACED, DISCARDED = (
    "journal.jsonl",
    "lock",
    "dataset",
    "begun",
    "replaced",
    "discarded",
)
ENTRIES = {JOURNAL, LOCK, FINISHED, STARTED, REPLACED, DISCARDED}
"""All possible entries of the hidden folder."""

C = TypeVar("C", bound=Config)
Report = Callable[[str], object]
"""Function that shows a line of text to the user."""


def destination(folder: Path | str) -> Path:
    """Return the resolved path of a dataset's folder; raise if it cannot be a folder.

    Paths that are not UTF-8 are refused, because Parquet files cannot be written there.
    """
    if not isinstance(folder, Path | str) or not str(folder):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a folder.")
    with file_errors(folder):
        path = Path(folder).resolve()
        if not path.name:
            raise InvalidParameter(f"{folder} cannot be the folder of a dataset; choose a folder inside it.")
        str(path).encode()
        path.exists()
    return path


def is_free(folder: Path) -> bool:
    """Whether the folder does not exist or is empty."""
    with file_errors(folder):
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def check_replaceable(folder: Path, *, overwrite: bool) -> None:
    """Raise if a dataset cannot be written to a folder.

    Args:
        folder: Folder of the new dataset.
        overwrite: Whether to replace an existing dataset, whose folder must not contain other files.

    Raises:
        AlreadyExists: The folder has something other than a dataset.
    """
    if is_free(folder):
        return
    if not (folder / MANIFEST).is_file():
        raise AlreadyExists(f"{folder} exists and is not a dataset; choose another folder.")
    if overwrite:
        check_removable(folder)


@contextmanager
def build_folder(folder: Path, report: Report) -> Iterator[Path]:
    """Lock the hidden folder of an unfinished dataset; wait while another process has the lock.

    Args:
        folder: Folder of the finished dataset.
        report: Called if the lock is waited for.

    Yields:
        The hidden folder.

    Raises:
        AlreadyExists: The hidden folder has other entries.
        InaccessibleFile: It cannot be created or locked.
    """
    hidden = _hidden(folder)
    with _locked(hidden, report):
        _recover(hidden, folder)
        try:
            yield hidden
        finally:
            if not (hidden / STARTED / MANIFEST).exists():
                with suppress(OSError):
                    _remove(hidden)


def remove_leftovers(folder: Path) -> None:
    """Remove the hidden folder that a writer left, killed after it had finished the dataset of a folder.

    Unfinished datasets, hidden folders of running writers and those that cannot be removed are left as they are.
    """
    hidden = _hidden(folder)
    with suppress(OSError, OffnominalError):
        if hidden.is_dir() and not (hidden / FINISHED).exists():
            _check_ours(hidden)
            with (hidden / LOCK).open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(lock, hidden / LOCK) and not (hidden / FINISHED).exists():
                    _remove(hidden)


def _hidden(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.unfinished")


def _remove(hidden: Path) -> None:
    """Remove a hidden folder, which is locked."""
    clear(hidden)
    (hidden / LOCK).unlink(missing_ok=True)
    hidden.rmdir()


def _check_ours(hidden: Path) -> None:
    """Raise if the hidden folder has entries that no writer created."""
    with file_errors(hidden):
        unexpected = ["itself a symbolic link"] if hidden.is_symlink() else []
        if hidden.is_dir():
            unexpected += sorted(
                path.name for path in hidden.iterdir() if path.name not in ENTRIES or path.is_symlink()
            )
    if unexpected:
        raise AlreadyExists(
            f"{hidden} is needed for unfinished datasets, but has other entries ({', '.join(unexpected[:SHOWN])}); "
            "move them elsewhere, or choose another folder."
        )


def _recover(hidden: Path, folder: Path) -> None:
    """Restore a dataset whose replacement was interrupted before the new one was in place."""
    if (hidden / REPLACED).is_dir() and is_free(folder):
        with file_errors(folder):
            (hidden / REPLACED).rename(folder)


@contextmanager
def _locked(hidden: Path, report: Report) -> Iterator[None]:
    while True:
        _check_ours(hidden)
        with file_errors(hidden):
            hidden.mkdir(parents=True, exist_ok=True)
            try:
                lock = (hidden / LOCK).open("a", encoding="utf-8")
            except FileNotFoundError:
                continue
        with lock:
            with file_errors(hidden):
                _wait(lock, hidden, report)
                held = _is_at(lock, hidden / LOCK)
            if held:
                yield
                return


def _wait(lock: TextIOWrapper, hidden: Path, report: Report) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        report(f"Waiting for another process that writes to {hidden}.")
        fcntl.flock(lock, fcntl.LOCK_EX)


def _is_at(lock: TextIOWrapper, path: Path) -> bool:
    """Whether an open file is still the one at a path; the previous owner of the lock may have removed it."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except FileNotFoundError:
        return False


class DatasetBuilder:
    """Writer of a dataset in its hidden folder.

    Args:
        hidden: Hidden folder.
        manifest: Manifest of the dataset, without its splits.
        report: Called if the work of an earlier writer is resumed or discarded.

    Attributes:
        splits: Entries of the finished splits.
    """

    def __init__(self, hidden: Path, manifest: Manifest, report: Report) -> None:
        self.hidden = hidden
        self.manifest = manifest
        self.splits: dict[str, SplitEntry] = {}
        if self._same_recipe():
            self.splits.update(self._intact())
            if self.splits:
                report(f"Resuming in {hidden}: {len(self.splits)} splits are already finished.")
            return
        if (hidden / STARTED / MANIFEST).exists():
            report(f"Discarding an unfinished dataset of another recipe or version in {hidden}.")
        start_again(hidden)
        manifest.write(hidden / STARTED)

    def _same_recipe(self) -> bool:
        """Whether the unfinished dataset has the same recipe; without a recipe it is never resumed."""
        try:
            return (
                self.manifest.recipe is not None and read_manifest(self.hidden / STARTED) == self.manifest.with_sha256()
            )
        except OffnominalError:
            return False

    def _intact(self) -> Iterator[tuple[str, SplitEntry]]:
        """Yield the splits of the journal whose entry and files are intact."""
        for name, entry in journal_entries(self.hidden, SplitEntry):
            try:
                Split(name, self.hidden / FINISHED, entry, world="").check("hash")
            except (ValueError, TypeError, OffnominalError):
                continue
            yield name, entry

    def add(self, name: str, episodes: Iterable[Episode], channels: Channels) -> None:
        """Write a split and add it to the journal."""
        file = file_of(name)
        if any(entry.file == file for entry in self.splits.values()):
            raise InvalidParameter(f"split {name!r} would be written to {file}, which another split uses; rename it.")
        content, statistics = ContentHash(), StatisticsAccumulator()
        path, frames_path = self.hidden / FINISHED / file, self.hidden / FINISHED / file_of(name, FRAMES_FOLDER)
        try:
            with file_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            with FramesWriter(frames_path) as frames:
                write_episodes(path, _recorded(episodes, content, statistics, frames), channels)
            entry = SplitEntry(
                file=file,
                episodes=statistics.episodes,
                steps=statistics.steps,
                **_stored(path),
                content=content.hexdigest(),
                statistics=statistics.result(),
                frames=FramesEntry(file_of(name, FRAMES_FOLDER), frames.count, frames.shape, **_stored(frames_path))
                if frames.count
                else None,
            )
            add_to_journal(self.hidden, name, entry)
        except BaseException:
            # Remove incomplete files: the disk may be full.
            for incomplete in (path, frames_path):
                with suppress(OSError):
                    incomplete.unlink()
            raise
        self.splits[name] = entry

    def finish(self, folder: Path, order: Iterable[str], describe: Callable[[Path, Manifest], None]) -> None:
        """Write the manifest and move the dataset to its folder; an existing one is replaced.

        Args:
            folder: Folder of the dataset.
            order: Names of the splits in the order of the manifest.
            describe: Function that writes the other files of the dataset.
        """
        made = self.hidden / FINISHED
        manifest = self.manifest.replace(splits={name: self.splits[name] for name in order})
        with file_errors(made):
            describe(made, manifest)
            remove_incomplete(made)
            documents = [path for path in sorted(made.iterdir()) if path.is_file() and path.name != MANIFEST]
            for path in documents:
                _flush(path)
        manifest.replace(documents={path.name: sha256_of(path) for path in documents}).write(made)
        self._exchange(made, folder)
        clear(self.hidden)

    def _exchange(self, made: Path, folder: Path) -> None:
        """Replace the old dataset by the new one; raise if its folder has other files now."""
        replaced = self.hidden / REPLACED
        with file_errors(folder):
            if not is_free(folder):
                check_removable(folder)
                folder.rename(replaced)
                try:
                    check_removable(replaced)
                except AlreadyExists:
                    replaced.rename(folder)
                    raise
            made.rename(folder)
            if replaced.exists():
                replaced.rename(self.hidden / DISCARDED)


def _recorded(
    episodes: Iterable[Episode], content: ContentHash, statistics: StatisticsAccumulator, frames: FramesWriter
) -> Iterator[Episode]:
    """Yield episodes without frames; add them to hash and statistics, and write their frames."""
    for episode in episodes:
        content.add(episode)
        statistics.add(episode)
        frames.add(episode)
        yield without_frames(episode)


def _stored(path: Path) -> dict[str, Any]:
    """Flush a file to disk, and return its size and hash."""
    with file_errors(path):
        _flush(path)
        return {"size": path.stat().st_size, "sha256": sha256_of(path)}


def _flush(path: Path) -> None:
    """Flush a file to disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def remove_incomplete(folder: Path) -> None:
    """Remove the incomplete files that killed writers left below a folder."""
    with file_errors(folder):
        for path in folder.rglob(".*.unfinished"):
            path.unlink()


def clear(hidden: Path) -> None:
    """Remove the content of a hidden folder; of a replaced dataset, the files in its manifest."""
    for name in (REPLACED, DISCARDED):
        if (hidden / name).is_dir():
            remove_dataset(hidden / name)
    for name in (FINISHED, STARTED):
        shutil.rmtree(hidden / name, ignore_errors=True)
    (hidden / JOURNAL).unlink(missing_ok=True)


def start_again(hidden: Path) -> None:
    """Empty a hidden folder for new data."""
    with file_errors(hidden):
        clear(hidden)
        for name in (STARTED, FINISHED):
            (hidden / name).mkdir()


def put_in_place(hidden: Path, folder: Path) -> None:
    """Move the finished data of a hidden folder to their folder, which is free."""
    with file_errors(folder):
        (hidden / FINISHED).rename(folder)
    clear(hidden)


def add_to_journal(hidden: Path, name: str, entry: Config) -> None:
    """Add something finished to the journal of a hidden folder."""
    with file_errors(hidden / JOURNAL), (hidden / JOURNAL).open("a", encoding="utf-8") as journal:
        journal.write(json.dumps([name, entry.to_dict(), entry.digest()]) + "\n")


def journal_entries(hidden: Path, kind: type[C]) -> Iterator[tuple[str, C]]:
    """Yield the names and entries of the journal of a hidden folder, without damaged lines."""
    journal = hidden / JOURNAL
    for line in read_text(journal).splitlines() if journal.exists() else ():
        try:
            name, data, digest = parse_json(line, journal)
            entry = kind.from_dict(data)
            intact = digest == entry.digest()
        except (ValueError, TypeError, OffnominalError):
            continue
        if intact:
            yield name, entry
