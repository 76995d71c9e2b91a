"""Reader of driving scenes in the published layout, also of those of other generators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import instances_of
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.core.files import content_errors, file_errors, read_json, read_text
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.types import Array, FloatArray
from offnominal.datasets.png import read_png
from offnominal.datasets.scenes.pcd_files import read_pcd
from offnominal.datasets.scenes.published_encodings import decode_depth, decode_instance, decode_label
from offnominal.datasets.scenes.published_names import (
    ACTION,
    ANOMALY,
    CAMERA_TYPES,
    DEPTH,
    INSTANCE,
    LEGACY_TYPES,
    LIDAR,
    LIDAR_TYPES,
    PREFIX,
    RGB,
    ROUTE_MAP,
    SCENARIOS,
    SEMANTIC,
    SEMANTIC_LIDAR,
    SENSOR_SETUP,
    VOXEL_GRID,
    file_of,
)
from offnominal.datasets.scenes.published_rig import TOP, PublishedSensor
from offnominal.datasets.scenes.voxel_files import SETTINGS, from_published, read_settings
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, Label
from offnominal.worlds.road.scenarios import Scenario, read_published_scenarios
from offnominal.worlds.road.scenes import VOXEL_GRIDS

DECODERS = {RGB: lambda image: image, DEPTH: decode_depth, INSTANCE: decode_instance}
FIELDS = {RGB: "rgb", DEPTH: "depth", SEMANTIC: "label", INSTANCE: "instance"}


@dataclass(frozen=True, eq=False)
class PublishedCloud:
    """Points of one lidar in its own frame: x ahead, y to the left, z up.

    Args:
        points: (n, 3): measured points, m.
        intensity: (n,): their intensities.
        exact: (m, 3): exact points of the semantic lidar, m.
        label: (m,): their labels.
    """

    points: NDArray[np.float32]
    intensity: NDArray[np.float32]
    exact: NDArray[np.float32]
    label: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PublishedFrame:
    """A frame of the published layout.

    Args:
        id: Number in the names of its files.
        cameras: Images by the place of the camera, such as ``"(0, 0, 1.8)(0, 0, 0)"``; instances modulo 2^16.
        lidars: Points by the place of the lidar.
        action: State of the ego vehicle, as text by name.
        anomaly: State of the anomaly, as text by name; None if there is none.
        route_map: (192, 192): 255 on the route; None if there is none.
        voxels: Voxels with their labels; None if there are none.
    """

    id: int
    cameras: dict[str, CameraImage]
    lidars: dict[str, PublishedCloud]
    action: dict[str, str]
    anomaly: dict[str, str] | None
    route_map: NDArray[np.uint8] | None
    voxels: Voxels | None


class PublishedScene(LazySequence[PublishedFrame]):
    """A scene in the published layout: a sequence of frames, each of which is read when it is used.

    Args:
        folder: Folder of the scene.
        scenario: Its scenario, if there is a scenario file.
    """

    def __init__(self, folder: Path, scenario: Scenario | None = None) -> None:
        self.folder = folder
        self.scenario = scenario

    def __repr__(self) -> str:
        return f"PublishedScene({self.id!r}, {len(self)} frames)"

    @property
    def id(self) -> str:
        """Name of the scene."""
        return self.folder.name.removeprefix(PREFIX)

    @cached_property
    def sensors(self) -> tuple[PublishedSensor, ...]:
        """All sensors that the scene lists; of an older release, all that have files."""
        path = self.folder / SENSOR_SETUP
        if not path.exists():
            return self._legacy_sensors()
        with content_errors(path, "a setup of sensors"):
            return tuple(
                PublishedSensor(
                    name,
                    each["sensor_type"],
                    each["file_ending"],
                    _place(each["location"], each["rotation"]),
                    tuple(each["location"]),
                    tuple(each["rotation"]),
                    dict(each.get("args", {})),
                )
                for name, each in read_json(path).items()
                if each.get("save_data", True)
            )

    @cached_property
    def is_legacy(self) -> bool:
        """Whether this is a scene of an older release, which has one folder per type of sensor."""
        return not (self.folder / SENSOR_SETUP).exists()

    def _legacy_sensors(self) -> tuple[PublishedSensor, ...]:
        """Return the sensors of an older release, all at one place on the roof."""
        found = []
        for name, kind in LEGACY_TYPES.items():
            for ending in (".png",) if kind in CAMERA_TYPES else (".pcd", ".npy"):
                with file_errors(self.folder):
                    if any((self.folder / name).glob(f"{name}_*{ending}")):
                        found.append(PublishedSensor(name, kind, ending, TOP, (0.0, 0.0, 1.8), (0.0, 0.0, 0.0), {}))
                        break
        return tuple(found)

    @cached_property
    def voxel_grid(self) -> VoxelGrid:
        """Grid of the voxels; that of the public code if the scene does not describe its own."""
        path = self.folder / SETTINGS
        return read_settings(path).grid if path.exists() else VOXEL_GRIDS["public-code"]

    @cached_property
    def frame_ids(self) -> tuple[int, ...]:
        """Numbers in the names of the files, in order."""
        for name in (ACTION, *(sensor.folder for sensor in self.sensors)):
            with file_errors(self.folder):
                names = [path.stem.removeprefix(f"{name}_") for path in _files(self.folder / name)]
            ids = sorted(int(each) for each in names if each.isdecimal())
            if ids:
                return tuple(ids)
        raise MissingFile(f"{self.folder} has no frames; expected folders such as {ACTION} or those of {SENSOR_SETUP}.")

    def __len__(self) -> int:
        return len(self.frame_ids)

    def _item(self, number: int) -> PublishedFrame:
        return self.read(self.frame_ids[number], self.sensors)

    def read(self, id: int, sensors: Iterable[PublishedSensor]) -> PublishedFrame:
        """Return a frame, with the files of some sensors.

        Args:
            id: Number in the names of its files.
            sensors: The sensors.

        Raises:
            MissingFile: A file of a sensor is missing.
            DamagedFile: A file has other content; the message names it.
        """
        images: dict[str, dict[str, Any]] = {}
        clouds: dict[str, dict[str, Array]] = {}
        anomaly = self._entries(ANOMALY, id)
        label = content_label(anomaly)
        for sensor in instances_of("sensors", sensors, PublishedSensor):
            path = self.folder / file_of(sensor.folder, id, sensor.ending)
            with _named(path):
                if sensor.kind in CAMERA_TYPES:
                    image = read_png(path)
                    found = decode_label(image, label) if sensor.kind == SEMANTIC else DECODERS[sensor.kind](image)
                    images.setdefault(sensor.place, {})[FIELDS[sensor.kind]] = found
                elif sensor.kind in LIDAR_TYPES:
                    clouds.setdefault(sensor.place, {})[sensor.kind] = _points(path, sensor.kind, label)
                else:
                    raise UnsupportedFormat(f"there is no type of sensor {sensor.kind!r}.")
        route, voxels = (self.folder / file_of(*each) for each in ((ROUTE_MAP, id, ".png"), (VOXEL_GRID, id, ".npy")))
        return PublishedFrame(
            id=id,
            cameras={place: CameraImage(**each) for place, each in images.items()},
            lidars={place: _cloud(each) for place, each in clouds.items()},
            action=self._entries(ACTION, id) or {},
            anomaly=anomaly,
            route_map=read_png(route) if route.exists() else None,
            voxels=from_published(_array(voxels), self.voxel_grid, voxels) if voxels.exists() else None,
        )

    def _entries(self, name: str, id: int) -> dict[str, str] | None:
        path = self.folder / file_of(name, id, ".csv")
        if not path.exists():
            return None
        lines = [line.split(" ; ", 1) for line in read_text(path).splitlines() if line.strip()]
        if any(len(line) != 2 for line in lines):
            raise DamagedFile(f"{path} has a line without ' ; '; expected names and values.")
        return dict(lines)


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _place(location: Sequence[float], rotation: Sequence[float]) -> str:
    return f"{tuple(location)}{tuple(rotation)}"


def _array(path: Path) -> Array:
    with content_errors(path, "an array"), file_errors(path), path.open("rb") as file:
        found: Array = np.load(file, allow_pickle=False)
    return found


def _points(path: Path, kind: str, anomaly: Label) -> Array:
    """Return points (n, 4): their positions, and intensities or labels."""
    if path.suffix == ".pcd":
        points, colours = read_pcd(path)
        if colours is None:
            raise DamagedFile(f"{path} has no colours; expected x, y, z and rgb.")
        # Older releases have the intensity in red, and labels as colours.
        values = decode_label(colours[None], anomaly)[0] if kind == SEMANTIC_LIDAR else colours[:, 0] / 255.0
        return np.column_stack([points, values])
    found = _array(path)
    if found.ndim != 2 or found.shape[1] != 4 or found.dtype.kind not in "iuf":
        raise DamagedFile(f"{path} is an array of {found.dtype} with shape {found.shape}; expected points (n, 4).")
    if kind == SEMANTIC_LIDAR:
        decode_label(found[None, :, 3])
    return found


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the name of a file before the message of an error that does not name it."""
    try:
        yield
    except (DamagedFile, MissingFile) as error:
        if str(path) in str(error):
            raise
        raise type(error)(f"{path}: {error}") from None


