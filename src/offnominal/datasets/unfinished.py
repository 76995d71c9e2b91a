"""Datasets in the making: a hidden folder beside the place where the dataset will be.

A killed writer leaves no visible dataset. What it had finished is found again by the next one: every finished split
stands in a journal with its hash. A lock, which the system drops with the process, keeps two writers apart.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyThere, InvalidParameter, OffnominalError
from offnominal.core.files import sha256_of
from offnominal.datasets.content import Content
from offnominal.datasets.frames import FramesWriter, without_frames
from offnominal.datasets.layout import Channels
from offnominal.datasets.manifest import FILMS, MANIFEST, FramesEntry, Manifest, SplitEntry, file_of, read_manifest
from offnominal.datasets.parquet import write_episodes
from offnominal.datasets.split import Split
from offnominal.datasets.statistics import Tally

JOURNAL, LOCK, MADE, BEGUN, REPLACED = "journal.jsonl", "lock", "dataset", "begun", "replaced"

Report = Callable[[str], object]
"""Takes a line of text that a person should see."""


def is_free(folder: Path) -> bool:
    """Whether nothing is there."""
    return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def check_replaceable(folder: Path) -> None:
    """Refuse to write where there is something else than a dataset."""
    if not is_free(folder) and not (folder / MANIFEST).is_file():
        raise AlreadyThere(f"{folder} is there and is no dataset; choose another folder.")


@contextmanager
def workshop(folder: Path, report: Report) -> Iterator[Path]:
    """Hold the hidden folder in which a dataset is made; wait while another process does.

    Args:
        folder: Where the dataset will be.
        report: Told of the waiting.
    """
    place = folder.with_name(f".{folder.name}.unfinished")
    with _locked(place, report):
        try:
            yield place
        finally:
            if not (place / BEGUN).exists():
                shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _locked(place: Path, report: Report) -> Iterator[None]:
    while True:
        place.mkdir(parents=True, exist_ok=True)
        try:
            lock = (place / LOCK).open("a", encoding="utf-8")
        except FileNotFoundError:
            continue
        with lock:
            _wait(lock, place, report)
            if _is_at(lock, place / LOCK):
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


class Unfinished:
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
        if self._begun_alike():
            self.splits.update(self._intact())
            if self.splits:
                report(f"Going on in {place}: {len(self.splits)} splits were finished before.")
            return
        if (place / BEGUN).exists():
            report(f"Another dataset was begun in {place}; starting anew.")
        clear(place)
        for name in (BEGUN, MADE):
            (place / name).mkdir()
        manifest.write(place / BEGUN)

    def _begun_alike(self) -> bool:
        """Whether the same recipe was followed here; what has no recipe cannot be told from something else."""
        try:
            return self.manifest.recipe is not None and read_manifest(self.place / BEGUN) == self.manifest
        except OffnominalError:
            return False

    def _intact(self) -> Iterator[tuple[str, SplitEntry]]:
        journal = self.place / JOURNAL
        for line in journal.read_text(encoding="utf-8").splitlines() if journal.exists() else ():
            try:
                name, data = json.loads(line)
                entry = SplitEntry.from_dict(data)
                Split(name, self.place / MADE, entry, world="").check("hash")
            except (ValueError, OffnominalError):
                continue
            yield name, entry

    def add(self, name: str, episodes: Iterable[Episode], channels: Channels) -> None:
        """Write a split, then note it in the journal."""
        file = file_of(name)
        if any(entry.file == file for entry in self.splits.values()):
            raise InvalidParameter(f"split {name!r} would be written to {file}, where another one is; rename it.")
        path, film = self.place / MADE / file, self.place / MADE / file_of(name, FILMS)
        path.parent.mkdir(parents=True, exist_ok=True)
        content, tally = Content(), Tally()
        with FramesWriter(film) as frames:
            write_episodes(path, _noted(episodes, content, tally, frames), channels)
        entry = SplitEntry(
            file=file,
            episodes=tally.episodes,
            steps=tally.steps,
            **_stored(path),
            content=content.hexdigest(),
            statistics=tally.result(),
            frames=FramesEntry(file_of(name, FILMS), frames.count, frames.shape, **_stored(film))
            if frames.count
            else None,
        )
        with (self.place / JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps([name, entry.to_dict()]) + "\n")
        self.splits[name] = entry

    def finish(self, folder: Path, order: Iterable[str], describe: Callable[[Path, Manifest], None]) -> None:
        """Make the dataset visible; one that stood there before is replaced.

        Args:
            folder: Where.
            order: Names of the splits as they are to be listed.
            describe: Writes what else belongs into the folder.
        """
        made = self.place / MADE
        manifest = self.manifest.replace(splits={name: self.splits[name] for name in order})
        manifest.write(made)
        describe(made, manifest)
        for path in made.iterdir():
            if path.is_file():
                _flush(path)
        if folder.exists():
            folder.rename(self.place / REPLACED)
        made.rename(folder)
        clear(self.place)


def _noted(episodes: Iterable[Episode], content: Content, tally: Tally, frames: FramesWriter) -> Iterator[Episode]:
    """Count, hash and film episodes on their way into the table, which gets them without their frames."""
    for episode in episodes:
        content.add(episode)
        tally.add(episode)
        frames.add(episode)
        yield without_frames(episode)


def _stored(path: Path) -> dict[str, Any]:
    """See that a file is on the disk, and return its size and hash."""
    _flush(path)
    return {"size": path.stat().st_size, "sha256": sha256_of(path)}


def _flush(path: Path) -> None:
    """See that a file is on the disk before anything says so."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def clear(place: Path) -> None:
    """Remove everything from a workshop but its lock."""
    for path in place.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()
