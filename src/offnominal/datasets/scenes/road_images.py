"""Photographs of roads with anomalies and their labels: SegmentMeIfYouCan, and Fishyscapes Lost and Found.

The archives are read as they were published, from the data home. Their MD5 sums are those of their publishers.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from offnominal.core.directories import DATA_VARIABLE, data_home
from offnominal.core.errors import (
    DamagedFile,
    InvalidParameter,
    MissingDependency,
    MissingFile,
    OffnominalError,
    UnknownName,
    UnsupportedFormat,
    did_you_mean,
)
from offnominal.core.files import content_errors, file_errors
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.types import Array
from offnominal.datasets.png import SIGNATURE, decode_png
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import CameraFrame, RigFrame
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

FOLDER = "road_images"
"""Folder of the archives in the data home."""
NORMAL, ANOMALY, VOID = 0, 1, 255
"""Values of label images; void pixels are not evaluated."""
CHUNK = 2**22


@dataclass(frozen=True)
class RoadArchive:
    """A published archive.

    Args:
        name: Name of the file.
        md5: MD5 of the file, as published.
        url: Where it can be downloaded.
    """

    name: str
    md5: str
    url: str

    @property
    def path(self) -> Path:
        """Path in the data home."""
        return data_home() / FOLDER / self.name

    def checked(self) -> Path:
        """Return the path of the file after a check of its MD5.

        Raises:
            MissingFile: It is not there; the message says where to place it.
            DamagedFile: It has another MD5.
        """
        if not self.path.is_file():
            raise MissingFile(
                f"place the file {self.name} (md5 {self.md5}) at {self.path}, from {self.url}; ${DATA_VARIABLE} sets "
                "the data home."
            )
        found = hashlib.md5(usedforsecurity=False)
        with file_errors(self.path), self.path.open("rb") as file:
            while chunk := file.read(CHUNK):
                found.update(chunk)
        if found.hexdigest() != self.md5:
            raise DamagedFile(
                f"{self.path} has md5 {found.hexdigest()}; expected {self.md5}. Get it again from {self.url}."
            )
        return self.path


@dataclass(frozen=True)
class RoadImageSet:
    """A published set of road images.

    Args:
        name: Its name in commands.
        title: Its published name.
        labels: Archive with the labels.
        images: Archive with the images.
        count: Published number of images with labels.
    """

    name: str
    title: str
    labels: RoadArchive
    images: RoadArchive
    count: int

    @property
    def missing(self) -> str:
        """What is missing in the data home, in one line; empty if nothing is."""
        needed = {each.name: each for each in (self.labels, self.images) if not each.path.is_file()}
        places = ", ".join(f"{each.name} (md5 {each.md5}, {each.url})" for each in needed.values())
        return f"{self.title}: {data_home() / FOLDER} lacks {places}" if needed else ""


def _smiyc(name: str, title: str, record: int, file: str, md5: str, count: int) -> RoadImageSet:
    archive = RoadArchive(file, md5, f"https://zenodo.org/record/{record}/files/{file}")
    return RoadImageSet(name, title, archive, archive, count)


_FISHYSCAPES = RoadArchive(
    "fishyscapes_lostandfound.zip",
    "0d3bf7c0ec38bd50b84f3d8aaa4b2e26",
    "http://robotics.ethz.ch/~asl-datasets/Fishyscapes/fishyscapes_lostandfound.zip",
)
_LOST_AND_FOUND = RoadArchive(
    "leftImg8bit.zip",
    "08eaa79ce05126f6bd22a3ca563746d0",
    "http://wwwlehre.dhbw-stuttgart.de/~sgehrig/lostAndFoundDataset/leftImg8bit.zip",
)
ROAD_IMAGE_SETS: dict[str, RoadImageSet] = {
    each.name: each
    for each in (
        _smiyc(
            "road-anomaly-21", "SegmentMeIfYouCan RoadAnomaly21", 5270237, "dataset_AnomalyTrack.zip",
            "231bf79ed58924bcd33d9cbe22e61076", 10,
        ),
        _smiyc(
            "road-obstacle-21", "SegmentMeIfYouCan RoadObstacle21", 5281633, "dataset_ObstacleTrack.zip",
            "895fb36d18765482cc291f69e63d6da6", 30,
        ),
        RoadImageSet("fishyscapes", "Fishyscapes Lost and Found", _FISHYSCAPES, _LOST_AND_FOUND, 100),
    )
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class RoadImage:
    """An image of a road with its labels.

    Args:
        id: Its published name.
        rgb: (height, width, 3): the image.
        label: (height, width): 0 normal, 1 anomaly, 255 void.
        group: Images with the same one, such as frames of one scene, are not independent; empty for a group of its own.
    """

    id: str
    rgb: NDArray[np.uint8]
    label: NDArray[np.uint8]
    group: str = ""

    def normal_part(self) -> RoadImage | None:
        """Return the widest upright strip of the image without an anomaly; None if it is narrower than a quarter."""
        free = ~(self.label == ANOMALY).any(axis=0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], free.astype(np.int8), [0]])))
        starts, ends = edges[::2], edges[1::2]
        if not len(starts) or (ends - starts).max() * 4 < len(free):
            return None
        widest = int((ends - starts).argmax())
        part = slice(int(starts[widest]), int(ends[widest]))
        return replace(self, rgb=np.ascontiguousarray(self.rgb[:, part]), label=self.label[:, part])

    def frame(self, number: int = 0) -> DrivingFrame:
        """Return the image as a frame that detectors of colours score; it has no depth, so that all pixels are far."""
        height, width = self.label.shape
        image = CameraImage(
            rgb=self.rgb,
            depth=np.full((height, width), np.inf, np.float32),
            label=np.where(self.label == ANOMALY, int(Label.HOME), int(Label.UNLABELED)).astype(np.int32),
        )
        camera = Camera((0.0, 0.0, 1.8), (10.0, 0.0, 1.8), width, height)
        state = Snapshot(
            tick=number, instance=np.array([1]), kind=("ego",), label=np.array([int(Label.EGO_VEHICLE)]),
            position=np.zeros((1, 2)), heading=np.zeros(1), speed=np.zeros(1), acceleration=np.zeros(1),
            size=np.zeros((1, 3)), lights=np.zeros(0, np.int64), controls=(0.0, 0.0, 0.0),
            anomalous=np.array([bool((self.label == ANOMALY).any())]),
        )  # fmt: skip
        sensors = RigFrame({"front": CameraFrame(camera, image)}, {})
        return DrivingFrame(number, number, sensors, state, (0.0, 0.0, 0.0), 0.0)


@dataclass(frozen=True, eq=False)
class RoadImages(LazySequence[RoadImage]):
    """Images of a set with their labels, each decoded when it is used.

    Args:
        about: The set.
        pairs: Name of each image, and members of the archives with the image and with its labels.
        left_out: Why labels are left out, by their members.
    """

    about: RoadImageSet
    pairs: tuple[tuple[str, str, str], ...]
    left_out: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pairs)

    def _item(self, number: int) -> RoadImage:
        return self._read(*self.pairs[number])

    def intact(self) -> Iterator[RoadImage]:
        """Yield the images that can be decoded; :attr:`left_out` says why others cannot."""
        for pair in self.pairs:
            try:
                found = self._read(*pair)
            except MissingDependency:
                raise
            except OffnominalError as error:
                self.left_out[pair[1]] = str(error)
            else:
                yield found

    @cached_property
    def _archives(self) -> tuple[zipfile.ZipFile, zipfile.ZipFile]:
        paths = self.about.images.path, self.about.labels.path
        return zipfile.ZipFile(paths[0]), zipfile.ZipFile(paths[1])

    def _read(self, id: str, image: str, labels: str) -> RoadImage:
        archives, paths = self._archives, (self.about.images.path, self.about.labels.path)
        found = []
        for archive, path, member in zip(archives, paths, (image, labels), strict=True):
            with content_errors(f"{path}: {member}", "an image", zipfile.BadZipFile):
                found.append(_decoded(archive.read(member), f"{path}: {member}"))
        rgb, label = found
        if rgb.ndim != 3 or label.ndim != 2 or rgb.shape[:2] != label.shape:
            raise DamagedFile(f"{image} has the shape {rgb.shape} and its labels {label.shape}; expected equal sizes.")
        if other := set(np.unique(label).tolist()) - {NORMAL, ANOMALY, VOID}:
            raise DamagedFile(f"{labels} has the labels {sorted(other)}; expected 0, 1 and 255.")
        return RoadImage(id, np.ascontiguousarray(rgb), label)


def open_road_images(name: str) -> RoadImages:
    """Open a set of road images in the data home.

    Only images with public labels are part of it: 10 of RoadAnomaly21, 30 of RoadObstacle21, and 100 of Fishyscapes
    Lost and Found, whose images are those of Lost and Found.

    Args:
        name: ``"road-anomaly-21"``, ``"road-obstacle-21"`` or ``"fishyscapes"``.

    Raises:
        UnknownName: There is no such set.
        MissingFile: An archive is not in the data home; the message says where to place it.
        DamagedFile: An archive has another MD5, or is no archive.
    """
    if not isinstance(name, str) or name not in ROAD_IMAGE_SETS:
        raise UnknownName(
            f"no set of road images named {name!r}.{did_you_mean(str(name), ROAD_IMAGE_SETS)} Choose one of "
            f"{', '.join(ROAD_IMAGE_SETS)}."
        )
    about = ROAD_IMAGE_SETS[name]
    members = [_members(path) for path in dict.fromkeys(each.checked() for each in (about.images, about.labels))]
    images, labels = members[0], members[-1]
    found = _pairs_of_fishyscapes(images, labels) if name == "fishyscapes" else _pairs_of_smiyc(images)
    pairs = tuple((id, image, label) for id, image, label in found if image)
    left_out = {label: "its image is missing" for _, image, label in found if not image}
    if not pairs:
        raise InvalidParameter(f"{about.labels.path} has no labelled images in the published layout.")
    return RoadImages(about, pairs, left_out)


def _members(path: Path) -> list[str]:
    with content_errors(path, "an archive", zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        return sorted(name for name in archive.namelist() if not name.endswith("/"))


def _pairs_of_smiyc(members: list[str]) -> list[tuple[str, str, str]]:
    """Return id, image and labels: ``images/<id>.<jpg or webp>``, ``labels_masks/<id>_labels_semantic.png``."""
    images = {Path(name).stem: name for name in members if Path(name).parent.name == "images"}
    ending = "_labels_semantic.png"
    labels = [name for name in members if Path(name).parent.name == "labels_masks" and name.endswith(ending)]
    ids = [Path(name).name.removesuffix(ending) for name in labels]
    return [(id, images.get(id, ""), label) for id, label in zip(ids, labels, strict=True)]


def _pairs_of_fishyscapes(members: list[str], labels: list[str]) -> list[tuple[str, str, str]]:
    """Return id, image and labels: ``<number>_<id>_labels.png`` belongs to ``<id>_leftImg8bit.png`` of any folder."""
    images = {Path(name).name.removesuffix("_leftImg8bit.png"): name for name in members if name.endswith(".png")}
    found = []
    for label in (name for name in labels if name.endswith("_labels.png")):
        number, _, id = Path(label).name.removesuffix("_labels.png").partition("_")
        found.append((f"{number}_{id}", images.get(id, ""), label))
    return found


def _decoded(content: bytes, where: str) -> Array:
    """Return an image as an array; images in other formats than PNG need Pillow."""
    if content.startswith(SIGNATURE):
        with suppress(UnsupportedFormat):
            return decode_png(content)
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependency(f"{where} needs Pillow; install it with `pip install pillow`.") from None
    with Image.open(io.BytesIO(content)) as image:
        kind = image.mode if image.mode in ("L", "RGB") else "RGB" if image.mode != "P" else None
        return np.asarray(image if kind is None or kind == image.mode else image.convert(kind))
