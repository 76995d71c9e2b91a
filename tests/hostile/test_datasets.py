"""Datasets in wrong places, with damaged or foreign files, and read by many threads."""

import errno
import os
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, DamagedFile, InaccessibleFile, InvalidParameter, OffnominalError
from offnominal.datasets import Dataset, Recipe, generate, save_dataset, verify_dataset

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
EPISODE = Episode(np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool))


def write(folder, **options):
    return save_dataset(folder, {"train": [EPISODE], "test": [EPISODE]}, world="mine", **options)


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A dataset with frames, a recipe and a card."""
    folder = tmp_path_factory.mktemp("hostile") / "small"
    strengths = {("action/offset", "mild"): 0.2}
    generate(Recipe.for_world(WORLD, episodes=1, strengths=strengths, frames=True), folder)
    return folder


@pytest.fixture
def copy(small, tmp_path):
    return shutil.copytree(small, tmp_path / "copy")


@pytest.mark.parametrize("content", [b'{"format": 2}', b'{"name": "web app"}', b"{", b"\xff", b"[" * 100_000, b""])
def test_a_folder_with_the_manifest_of_someone_else_is_never_overwritten(content, tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "manifest.json").write_bytes(content)
    (folder / "app.js").write_text("work of years")
    before = files(tmp_path)
    with pytest.raises(AlreadyExists, match="not a readable dataset"):
        write(folder, overwrite=True)
    with pytest.raises(AlreadyExists, match="not a readable dataset"):
        generate(Recipe.for_world(WORLD, episodes=1, levels=[]), folder, overwrite=True)
    assert files(tmp_path) == before


@pytest.mark.parametrize("foreign", ["notes.txt", "splits/mine.parquet", "plots/figure.png", "splits/.hidden"])
def test_a_dataset_with_foreign_files_is_refused_and_they_are_named(foreign, tmp_path):
    folder = write(tmp_path / "data").folder
    (folder / foreign).parent.mkdir(exist_ok=True)
    (folder / foreign).write_text("mine")
    before = files(tmp_path)
    with pytest.raises(AlreadyExists, match=foreign.split("/")[0]):
        write(folder, overwrite=True)
    assert files(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    shutil.rmtree(folder / foreign) if (folder / foreign).is_dir() else (folder / foreign).unlink()
    shutil.rmtree(folder / "plots", ignore_errors=True)
    assert len(write(folder, overwrite=True)) == 2


def test_a_file_that_comes_while_the_new_dataset_is_made_stays(tmp_path):
    folder = write(tmp_path / "data").folder
    before = files(folder)

    def episodes():
        (folder / "notes.txt").write_text("mine")
        yield EPISODE

    with pytest.raises(AlreadyExists, match=r"notes\.txt"):
        save_dataset(folder, {"other": episodes()}, world="mine", overwrite=True)
    assert files(folder) == before | {"notes.txt": b"mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_symbolic_links_are_not_followed_out_of_a_dataset(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "train.parquet").write_text("precious")
    folder = write(tmp_path / "data").folder
    (folder / "link").symlink_to(elsewhere)
    with pytest.raises(AlreadyExists, match="link/"):
        write(folder, overwrite=True)
    (folder / "link").unlink()
    shutil.rmtree(folder / "splits")
    (folder / "splits").symlink_to(elsewhere)
    with pytest.raises(AlreadyExists):
        write(folder, overwrite=True)
    assert (elsewhere / "train.parquet").read_text() == "precious"


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a_hidden_folder_with_other_things_is_left_alone(kind, tmp_path):
    place = tmp_path / ".data.unfinished"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.txt").write_text("mine")
    if kind == "link":
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.mkdir()
        shutil.copytree(tmp_path / "elsewhere", place / "work") if kind == "folder" else (place / "mine").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(AlreadyExists, match="unfinished datasets"):
        write(tmp_path / "data")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("folder", ["", "a\0b", "x" * 300, "file/data", "file", "/", "/proc/data", None, 3])
def test_an_impossible_folder_is_a_named_error_and_leaves_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    for use in (write, Dataset, verify_dataset):
        with pytest.raises(OffnominalError):
            use(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("world", ["", " ", "a\0b", "a\nb", "\ud800", None, 3])
def test_a_world_needs_a_printable_name(world, tmp_path):
    with pytest.raises(InvalidParameter, match="world is"):
        save_dataset(tmp_path / "data", {"train": [EPISODE]}, world=world)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "a\0b", "\ud800", "é" * 150, 3])
def test_a_split_with_an_impossible_name_is_refused_before_anything_is_written(name, tmp_path):
    with pytest.raises(InvalidParameter, match="cannot be the name of a split"):
        save_dataset(tmp_path / "data", {"train": [EPISODE], name: [EPISODE]}, world="mine")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InaccessibleFile, match="free some space"):
        write(tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_refuses_to_open_a_file_does_not_make_it_damaged(small, monkeypatch):
    import pyarrow.parquet

    def refused(*arguments, **options):
        raise OSError(errno.EMFILE, "Too many open files")

    split = Dataset(small)["test"]
    monkeypatch.setattr(pyarrow.parquet, "ParquetFile", refused)
    with pytest.raises(InaccessibleFile, match="ulimit -n"):
        split[0]


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def noticed(folder):
    try:
        return any(verify_dataset(folder).values())
    except DamagedFile:
        return True


def flips_are_noticed(copy, count):
    draw = random.Random(17)
    intact = Dataset(copy).manifest
    for name, content in files(copy).items():
        for bit in draw.sample(range(8 * len(content)), count):
            flip(copy / name, bit)
            assert noticed(copy) or Dataset(copy).manifest == intact, (name, bit)
            (copy / name).write_bytes(content)
    assert not noticed(copy)


def test_a_flipped_bit_in_any_file_is_noticed_or_changes_nothing(copy):
    flips_are_noticed(copy, 3)


@pytest.mark.hostile
def test_many_flipped_bits_are_noticed_or_change_nothing(copy, count_cases):
    count_cases(100 * len(files(copy)), 1)
    flips_are_noticed(copy, 100)


READERS = """
import random, sys, threading
from offnominal.datasets import Dataset

problems = []

def read(split, alone, seed):
    draw = random.Random(seed)
    try:
        for _ in range(40):
            number = draw.randrange(len(split))
            episode = split[number]
            assert episode.observations.tobytes() == alone[number].observations.tobytes()
            assert "frames" not in episode.extras or len(episode.extras["frames"]) == len(episode) + 1
            assert draw.random() < 0.9 or len(split.to_arrow()) == sum(split.lengths + 1)
    except Exception as error:
        problems.append(repr(error))

for _ in range(5):
    data = Dataset(sys.argv[1])
    for name, split in [(name, data[name]) for name in data]:
        alone = list(Dataset(sys.argv[1])[name])
        threads = [threading.Thread(target=read, args=[split, alone, seed]) for seed in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
sys.exit("; ".join(problems) or None)
"""


def test_a_split_is_read_by_several_threads_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("offnominal.datasets.parquet.GROUP_ROWS", 2)
    draw = np.random.default_rng(0)
    frames_path = {"frames": draw.integers(0, 256, (31, 16, 16, 3), np.uint8)}
    splits = {
        name: [
            Episode(draw.normal(size=(31, 8)), np.zeros((30, 1)), np.zeros(30), np.zeros(30, bool), extras=extras)
            for _ in range(20)
        ]
        for name, extras in {"plain": {}, "filmed": frames_path}.items()
    }
    save_dataset(tmp_path / "data", splits, world="mine")
    command = [sys.executable, "-c", READERS, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
