"""Datasets in the making: a hidden folder beside the place where the dataset will be.

A killed writer leaves no visible dataset. What it had finished is found again by the next one: every finished split
stands in a journal with its hash. A lock, which the system drops with the process, keeps two writers apart.

Nothing is removed that was not written here: a hidden folder with other entries than ours is refused, and of a dataset
that is replaced only the files that its manifest lists are removed.
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
from typing import Any

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
"""All that a hidden folder of ours holds."""

Report = Callable[[str], object]
"""Takes a line of text that a person should see."""


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
    """Whether nothing is there."""
    with file_errors(folder):
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def check_replaceable(folder: Path, *, overwrite: bool) -> None:
    """Refuse to write where there is something else than a dataset.

    Args:
        folder: Where a dataset is to be written.
        overwrite: Whether a dataset that is there is to be replaced; then nothing else may be in its folder.

    Raises:
        AlreadyExists: Something would be lost.
    """
    if is_free(folder):
        return
    if not (folder / MANIFEST).is_file():
        raise AlreadyExists(f"{folder} is there and is no dataset; choose another folder.")
    if overwrite:
        check_removable(folder)


@contextmanager
def build_folder(folder: Path, report: Report) -> Iterator[Path]:
    """Hold the hidden folder in which a dataset is made; wait while another process does.

    Args:
        folder: Where the dataset will be.
        report: Told of the waiting.

    Raises:
        AlreadyExists: The hidden folder holds something that is not ours.
        InaccessibleFile: It cannot be made or locked.
    """
    place = folder.with_name(f".{folder.name}.unfinished")
    with _locked(place, report):
        _recover(place, folder)
        try:
            yield place
        finally:
            if not (place / STARTED / MANIFEST).exists():
                with suppress(OSError):
                    clear(place)
                    (place / LOCK).unlink(missing_ok=True)
                    place.rmdir()


def _check_ours(place: Path) -> None:
    """Refuse a hidden folder in which there is anything that no writer of ours has put there."""
    with file_errors(place):
        strange = ["itself a symbolic link"] if place.is_symlink() else []
        if place.is_dir():
            strange += sorted(path.name for path in place.iterdir() if path.name not in ENTRIES or path.is_symlink())
    if strange:
        raise AlreadyExists(
            f"{place} is needed for unfinished datasets, but holds other things ({', '.join(strange[:SHOWN])}); move "
            "them elsewhere, or choose another folder."
        )


def _recover(place: Path, folder: Path) -> None:
    """Put back a dataset whose replacement was killed before the new one stood in its place."""
    if (place / REPLACED).is_dir() and is_free(folder):
        with file_errors(folder):
            (place / REPLACED).rename(folder)


@contextmanager
def _locked(place: Path, report: Report) -> Iterator[None]:
    while True:
        _check_ours(place)
        with file_errors(place):
            place.mkdir(parents=True, exist_ok=True)
            try:
                lock = (place / LOCK).open("a", encoding="utf-8")
            except FileNotFoundError:
                continue
        with lock:
            with file_errors(place):
                _wait(lock, place, report)
                held = _is_at(lock, place / LOCK)
            if held:
                yield
                return


def _wait(lock: TextIOWrapper, place: Path, report: Report) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        report(f"Another process is at work in {place}; waiting for it.")
        fcntl.flock(lock, fcntl.LOCK_EX)


def _is_at(lock: TextIOWrapper, path: Path) -> bool:
    """Whether an open file is still the one at a path: whoever held the lock before may have removed it."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except FileNotFoundError:
        return False


