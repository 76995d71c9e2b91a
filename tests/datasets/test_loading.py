"""Loading finds a dataset by folder or by world, and makes it if it is not there yet."""

import sys

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import AlreadyExists, DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.datasets import Dataset, Recipe, generate, load_dataset

WORLD = "SAP-Goal0-v0"
STRENGTHS = {("action/noise", "tiny"): 0.4}
RECIPE = Recipe.for_world(WORLD, episodes=2, strengths=STRENGTHS)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_world_is_generated_on_first_use_only(home, monkeypatch):
    first = load_dataset(RECIPE)
    assert first.folder.parent == home
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "rollout", None)
    again = load_dataset(Recipe.for_world(f"offnominal/{WORLD}", episodes=2, strengths=STRENGTHS))
    assert again.manifest == first.manifest
    assert list(again["action/noise@tiny"]) == list(first["action/noise@tiny"])


def test_other_options_are_another_dataset(home):
    first, second = load_dataset(RECIPE), load_dataset(RECIPE.replace(twins=True))
    assert first.folder != second.folder
    assert "twins" in second
    assert "twins" not in Dataset(first.folder)


def test_a_folder_is_opened_by_path_or_text(dataset):
    assert load_dataset(dataset.folder).manifest == load_dataset(str(dataset.folder)).manifest == dataset.manifest


def test_a_world_comes_before_a_folder_of_its_name(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / WORLD).mkdir()
    monkeypatch.setattr("offnominal.datasets.loading.Recipe.for_world", lambda world: RECIPE)
    assert load_dataset(WORLD).folder.parent == home


def test_a_damaged_dataset_is_not_handed_out_and_can_be_made_again(home):
    path = load_dataset(RECIPE)["train"].path
    path.write_bytes(b"nothing")
    with pytest.raises(DamagedFile, match="overwrite=True"):
        load_dataset(RECIPE)
    assert generate(RECIPE, overwrite=True)["train"][0].seed == 10_000_000


def test_the_way_of_verifying_is_passed_on(dataset):
    assert load_dataset(dataset.folder, verify="size")["train"].verify == "size"
    assert load_dataset(dataset.folder)["train"].verify == "hash"


def test_what_is_neither_world_nor_folder_is_named(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0'"):
        load_dataset("SAP-Gaol0-v0")
    with pytest.raises(MissingFile):
        load_dataset(tmp_path)


def test_what_is_no_source_is_named():
    with pytest.raises(InvalidParameter, match="expected a folder, a recipe or the id of a world"):
        load_dataset(3)


def test_a_folder_in_the_way_is_named(home):
    folder = load_dataset(RECIPE).folder
    (folder / "manifest.json").unlink()
    with pytest.raises(AlreadyExists, match="is not a dataset"):
        load_dataset(RECIPE)
