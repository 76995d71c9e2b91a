"""Recording of one scene: frame by frame, and resumed at the first frame that is not finished.

A journal lists every finished frame with its hash. It is locked while the scene is recorded, so that a process that
outlives its parent does not write beside the next one.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.core.files import file_errors, parse_json, sha256_of, write_json
from offnominal.core.types import Array
from offnominal.datasets.recording_processes import Advance
from offnominal.datasets.scenes.index import (
    SCENE,
    FrameEntry,
    Layout,
    Part,
    SceneEntry,
    SceneIndex,
    ScenePlan,
    read_part,
    rig_to_dict,
    truth_to_dict,
)
from offnominal.datasets.scenes.layouts import LAYOUTS
from offnominal.datasets.scenes.scene_run import RunSource, SceneRun
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios import scenario_to_json
from offnominal.worlds.road.scenes import DrivingFrame, Look
from offnominal.worlds.road.scenes.looks import PLAIN

ANOMALY_LABELS = np.array([label for label in Label if label.is_anomaly])


@dataclass(frozen=True)
class SceneJob:
    """Recording of one scene.

    Args:
        plan: The scene.
        layout: Layout of its files.
        root: Folder of the unfinished set.
        journals: Folder of the journals.
        source: Function that returns the run of a scenario.
    """

    plan: ScenePlan
    layout: Layout
    root: Path
    journals: Path
    source: RunSource

    @property
    def id(self) -> str:
        """Name of the scene."""
        return self.plan.id

    def record(self, advance: Advance) -> SceneEntry | str:
        """Record the scene, and return its entry in the manifest, or why it is discarded."""
        folder = self.root / LAYOUTS[self.layout].folder(self.plan.id)
        with _Journal.locked(self.journals / f"{self.plan.id}.jsonl") as journal:
            if journal.discarded is not None:
                _remove(folder)
                return journal.discarded
            finished = _intact(folder, journal.frames)
            if journal.index_sha256 and len(finished) == len(journal.frames) and _has(folder, journal.index_sha256):
                for _ in finished:
                    advance()
                return self._entry(folder, finished, journal.index_sha256)
            if journal.torn or journal.index_sha256 or len(finished) < len(journal.frames):
                journal.restart(finished)
            return self._resume(folder, finished, journal, advance)

    def _resume(
        self, folder: Path, finished: list[FrameEntry], journal: _Journal, advance: Advance
    ) -> SceneEntry | str:
        for _ in finished:
            advance()
        try:
            run = self.plan.start(self.source)
            discards = run.discards
        except InvalidParameter as error:
            return self._discard(folder, journal, str(error).rstrip("."))
        if discards:
            return self._discard(folder, journal, "; ".join(discards))
        _remove_others(folder, finished)
        writer = LAYOUTS[self.layout].writer(folder, self.plan, run, finished)
        try:
            for frame in run.frames(start=len(finished)):
                finished.append(entry_of(frame, writer.add(frame)))
                journal.add_frame(finished[-1])
                advance()
            documents = writer.finish()
        finally:
            writer.close()
        index = self._index(run, finished, documents)
        write_json(folder / SCENE, index.to_dict())
        sha256 = sha256_of(folder / SCENE)
        journal.add("finished", sha256)
        return self._entry(folder, finished, sha256)

    def _discard(self, folder: Path, journal: _Journal, reason: str) -> str:
        journal.add("discarded", reason)
        _remove(folder)
        return reason

    def _index(self, run: SceneRun, frames: Sequence[FrameEntry], documents: dict[str, str]) -> SceneIndex:
        look: Look | None = getattr(run, "look", None)
        return SceneIndex(
            id=self.plan.id,
            town=self.plan.scenario.town,
            scenario=scenario_to_json(self.plan.scenario),
            twin=self.plan.twin,
            rig=rig_to_dict(run.rig),
            route=tuple((float(x), float(y)) for x, y in run.route.waypoints[0]),
            truth=truth_to_dict(run.anomaly_truth()),
            frames=tuple(frames),
            documents=documents,
            look=None if look is None or look == PLAIN else look.to_dict(),
        )

    def _entry(self, folder: Path, frames: Sequence[FrameEntry], sha256: str) -> SceneEntry:
        with file_errors(folder):
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        return SceneEntry(folder.relative_to(self.root).as_posix(), len(frames), size, sha256)


class _Journal:
    """Finished frames of a scene, one line each, and how the recording ended."""

    def __init__(self, path: Path, file: TextIOWrapper) -> None:
        self.path = path
        self.frames: list[FrameEntry] = []
        self.discarded: str | None = None
        self.index_sha256 = ""
        self.torn = False
        self._file = file
        for line in file:
            try:
                self._read(line)
            except (ValueError, TypeError, OffnominalError):
                self.torn = True
                break

    def _read(self, line: str) -> None:
        kind, data, digest = parse_json(line, self.path)
        if digest != _digest(kind, data):
            raise ValueError("the line was changed")
        if kind == "frame":
            self.frames.append(FrameEntry.from_dict(data))
        elif kind == "finished":
            self.index_sha256 = data
        else:
            self.discarded = data

    @classmethod
    @contextmanager
    def locked(cls, path: Path) -> Iterator[_Journal]:
        """Open a journal; wait while another process has it."""
        with file_errors(path):
            file = path.open("a+", encoding="utf-8")
        with file:
            with file_errors(path):
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                journal = cls(path, file)
            yield journal

    def restart(self, frames: Sequence[FrameEntry]) -> None:
        """Keep some frames and remove all other lines."""
        self.index_sha256 = ""
        with file_errors(self.path):
            self._file.seek(0)
            self._file.truncate()
        for frame in frames:
            self.add_frame(frame)

    def add_frame(self, frame: FrameEntry) -> None:
        """Add a finished frame."""
        self.add("frame", frame.to_dict())

    def add(self, kind: str, data: Any) -> None:
        """Add a line."""
        with file_errors(self.path):
            self._file.write(json.dumps([kind, data, _digest(kind, data)]) + "\n")
            self._file.flush()


def _digest(kind: str, data: Any) -> str:
    return sha256_of(json.dumps([kind, data], sort_keys=True))[:16]


def _intact(folder: Path, frames: Sequence[FrameEntry]) -> list[FrameEntry]:
    """Return the first frames whose files are intact."""
    found = []
    for frame in frames:
        try:
            for part in frame.parts:
                read_part(folder, part)
        except OffnominalError:
            break
        found.append(frame)
    return found


def _remove_others(folder: Path, frames: Sequence[FrameEntry]) -> None:
    """Remove files of an interrupted run that do not belong to finished frames."""
    owned = {folder / part.file for frame in frames for part in frame.parts}
    with file_errors(folder):
        for path in folder.rglob("*"):
            if path not in owned and not path.is_dir():
                path.unlink()


def _remove(folder: Path) -> None:
    with file_errors(folder), suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _has(folder: Path, sha256: str) -> bool:
    try:
        return sha256_of(folder / SCENE) == sha256
    except OffnominalError:
        return False


def entry_of(frame: DrivingFrame, parts: tuple[Part, ...]) -> FrameEntry:
    """Return the entry of a frame in the index of its scene."""
    sensors, state = frame.sensors, frame.state
    return FrameEntry(
        number=frame.number,
        tick=frame.tick,
        anomalous=state.is_anomalous,
        instances=tuple(state.instance[state.anomalous].tolist()),
        pixels=sum(_anomalies(camera.image.label) for camera in sensors.cameras.values()),
        points=sum(_anomalies(lidar.measured.label) for lidar in sensors.lidars.values()),
        parts=parts,
    )


def _anomalies(labels: Array | None) -> int:
    if labels is None:
        return 0
    counts = np.bincount(labels.reshape(-1), minlength=256)
    return int(counts[ANOMALY_LABELS].sum())