class DatasetBuilder:
    """A dataset that is being made in a workshop.

    Args:
        place: The workshop.
        manifest: What the dataset is going to be, without its splits.
        report: Told of what an earlier writer left.

    Attributes:
        splits: What is finished.
    """

    def __init__(self, place: Path, manifest: Manifest, report: Report) -> None:
        self.place = place
        self.manifest = manifest
        self.splits: dict[str, SplitEntry] = {}
        if self._same_recipe():
            self.splits.update(self._intact())
            if self.splits:
                report(f"Going on in {place}: {len(self.splits)} splits were finished before.")
            return
        if (place / STARTED / MANIFEST).exists():
            report(f"Another dataset was begun in {place}; starting anew.")
        with file_errors(place):
            clear(place)
            for name in (STARTED, FINISHED):
                (place / name).mkdir()
        manifest.write(place / STARTED)

    def _same_recipe(self) -> bool:
        """Whether the same recipe was followed here; what has no recipe cannot be told from something else."""
        try:
            return (
                self.manifest.recipe is not None and read_manifest(self.place / STARTED) == self.manifest.with_sha256()
            )
        except OffnominalError:
            return False

    def _intact(self) -> Iterator[tuple[str, SplitEntry]]:
        """Yield the splits of the journal whose line and files are as they were written."""
        journal = self.place / JOURNAL
        for line in read_text(journal).splitlines() if journal.exists() else ():
            try:
                name, data, digest = parse_json(line, journal)
                entry = SplitEntry.from_dict(data)
                Split(name, self.place / FINISHED, entry, world="").check("hash")
            except (ValueError, TypeError, OffnominalError):
                continue
            if digest == entry.digest():
                yield name, entry

    def add(self, name: str, episodes: Iterable[Episode], channels: Channels) -> None:
        """Write a split, then note it in the journal."""
        file = file_of(name)
        if any(entry.file == file for entry in self.splits.values()):
            raise InvalidParameter(f"split {name!r} would be written to {file}, where another one is; rename it.")
        content, statistics = ContentHash(), StatisticsAccumulator()
        path, frames_path = self.place / FINISHED / file, self.place / FINISHED / file_of(name, FRAMES_FOLDER)
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
            with file_errors(self.place / JOURNAL), (self.place / JOURNAL).open("a", encoding="utf-8") as journal:
                journal.write(json.dumps([name, entry.to_dict(), entry.digest()]) + "\n")
        except BaseException:
            # What is half-written would only take up space, which may be the very thing that is missing.
            for each in (path, frames_path):
                with suppress(OSError):
                    each.unlink()
            raise
        self.splits[name] = entry

    def finish(self, folder: Path, order: Iterable[str], describe: Callable[[Path, Manifest], None]) -> None:
        """Make the dataset visible; one that stood there before is replaced.

        Args:
            folder: Where.
            order: Names of the splits as they are to be listed.
            describe: Writes what else belongs into the folder.
        """
        made = self.place / FINISHED
        manifest = self.manifest.replace(splits={name: self.splits[name] for name in order})
        with file_errors(made):
            describe(made, manifest)
            documents = [path for path in sorted(made.iterdir()) if path.is_file() and path.name != MANIFEST]
            for path in documents:
                _flush(path)
        manifest.replace(documents={path.name: sha256_of(path) for path in documents}).write(made)
        self._exchange(made, folder)
        clear(self.place)

    def _exchange(self, made: Path, folder: Path) -> None:
        """Put the new dataset where the old one is, unless something else has come into its folder meanwhile."""
        replaced = self.place / REPLACED
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
                replaced.rename(self.place / DISCARDED)


def _recorded(
    episodes: Iterable[Episode], content: ContentHash, statistics: StatisticsAccumulator, frames: FramesWriter
) -> Iterator[Episode]:
    """Count, hash and film episodes on their way into the table, which gets them without their frames."""
    for episode in episodes:
        content.add(episode)
        statistics.add(episode)
        frames.add(episode)
        yield without_frames(episode)


def _stored(path: Path) -> dict[str, Any]:
    """See that a file is on the disk, and return its size and hash."""
    with file_errors(path):
        _flush(path)
        return {"size": path.stat().st_size, "sha256": sha256_of(path)}


def _flush(path: Path) -> None:
    """See that a file is on the disk before anything says so."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def clear(place: Path) -> None:
    """Remove from a workshop what was written there; of a replaced dataset, what its manifest lists."""
    for name in (REPLACED, DISCARDED):
        if (place / name).is_dir():
            remove_dataset(place / name)
    for name in (FINISHED, STARTED):
        shutil.rmtree(place / name, ignore_errors=True)
    (place / JOURNAL).unlink(missing_ok=True)
