"""Scenes in the published layout that scene detectors score, and what of a folder is left out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import overload

from offnominal.core.errors import InvalidParameter, MissingFile, OffnominalError, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.datasets.scenes.index import (
    SCENES,
    FrameEntry,
    SceneIndex,
    SceneManifest,
    rig_to_dict,
    truth_to_dict,
)
from offnominal.datasets.scenes.published_frames import PublishedReader, location_of
from offnominal.datasets.scenes.published_names import ACTION, INSTANCE, SENSOR_SETUP, VOXEL_GRID
from offnominal.datasets.scenes.published_reading import PublishedFrame, PublishedScene, content_label, find_published
from offnominal.datasets.scenes.published_rig import (
    CAMERA_NEEDS,
    LIDAR_NEEDS,
    PublishedSensor,
    known_rig,
    mounts_of,
    rig_of,
)
from offnominal.datasets.scenes.reading import DrivingScene, Kind, open_scenes
from offnominal.datasets.scenes.scene_recorder import entry_of
from offnominal.datasets.scenes.voxel_files import SETTINGS, VoxelSettings, read_settings
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.assets.catalogue import SIZES, anomaly_object
from offnominal.worlds.road.rigs import Mount
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.scenes import VOXEL_GRIDS, AnomalyTruth

UNKNOWN = "unknown"


class PublishedDrive(DrivingScene):
    """A scene in the published layout: a sequence of frames that every scene detector scores.

    Args:
        reader: Reader of its frames.
        details: Its index.
        kind: Whether it has a content anomaly, a temporal anomaly, or none.
        size: Size of the object, from tiny to huge; None if it is not known.
        scenario: Its scenario; None if no scenario file describes it.
    """

    def __init__(
        self, reader: PublishedReader, details: SceneIndex, kind: Kind, size: str | None, scenario: Scenario | None
    ) -> None:
        super().__init__(reader.scene.folder, details, reader)
        self.reader, self._kind, self._size, self._described = reader, kind, size, scenario

    def __repr__(self) -> str:
        about = f"{self.town}, {self.weather}, {self.rig.name}, {self.kind}, {len(self)} frames"
        return f"PublishedDrive({self.id!r}, {about})"

    @property
    def kind(self) -> Kind:
        """Whether the scene has a content anomaly, a temporal anomaly, or none."""
        return self._kind

    @property
    def size(self) -> str | None:
        """Size of the object of a content anomaly, from tiny to huge; None without one, or if it is not known."""
        return self._size

    @property
    def weather(self) -> str:
        """Name of the weather; ``"unknown"`` without a scenario file."""
        return UNKNOWN if self._described is None else self._described.weather

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario.

        Raises:
            MissingFile: No scenario file describes it.
        """
        if self._described is None:
            raise MissingFile(f"no scenario file describes scene {self.id}; put it into Scenario_Configuration_Files.")
        return self._described

    @cached_property
    def voxel_settings(self) -> VoxelSettings | None:
        """How the recorded voxels were computed: as the scene describes it, else as in the public code of AnoVox."""
        path = self.folder / SETTINGS
        if path.exists():
            found = read_settings(path)
            return VoxelSettings(found.grid, found.rule)
        has_voxels = (self.folder / VOXEL_GRID).is_dir()
        return VoxelSettings(VOXEL_GRIDS["public-code"], "published") if has_voxels else None

    def voxels(self, number: int) -> Voxels:
        """Return the recorded voxel truth of a frame.

        Raises:
            MissingFile: There is none.
        """
        found = self.reader.scene.read(self.details.frames[number].tick, ()).voxels
        if found is None:
            raise MissingFile(f"frame {number} of scene {self.id} has no file in {VOXEL_GRID}.")
        return found