def content_label(entries: Mapping[str, str] | None) -> Label:
    """Return the label of the anomaly that a file ANOMALY describes; its blueprint ends in the name of its class.

    Example:
        >>> content_label({"anomaly_type_id": "static.prop.o_barbedwire_special"}).name, content_label(None).name
        ('SPECIAL', 'TEMPORAL_ANOMALY')
    """
    super_class = (entries or {}).get("anomaly_type_id", "").strip().rpartition("_")[2].upper()
    return next((each for each in CONTENT_ANOMALIES if each.name == super_class), Label.TEMPORAL_ANOMALY)


def _cloud(parts: dict[str, Array]) -> PublishedCloud:
    none: FloatArray = np.empty((0, 4))
    measured, exact = parts.get(LIDAR, none), parts.get(SEMANTIC_LIDAR, none)
    return PublishedCloud(
        measured[:, :3].astype(np.float32),
        measured[:, 3].astype(np.float32),
        exact[:, :3].astype(np.float32),
        exact[:, 3].astype(np.int32),
    )


def open_published(folder: Path | str) -> tuple[PublishedScene, ...]:
    """Open a folder with scenes in the published layout.

    Folders of ``offnominal scenarios run --layout published`` and of AnoVox can be read, also those of older releases,
    which have one folder per type of sensor, colours for labels, and points in ``.pcd`` files. Detectors score what
    :func:`~offnominal.datasets.scenes.published_scenes.open_recording` returns.

    Args:
        folder: Folder with folders ``Scenario_<id>``, or one of these.

    Raises:
        MissingFile: There are no scenes.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of scenes in the published layout.")
    return find_published(Path(folder))[0]


def find_published(path: Path) -> tuple[tuple[PublishedScene, ...], dict[str, str]]:
    """Return the scenes of a folder, and which scenarios of its scenario files cannot be read.

    Raises:
        MissingFile: There are no scenes.
    """
    with file_errors(path):
        inside = sorted(each for each in path.iterdir() if each.is_dir() and each.name.startswith(PREFIX))
    places = [each for each in inside if each.name != SCENARIOS]
    if not places and path.name.startswith(PREFIX):
        places, path = [path], path.parent
    if not places:
        raise MissingFile(f"{path} has no folders {PREFIX}<id>; expected scenes in the published layout.")
    scenarios: dict[str, Scenario] = {}
    refused: dict[str, str] = {}
    if (path / SCENARIOS).is_dir():
        found = read_published_scenarios(path / SCENARIOS)
        scenarios = {scenario.id: scenario for file in found.files.values() for scenario in file.scenarios}
        refused = {f"{SCENARIOS}/{place}": reason for place, reason in found.refused.items()}
    return tuple(PublishedScene(each, scenarios.get(each.name.removeprefix(PREFIX))) for each in places), refused
