"""Verifying finds every byte that is not the manifest's."""

import json
import shutil

import pytest

from offnominal.core.errors import MissingFile
from offnominal.datasets import Dataset, save, verify
from offnominal.datasets.split import sha256_of


@pytest.fixture
def copy(dataset, tmp_path):
    return shutil.copytree(dataset.folder, tmp_path / "copy")


def wrong(folder):
    return {name: problem for name, problem in verify(folder).items() if problem}


def test_an_intact_dataset_has_no_problem(dataset):
    assert verify(dataset.folder) == dict.fromkeys(dataset.splits, "")


def test_every_damaged_split_is_named(copy):
    (copy / "splits" / "train.parquet").unlink()
    damaged = copy / "splits" / "action--noise@tiny.parquet"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 4
    damaged.write_bytes(content)
    problems = wrong(copy)
    assert set(problems) == {"train", "action/noise@tiny"}
    assert "is not there" in problems["train"]
    assert "SHA-256" in problems["action/noise@tiny"]


def test_other_episodes_are_found_even_behind_a_right_hash(copy, recorded, tmp_path):
    other = save(tmp_path / "other", {"test": [recorded()]}, world="mine")["test"]
    shutil.copy(other.path, copy / "splits" / "test.parquet")
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["splits"]["test"].update(size=other.entry.size, sha256=sha256_of(other.path))
    (copy / "manifest.json").write_text(json.dumps(manifest))
    Dataset(copy)
    assert wrong(copy) == {"test": "the number of episodes or steps is not that of the manifest"}
    manifest["splits"]["test"].update(episodes=1, steps=3)
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert wrong(copy) == {"test": "the episodes are not those of the manifest"}


def test_a_changed_recipe_and_a_stray_file_are_found(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["recipe"]["seed"] += 1
    (copy / "manifest.json").write_text(json.dumps(manifest))
    (copy / "splits" / "extra.parquet").write_bytes(b"?")
    assert set(wrong(copy)) == {"manifest.json", "splits/extra.parquet"}


def test_without_a_manifest_there_is_nothing_to_compare(tmp_path):
    with pytest.raises(MissingFile):
        verify(tmp_path)