@dataclass(frozen=True, eq=False)
class Recording(Sequence[PublishedDrive]):
    """Scenes of a folder in the published layout.

    Args:
        folder: The folder.
        scenes: Scenes that can be scored.
        left_out: Why files, frames, sensors and scenes are left out, by their paths.
        notes: What is not known of scenes, by their names.
    """

    folder: Path
    scenes: tuple[PublishedDrive, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.scenes)

    @property
    def ids(self) -> list[str]:
        """Names of the scenes."""
        return [each.id for each in self.scenes]

    @overload
    def __getitem__(self, key: int | str) -> PublishedDrive: ...
    @overload
    def __getitem__(self, key: slice) -> list[PublishedDrive]: ...
    def __getitem__(self, key: int | str | slice) -> PublishedDrive | list[PublishedDrive]:
        if isinstance(key, slice):
            return list(self.scenes[key])
        if isinstance(key, str) and key not in self.ids:
            raise UnknownName(f"no scene named {key!r} in {self.folder}.{did_you_mean(key, self.ids)}")
        return self.scenes[self.ids.index(key) if isinstance(key, str) else key]


def open_recording(folder: Path | str) -> Recording:
    """Open a folder with scenes in the published layout, so that scene detectors can score them.

    Folders of AnoVox are read, current ones with label ids and points in ``.npy`` files, older ones with colours and
    points in ``.pcd`` files, and those of ``offnominal scenarios run --layout published``. All files are read once.
    A frame with a missing or damaged file, a sensor without one of the files that it needs, and a scene without frames
    are left out, and the result says why.

    Args:
        folder: Folder with folders ``Scenario_<id>``, or one of these.

    Raises:
        MissingFile: There are no scenes.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of scenes in the published layout.")
    found, left_out = find_published(Path(folder))
    scenes: list[PublishedDrive] = []
    notes: dict[str, str] = {}
    for scene in found:
        scan = _Scan(scene)
        try:
            drive = scan.drive()
        except OffnominalError as error:
            left_out[scene.folder.name] = str(error)
        else:
            scenes.append(drive)
            notes |= {scene.id: "; ".join(scan.notes)} if scan.notes else {}
        left_out |= scan.left_out
    return Recording(Path(folder), tuple(scenes), left_out, notes)


def open_any_scenes(folder: Path | str) -> Sequence[DrivingScene]:
    """Open a folder of scenes in either layout.

    Args:
        folder: Folder of a set in the compact layout, or of scenes in the published one.

    Raises:
        MissingFile: There are no scenes.
    """
    path = Path(folder)
    if (path / SCENES).exists() and SceneManifest.read(path).layout == "compact":
        return open_scenes(path)
    return open_recording(path)


class _Scan:
    """One reading of all files of a scene."""

    def __init__(self, scene: PublishedScene) -> None:
        self.scene = scene
        self.left_out: dict[str, str] = {}
        self.notes: list[str] = []

    def drive(self) -> PublishedDrive:
        """Return the scene; raise if nothing of it can be scored."""
        scene = self.scene
        files = {each: self._files(each) for each in scene.sensors}
        there = [each for each in scene.sensors if files[each]]
        known = known_rig(there, None if scene.scenario is None else scene.scenario.rig)
        mounts, out = mounts_of(there, known)
        self._leave_out({f"{scene.folder.name}, {noun}": reason for noun, reason in out.items()})
        if not mounts:
            raise MissingFile(f"{scene.folder} has no complete camera and no complete lidar.")
        sensors = tuple(each for each in there if each.place in mounts and _is_read(each, mounts[each.place]))
        ids = sorted({id for each in sensors for id in files[each]})
        reader, frames = self._frames(ids, sensors, mounts, None if known is None else known.name)
        if reader is None:
            raise MissingFile(f"none of the {len(ids)} frames of {scene.folder} can be read.")
        return self._described(reader, frames)

    def _leave_out(self, reasons: dict[str, str]) -> None:
        self.left_out |= reasons

    def _files(self, sensor: PublishedSensor) -> set[int]:
        """Return the numbers of the frames for which a sensor has a file."""
        folder = self.scene.folder / sensor.folder
        if not folder.is_dir():
            self.left_out[f"{self.scene.folder.name}/{sensor.folder}"] = (
                f"{SENSOR_SETUP} lists it, but it does not exist"
            )
            return set()
        found = set()
        with file_errors(folder):
            paths = sorted(folder.iterdir())
        for path in paths:
            number = path.stem.removeprefix(f"{sensor.folder}_")
            place = f"{self.scene.folder.name}/{sensor.folder}/{path.name}"
            if path.suffix != sensor.ending:
                self.left_out[place] = f"it does not end in {sensor.ending}, as the other files of the sensor"
            elif not number.isdecimal():
                self.left_out[place] = "its name does not end in the number of a frame"
            else:
                found.add(int(number))
        return found

    def _frames(
        self, ids: list[int], sensors: tuple[PublishedSensor, ...], mounts: dict[str, Mount], name: str | None
    ) -> tuple[PublishedReader | None, list[tuple[FrameEntry, PublishedFrame]]]:
        """Read all frames once, and return those that are intact; images and points of the others are not kept."""
        reader: PublishedReader | None = None
        frames: list[tuple[FrameEntry, PublishedFrame]] = []
        for id in ids:
            try:
                found = self.scene.read(id, sensors)
                if reader is None:
                    shape = next((each.label.shape for each in found.cameras.values() if each.label is not None), None)
                    rig = rig_of(sensors, mounts, shape, name)
                    reader = PublishedReader(self.scene, sensors, mounts, rig)
                entry = entry_of(reader.driving(found, len(frames)), ())
            except OffnominalError as error:
                self.left_out[f"{self.scene.folder.name}, frame {id}"] = str(error)
                continue
            if not frames:
                self._note(reader, found)
            frames.append((entry, PublishedFrame(id, {}, {}, found.action, found.anomaly, None, None)))
        return (reader if frames else None), frames

    def _note(self, reader: PublishedReader, found: PublishedFrame) -> None:
        if not reader.has_pose(found):
            self.notes.append(
                f"{ACTION} has no transformation matrix, so that every frame is relative to the ego vehicle"
            )
        if self.scene.scenario is None:
            self.notes.append("no scenario file describes it, so that town and weather are unknown")

    def _described(self, reader: PublishedReader, frames: list[tuple[FrameEntry, PublishedFrame]]) -> PublishedDrive:
        scene, described = self.scene, self.scene.scenario
        first = next((pair for pair in frames if pair[0].anomalous), frames[0])
        kind = _kind(frames, first)
        size = _size(first[1]) if kind == "content" else None
        details = SceneIndex(
            id=scene.id,
            town=UNKNOWN if described is None else described.town,
            scenario={},
            twin=False,
            rig=rig_to_dict(reader.rig),
            route=(),
            truth=truth_to_dict(_truth(reader, frames, first)) if kind != "normal" else None,
            frames=tuple(entry for entry, _ in frames),
            documents={},
        )
        return PublishedDrive(reader, details, kind, size, described)


def _is_read(sensor: PublishedSensor, mount: Mount) -> bool:
    wanted = (*CAMERA_NEEDS, INSTANCE) if mount.camera else ()
    return sensor.kind in wanted or (mount.lidar and sensor.kind in LIDAR_NEEDS)


def _kind(frames: list[tuple[FrameEntry, PublishedFrame]], first: tuple[FrameEntry, PublishedFrame]) -> Kind:
    """Return what a scene has: what its files ANOMALY say, or without them what its labels do."""
    described = next((frame.anomaly for _, frame in frames if frame.anomaly is not None), None)
    if described is not None:
        return "content" if "anomaly_type_id" in described else "temporal"
    return "content" if first[0].anomalous else "normal"


def _size(frame: PublishedFrame) -> str | None:
    size = (frame.anomaly or {}).get("size", "").strip().lower()
    if size in SIZES:
        return size
    with suppress(UnknownName):
        return anomaly_object((frame.anomaly or {}).get("anomaly_type_id", "").strip()).size
    return None


def _truth(
    reader: PublishedReader,
    frames: list[tuple[FrameEntry, PublishedFrame]],
    first: tuple[FrameEntry, PublishedFrame],
) -> AnomalyTruth | None:
    """Return what is known of the anomaly; its size is not, so that it is 0."""
    active = [entry.tick for entry, _ in frames if entry.anomalous] or [first[0].tick]
    entries = first[1].anomaly or {}
    name = entries.get("anomaly_type_id", entries.get("vehicle_type_id", UNKNOWN)).strip()
    with suppress(UnknownName):
        name = anomaly_object(name).name
    x, y, z = location_of(entries, reader.scene, first[0].tick)
    instance = first[0].instances[0] if first[0].instances else 0
    return AnomalyTruth(name, content_label(entries), instance, active[0], active[-1], (0.0, 0.0, 0.0), (x, y, z))
