"""Files of public sets with unexpected content and unknown hashes."""

import errno
import gzip
from pathlib import Path

import pytest

from offnominal.core.errors import DamagedFile, InaccessibleFile, OffnominalError
from offnominal.datasets.image_sets import load_images
from offnominal.datasets.tables import load_table
from offnominal.datasets.tables.readers import READERS, read_isolet, read_prepared

pytestmark = pytest.mark.long

ROLES = ("rows", "train", "test", "archive", "packed", "normal", "easy", "medium")
CONTENT = {
    "empty": b"",
    "binary": bytes(range(256)) * 8,
    "text": b"nothing of the kind\n",
    "short": b"1,2\n3\n",
    "not finite": b"nan,inf\n1,2\n",
    "NUL": b"\0" * 100,
    "gzip": gzip.compress(b"something else"),
    "attributes": b"@attribute a\n@data\n1,2,3\n",
}


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT)
@pytest.mark.parametrize("table", ["iris", "isolet-easy", *READERS])
def test_files_that_hold_something_else_are_named(table, content, tmp_path, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    file = tmp_path / "file"
    file.write_bytes(content)
    read = READERS.get(table, read_prepared if table == "iris" else read_isolet)
    module = "offnominal.datasets.tables.loading"
    monkeypatch.setattr(f"{module}.reader_of", lambda name, source: read)
    monkeypatch.setattr(f"{module}.choose_source", lambda sources: ("plain", dict.fromkeys(ROLES, file)))
    with pytest.raises(DamagedFile):
        load_table("iris")


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT)
@pytest.mark.parametrize("way", ["idx", "binary", "mat"])
def test_image_files_that_hold_something_else_are_named(way, content, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(content)
    roles = [f"{part}_{kind}" for part in ("train", "test") for kind in ("images", "labels")]
    paths = dict.fromkeys([*roles, *ROLES], file)
    monkeypatch.setattr("offnominal.datasets.image_sets.loading.choose_source", lambda sources: (way, paths))
    with pytest.raises(DamagedFile):
        load_images("mnist")


def test_a_system_that_refuses_a_file_does_not_make_it_damaged(tmp_path, monkeypatch):
    def refused(path):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(
        "offnominal.datasets.tables.loading.choose_source",
        lambda sources: ("plain", dict.fromkeys(ROLES, tmp_path / "file")),
    )
    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(InaccessibleFile, match="ulimit -n"):
        load_table("iris")


@pytest.mark.parametrize("name", ["", "\0", "../iris", "é" * 1000, None, 3, ["iris"]])
def test_an_invalid_name_is_refused(name):
    for load in (load_table, load_images):
        with pytest.raises(OffnominalError):
            load(name)
