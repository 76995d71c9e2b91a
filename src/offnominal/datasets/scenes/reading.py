"""Recorded driving scenes as sequences of frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, overload

import numpy as np

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import sha256_of
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.datasets.scenes import voxel_files
from offnominal.datasets.scenes.compact_layout import CompactReader
from offnominal.datasets.scenes.index import (
    AGAIN,
    TWIN,
    FrameEntry,
    SceneIndex,
    SceneManifest,
    read_part,
    read_scene_index,
    scenario_of,
    truth_from_dict,
)
from offnominal.datasets.scenes.voxel_files import VoxelSettings, decode_voxels, read_settings
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame, Look
from offnominal.worlds.road.scenes.looks import PLAIN
from offnominal.worlds.road.town.snapshot import Snapshot

Kind: TypeAlias = Literal["normal", "content", "temporal"]


class FrameReader(Protocol):
    """Reader of the frames of a scene."""

    def frame(self, entry: FrameEntry) -> DrivingFrame:
        """Return a frame."""

    def state(self, entry: FrameEntry) -> Snapshot:
        """Return the state of all actors in a frame."""


class DrivingScene(LazySequence[DrivingFrame]):
    """A recorded scenario: a sequence of frames, each of which is read when it is used.

    Args:
        folder: Folder of the scene.
        details: Its index.
        reader: Reader of its frames; None is that of the compact layout.
    """

    def __init__(self, folder: Path, details: SceneIndex, reader: FrameReader | None = None) -> None:
        self.folder = folder
        self.details = details
        self._given_reader = reader

    def __repr__(self) -> str:
        scenario = self.scenario
        kind = "nominal twin" if self.twin else scenario.type
        return (
            f"DrivingScene({self.id!r}, {self.town}, {scenario.weather}, {self.rig.name}, {kind}, {len(self)} frames)"
        )

    def __len__(self) -> int:
        return len(self.details.frames)

    def _item(self, number: int) -> DrivingFrame:
        return self._reader.frame(self.details.frames[number])

    def states(self) -> Iterator[Snapshot]:
        """Yield the state of all actors in each frame; the sensors are not decoded."""
        return (self._reader.state(entry) for entry in self.details.frames)

    @cached_property
    def _reader(self) -> FrameReader:
        return CompactReader(self.folder, self.rig) if self._given_reader is None else self._given_reader

    def voxels(self, number: int) -> Voxels:
        """Return the recorded voxel truth of a frame.

        Raises:
            MissingFile: The scene was recorded without voxels.
            DamagedFile: A file was changed.
        """
        parts = [part for part in self.details.frames[number].parts if part.file == voxel_files.STREAM]
        settings = self.voxel_settings
        if settings is None or not parts:
            raise MissingFile(
                f"scene {self.id} has no voxels; record it with voxels=VoxelSettings(), or use voxel_truth(frame)."
            )
        return decode_voxels(read_part(self.folder, parts[0]), settings, self.folder / voxel_files.STREAM)

    @cached_property
    def voxel_settings(self) -> VoxelSettings | None:
        """How the recorded voxel truth was computed; None if there is none."""
        path = self.folder / voxel_files.SETTINGS
        if path.name not in self.details.documents:
            return None
        if sha256_of(path) != self.details.documents[path.name]:
            raise DamagedFile(f"{path} is not the file that the index lists; {AGAIN}.")
        return read_settings(path)

    @property
    def id(self) -> str:
        """Name of the scene."""
        return self.details.id

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario."""
        return scenario_of(self.details)

    @property
    def scenario_id(self) -> str:
        """Name of the scenario; a nominal twin has that of its scenario."""
        return self.id.removesuffix(TWIN) if self.twin else self.id

    @property
    def kind(self) -> Kind:
        """Whether the scene has a content anomaly, a temporal anomaly, or none."""
        anomaly = None if self.twin else self.scenario.anomaly
        return "normal" if anomaly is None else "content" if isinstance(anomaly, ContentAnomaly) else "temporal"

    @property
    def size(self) -> str | None:
        """Size of the object of a content anomaly, from tiny to huge; None without one."""
        anomaly = None if self.twin else self.scenario.anomaly
        return anomaly.size if isinstance(anomaly, ContentAnomaly) else None

    @property
    def town(self) -> str:
        """Name of the town."""
        return self.details.town

    @property
    def weather(self) -> str:
        """Name of the weather."""
        return self.scenario.weather

    @cached_property
    def rig(self) -> Rig:
        """Sensors of the ego vehicle."""
        return Rig.from_dict(self.details.rig)

    @cached_property
    def look(self) -> Look:
        """How much detail it shows."""
        return PLAIN if self.details.look is None else Look.from_dict(self.details.look)

    @property
    def twin(self) -> bool:
        """Whether this is the nominal twin of the scenario, without its anomaly."""
        return self.details.twin

    @cached_property
    def truth(self) -> AnomalyTruth | None:
        """Ground truth of the anomaly; None if there is none."""
        return truth_from_dict(self.details.truth)

    @cached_property
    def route(self) -> FloatArray:
        """(k, 2): points of the route of the ego vehicle, m."""
        return np.array(self.details.route, np.float64).reshape(-1, 2)

    @cached_property
    def ticks(self) -> IntArray:
        """(frames,): tick of each frame."""
        return np.array([frame.tick for frame in self.details.frames], np.int64)

    @cached_property
    def anomalous(self) -> BoolArray:
        """(frames,): whether an anomaly is active."""
        return np.array([frame.anomalous for frame in self.details.frames], np.bool_)

    @cached_property
    def visible(self) -> BoolArray:
        """(frames,): whether a pixel or a measured point has the label of an anomaly."""
        return np.array([frame.pixels + frame.points > 0 for frame in self.details.frames], np.bool_)


