"""Loading finds a dataset by folder or by world, and makes it if it is not there yet."""

import sys

import pytest

from offnominal.core.errors import AlreadyThere, DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.core.home import VARIABLE
from offnominal.datasets import Dataset, load

WORLD = "SAP-Goal0-v0"
FEW = {"episodes": 2, "strengths": {("action/noise", "tiny"): 0.4}}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_world_is_generated_on_first_use_only(home, monkeypatch):
    first = load(WORLD, **FEW)
    assert first.folder.parent == home
    monkeypatch.setattr(sys.modules["offnominal.datasets.generate"], "rollout", None)
    again = load(f"offnominal/{WORLD}", **FEW)
    assert again.manifest == first.manifest
    assert list(again["action/noise@tiny"]) == list(first["action/noise@tiny"])


def test_other_options_are_another_dataset(home):
    first, second = load(WORLD, **FEW), load(WORLD, **FEW, twins=True)
    assert first.folder != second.folder
    assert "twins" in second
    assert "twins" not in Dataset(first.folder)


def test_a_folder_is_opened_by_path_or_text(dataset):
    assert load(dataset.folder).manifest == load(str(dataset.folder)).manifest == dataset.manifest


def test_a_world_comes_before_a_folder_of_its_name(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / WORLD).mkdir()
    assert load(WORLD, **FEW).folder.parent == home


def test_a_damaged_dataset_is_not_handed_out_and_can_be_made_again(home):
    path = load(WORLD, **FEW)["train"].path
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedFile, match="overwrite=True"):
        load(WORLD, **FEW)
    assert load(WORLD, **FEW, overwrite=True)["train"][0].seed == 10_000_000


def test_the_way_of_verifying_is_passed_on(dataset):
    assert load(dataset.folder, verify="size")["train"].verify == "size"
    assert load(dataset.folder)["train"].verify == "hash"


def test_what_is_neither_world_nor_folder_is_named(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0'"):
        load("SAP-Gaol0-v0")
    with pytest.raises(MissingFile):
        load(tmp_path)


def test_options_make_no_sense_for_a_folder(dataset):
    with pytest.raises(InvalidParameter, match="leave out episodes"):
        load(dataset.folder, episodes=3)


def test_a_folder_in_the_way_is_named(home):
    folder = load(WORLD, **FEW).folder
    (folder / "manifest.json").unlink()
    with pytest.raises(AlreadyThere, match="is no dataset"):
        load(WORLD, **FEW)
