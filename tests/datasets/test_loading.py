"""Loading finds a dataset by folder or by world, and makes it if it is not there yet."""

import sys

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import AlreadyExists, DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.datasets import Dataset, load_dataset

WORLD = "SAP-Goal0-v0"
FEW = {"episodes": 2, "strengths": {("action/noise", "tiny"): 0.4}}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_world_is_generated_on_first_use_only(home, monkeypatch):
    first = load_dataset(WORLD, **FEW)
    assert first.folder.parent == home
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "rollout", None)
    again = load_dataset(f"offnominal/{WORLD}", **FEW)
    assert again.manifest == first.manifest
    assert list(again["action/noise@tiny"]) == list(first["action/noise@tiny"])


def test_other_options_are_another_dataset(home):
    first, second = load_dataset(WORLD, **FEW), load_dataset(WORLD, **FEW, twins=True)
    assert first.folder != second.folder
    assert "twins" in second
    assert "twins" not in Dataset(first.folder)


def test_a_folder_is_opened_by_path_or_text(dataset):
    assert load_dataset(dataset.folder).manifest == load_dataset(str(dataset.folder)).manifest == dataset.manifest


def test_a_world_comes_before_a_folder_of_its_name(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / WORLD).mkdir()
    assert load_dataset(WORLD, **FEW).folder.parent == home


def test_a_damaged_dataset_is_not_handed_out_and_can_be_made_again(home):
    path = load_dataset(WORLD, **FEW)["train"].path
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedFile, match="overwrite=True"):
        load_dataset(WORLD, **FEW)
    assert load_dataset(WORLD, **FEW, overwrite=True)["train"][0].seed == 10_000_000


def test_the_way_of_verifying_is_passed_on(dataset):
    assert load_dataset(dataset.folder, verify="size")["train"].verify == "size"
    assert load_dataset(dataset.folder)["train"].verify == "hash"


def test_what_is_neither_world_nor_folder_is_named(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0'"):
        load_dataset("SAP-Gaol0-v0")
    with pytest.raises(MissingFile):
        load_dataset(tmp_path)


def test_options_make_no_sense_for_a_folder(dataset):
    with pytest.raises(InvalidParameter, match="leave out episodes"):
        load_dataset(dataset.folder, episodes=3)


def test_a_folder_in_the_way_is_named(home):
    folder = load_dataset(WORLD, **FEW).folder
    (folder / "manifest.json").unlink()
    with pytest.raises(AlreadyExists, match="is no dataset"):
        load_dataset(WORLD, **FEW)
