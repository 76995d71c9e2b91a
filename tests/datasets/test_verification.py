"""Verifying finds every byte that is not the manifest's."""

import json
import shutil

import pytest

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.datasets import Dataset, Recipe, save_dataset, verify_dataset
from offnominal.datasets.split import sha256_of  # type: ignore[attr-defined]


@pytest.fixture
def copy(dataset, tmp_path):
    return shutil.copytree(dataset.folder, tmp_path / "copy")


def wrong(folder):
    return {name: problem for name, problem in verify_dataset(folder).items() if problem}


def test_an_intact_dataset_has_no_problem(dataset):
    assert verify_dataset(dataset.folder) == dict.fromkeys(dataset.splits, "")


def test_every_damaged_split_is_named(copy):
    (copy / "splits" / "train.parquet").unlink()
    damaged = copy / "splits" / "action--noise@tiny.parquet"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 4
    damaged.write_bytes(content)
    problems = wrong(copy)
    assert set(problems) == {"train", "action/noise@tiny"}
    assert "does not exist" in problems["train"]
    assert "SHA-256" in problems["action/noise@tiny"]


def test_other_episodes_are_found_even_behind_a_right_hash(copy, edit, recorded, tmp_path):
    other = save_dataset(tmp_path / "other", {"test": [recorded()]}, world="mine")["test"]
    shutil.copy(other.path, copy / "splits" / "test.parquet")
    edit(copy, lambda data: data["splits"]["test"].update(size=other.entry.size, sha256=sha256_of(other.path)))
    Dataset(copy)
    assert wrong(copy) == {"test": "the number of episodes or steps is not that of the manifest"}
    edit(copy, lambda data: data["splits"]["test"].update(episodes=1, steps=3))
    assert wrong(copy) == {"test": "the episodes are not those of the manifest"}
    edit(copy, lambda data: data["splits"]["test"].update(content=other.entry.content))
    assert "the statistics of the manifest are not those of the episodes" in wrong(copy)["test"]
    edit(copy, lambda data: data["splits"]["test"].update(statistics=other.entry.statistics.to_dict()))
    assert wrong(copy) == {"test": "the seeds are not those of the recipe"}


def test_a_manifest_with_another_number_than_was_written_is_damaged(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["splits"]["test"]["statistics"]["mean_return"] += 1.0
    (copy / "manifest.json").write_text(json.dumps(manifest))
    for read in (verify_dataset, Dataset):
        with pytest.raises(DamagedFile, match=r"manifest\.json was changed"):
            read(copy)


@pytest.mark.parametrize("name", ["mean_return", "return_interval", "success", "active", "faulty", "mean_onset"])
def test_statistics_are_computed_again(copy, edit, name):
    edit(copy, lambda data: data["splits"]["action/noise@tiny"]["statistics"].update({name: 0.123}))
    assert "statistics" in wrong(copy).pop("action/noise@tiny")


def test_a_manifest_must_agree_with_its_recipe(copy, edit):
    edit(copy, lambda data: data.update(world="SAP-Goal1-v0"))
    assert "SAP-Goal0-v0, not for SAP-Goal1-v0" in wrong(copy)["manifest.json"]
    edit(copy, lambda data: data.update(world="SAP-Goal0-v0", splits=dict(sorted(data["splits"].items()))))
    assert "the splits are not those of the recipe" in wrong(copy)["manifest.json"]


def test_faults_must_be_those_of_the_recipe(copy, edit):
    def relabel(data):
        recipe = Recipe.from_dict(data["recipe"])
        cells = tuple(cell.replace(parameter=cell.parameter * 2) for cell in recipe.cells)
        data.update(recipe=recipe.replace(cells=cells).to_dict(), recipe_sha256=recipe.replace(cells=cells).digest())

    edit(copy, relabel)
    assert wrong(copy)["dynamics/mass@strong"] == "the faults are not those of the recipe"


def test_a_changed_card_is_found(copy):
    with (copy / "README.md").open("a") as readme:
        readme.write("The return is 100.\n")
    assert set(wrong(copy)) == {"README.md"}


def test_a_changed_recipe_and_a_stray_file_are_found(copy, edit):
    edit(copy, lambda data: data["recipe"].update(seed=data["recipe"]["seed"] + 1))
    (copy / "splits" / "extra.parquet").write_bytes(b"?")
    assert {"manifest.json", "splits/extra.parquet"} <= set(wrong(copy))


def test_without_a_manifest_there_is_nothing_to_compare(tmp_path):
    with pytest.raises(MissingFile):
        verify_dataset(tmp_path)