class DrivingScenes(Sequence[DrivingScene]):
    """A set of recorded scenarios, in the order of the scenario files.

    Args:
        folder: Folder of the set.
        manifest: Its manifest.
    """

    def __init__(self, folder: Path, manifest: SceneManifest) -> None:
        self.folder = folder
        self.manifest = manifest

    def __repr__(self) -> str:
        frames = sum(entry.frames for entry in self.manifest.scenes.values())
        return f"DrivingScenes({len(self)} scenes, {frames} frames)"

    def __len__(self) -> int:
        return len(self.manifest.scenes)

    @property
    def ids(self) -> list[str]:
        """Names of the scenes."""
        return list(self.manifest.scenes)

    @property
    def discarded(self) -> dict[str, str]:
        """Why scenes were discarded, by their names."""
        return self.manifest.discarded

    @overload
    def __getitem__(self, key: int | str) -> DrivingScene: ...
    @overload
    def __getitem__(self, key: slice) -> list[DrivingScene]: ...
    def __getitem__(self, key: int | str | slice) -> DrivingScene | list[DrivingScene]:
        if isinstance(key, slice):
            return [self[id] for id in self.ids[key]]
        id = key if isinstance(key, str) else self.ids[key]
        if id not in self.manifest.scenes:
            raise UnknownName(f"no scene named {id!r} in {self.folder}.{did_you_mean(id, self.ids)}")
        entry = self.manifest.scenes[id]
        return DrivingScene(self.folder / entry.folder, read_scene_index(self.folder, entry))

    def twin_of(self, scene: DrivingScene) -> DrivingScene:
        """Return the nominal twin of a scene."""
        return self[scene.scenario.id + TWIN]


def open_scenes(folder: Path | str) -> DrivingScenes:
    """Open a set of driving scenes in the compact layout.

    Args:
        folder: Folder of the set.

    Raises:
        MissingFile: There is no such set.
        DamagedFile: A file was changed.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a set of driving scenes.")
    manifest = SceneManifest.read(Path(folder))
    if manifest.layout != "compact":
        raise InvalidParameter(f"{folder} has the published layout; open it with open_published.")
    return DrivingScenes(Path(folder), manifest)
