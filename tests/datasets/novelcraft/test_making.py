"""NovelCraft sets: what is recorded, interrupted runs, and changed files."""

import json
import shutil

import numpy as np
import pytest

from offnominal.core.errors import AlreadyExists, DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.datasets.novelcraft import (
    NovelCraftRecipe,
    class_sizes,
    export_published,
    make_novelcraft,
    open_novelcraft,
    read_splits,
    read_summary,
    read_targets,
    split_sizes,
    verify_novelcraft,
)
from offnominal.datasets.novelcraft.episode_recorder import EpisodeJob, play_frames, sensed_text
from offnominal.worlds.craft import execute, sense
from offnominal.worlds.craft.novelty_truth import novel_fraction

pytestmark = pytest.mark.long


def content(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def damaged(small, tmp_path):
    return shutil.copytree(small.folder, tmp_path / "set")


def test_frames_and_symbols_are_those_of_the_played_episode(small, recipe):
    (plan,) = [plan for plan in recipe.plans() if plan.id == "fence/2"]
    episode = small["fence/2"]
    assert episode.frame_ids.tolist() == [0, 1, 2]
    for number, (state, image, result) in enumerate(play_frames(plan)):
        sensed = episode.symbols[number]
        assert (episode.images[number] == image.rgb).all()
        assert episode.fractions[number] == novel_fraction(state, image)
        assert sensed["player"] == sense.player(state)
        assert (sensed["step"], sensed["command_result"]["command"]) == (number, result.command)
        assert list(sensed) == list(execute(state.copy(), "SENSE_ALL NONAV"))
    assert episode.fractions.max() > 0.01


def test_the_text_of_a_frame_is_the_sensed_data(recipe):
    state, _, result = next(play_frames(recipe.plans()[0]))
    expected = execute(state.copy(), "SENSE_ALL NONAV")
    text = sensed_text(state, result)
    assert json.loads(text) == {**expected, "step": 0}
    assert text == json.dumps({**expected, "step": 0}, separators=(",", ":"))


def test_vectors_are_the_symbolic_observation(small, recipe):
    from offnominal.worlds.craft.symbols import SIZE, encode

    vector = np.zeros(SIZE)
    state, _, _ = next(play_frames(recipe.plans()[0]))
    encode(state, vector)
    assert (small["normal/0"].vectors[0] == vector[:24]).all()


def test_an_interrupted_run_resumes_to_the_same_bytes_with_any_number_of_workers(small, recipe, tmp_path, monkeypatch):
    record, count = EpisodeJob.record, 0

    def interrupted(job, advance):
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return record(job, advance)

    with monkeypatch.context() as patch:
        patch.setattr(EpisodeJob, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make_novelcraft(recipe, tmp_path / "set")
    assert not (tmp_path / "set").exists()
    (hidden,) = tmp_path.iterdir()
    changed = hidden / "dataset" / "normal" / "1.zip"
    changed.write_bytes(changed.read_bytes()[:-1])
    messages: list[str] = []
    make_novelcraft(recipe, tmp_path / "set", workers=2, report=messages.append)
    assert "2 episodes are already finished" in messages[0]
    assert content(tmp_path / "set") == content(small.folder)


def test_an_existing_set_is_kept_and_another_one_refused(small, recipe, tmp_path):
    before = content(small.folder)
    assert len(make_novelcraft(recipe, small.folder)) == len(small)
    assert content(small.folder) == before
    with pytest.raises(AlreadyExists, match="another recipe"):
        make_novelcraft(recipe.replace(seed=1), small.folder)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(AlreadyExists, match="not a NovelCraft set"):
        make_novelcraft(recipe, tmp_path)


def test_an_intact_set_has_no_problems(small):
    assert not any(verify_novelcraft(small.folder).values())
    assert list(verify_novelcraft(small.folder)) == list(small)


@pytest.mark.parametrize("name", ["fence/1.zip", "targets.csv", "splits.csv", "summary.csv"])
def test_one_changed_byte_is_found(damaged, name):
    changed = bytearray((damaged / name).read_bytes())
    changed[len(changed) // 2] ^= 1
    (damaged / name).write_bytes(changed)
    (problem,) = [text for text in verify_novelcraft(damaged).values() if text]
    assert name in problem


@pytest.mark.parametrize(("name", "old", "new"), [("targets.csv", ",0.", ",0.8"), ("splits.csv", ",train,", ",test,")])
def test_a_set_with_a_changed_table_is_not_opened(damaged, name, old, new):
    text = (damaged / name).read_text(encoding="utf-8")
    assert old in text
    (damaged / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DamagedFile, match=f"{name} is not the file that the manifest lists"):
        open_novelcraft(damaged)


def test_a_set_with_a_shortened_table_is_not_opened(damaged):
    lines = (damaged / "targets.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (damaged / "targets.csv").write_text("".join(lines[:-4]), encoding="utf-8")
    with pytest.raises(DamagedFile, match="is not the file that the manifest lists"):
        open_novelcraft(damaged)


def test_a_changed_table_is_not_exported(damaged, tmp_path):
    data = open_novelcraft(damaged)
    (damaged / "summary.csv").write_text("nov_type,num_episodes,num_frames\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"summary\.csv is not the file"):
        export_published(data, tmp_path / "files")
    assert not (tmp_path / "files").exists()


def test_a_set_without_its_manifest_is_not_taken_for_published_files(damaged):
    (damaged / "novelcraft.json").unlink()
    with pytest.raises(MissingFile, match=r"no novelcraft\.json"):
        open_novelcraft(damaged)


def test_missing_and_unexpected_files_are_found(damaged):
    (damaged / "thief" / "0.zip").unlink()
    (damaged / "thief" / "notes.txt").write_text("mine", encoding="utf-8")
    found = {name: problem for name, problem in verify_novelcraft(damaged).items() if problem}
    assert list(found) == ["thief/0", "thief/notes.txt"]


def test_a_changed_manifest_is_refused(damaged):
    text = (damaged / "novelcraft.json").read_text(encoding="utf-8")
    (damaged / "novelcraft.json").write_text(text.replace('"solved": false', '"solved": true', 1), encoding="utf-8")
    with pytest.raises(DamagedFile, match="was changed"):
        verify_novelcraft(damaged)


def test_a_damaged_frame_is_not_decoded(damaged):
    path = damaged / "fence" / "1.zip"
    changed = bytearray(path.read_bytes())
    changed[1000] ^= 1
    path.write_bytes(changed)
    with pytest.raises(DamagedFile, match=r"1\.zip"):
        open_novelcraft(damaged)["fence/1"].images[:]


def test_tables_have_the_published_form(small):
    targets = (small.folder / "targets.csv").read_text(encoding="utf-8").splitlines()
    assert targets[0] == "id,novel_percent"
    assert targets[1:] == sorted(targets[1:], key=lambda line: line.split(",")[0])
    assert not any(line.startswith("normal/") for line in targets)
    splits = read_splits(small.folder / "splits.csv")
    assert {row.split for id, row in splits.items() if id.startswith("normal/")} == {"train", "valid", "test"}
    assert {id.partition("/")[0] for id in splits} <= {"normal", "fence", "item_sand"}
    summary = read_summary(small.folder / "summary.csv")
    assert list(summary) == ["fence", "item_sand", "item_tnt", "thief", "tree_easy"]
    fractions = [each.fractions for id, each in read_targets(small.folder / "targets.csv").items() if "fence/" in id]
    assert summary["fence"].frames == sum(int((each >= 0.01).sum()) for each in fractions)


def test_the_export_is_a_folder_in_the_published_layout(small, tmp_path):
    folder = export_published(small, tmp_path / "files")
    assert {path.name for path in (folder / "fence" / "0").iterdir()} == {
        f"{frame}.{kind}" for frame in range(3) for kind in ("png", "json")
    }
    files = open_novelcraft(folder)
    assert split_sizes(files) == split_sizes(small)
    assert class_sizes(files) == class_sizes(small)
    assert (files["fence/1"].images[:] == small["fence/1"].images[:]).all()
    assert files["fence/1"].symbols[2] == small["fence/1"].symbols[2]
    with pytest.raises(AlreadyExists, match="choose another folder"):
        export_published(small, folder)


def test_the_default_recipe_has_the_published_numbers_of_episodes():
    sizes = NovelCraftRecipe().sizes()
    assert len(sizes) == 56
    assert (sizes["normal"], sizes["fence"], sizes["tree_easy"]) == ((99, 0), (94, 14), (100, 15))
    assert all(size == (10, 0) for name, size in sizes.items() if name.startswith("item_"))
    plans = NovelCraftRecipe(plus=True).plans()
    assert sum(plan.id.startswith("normal/normal_") for plan in plans) == 2575
    assert len({plan.number for plan in plans}) == len(plans)
    nominal = [plan.id for plan in plans if not plan.novelty and plan.id.startswith("fence/")]
    assert nominal == [f"fence/{number}" for number in range(14)]
    assert "thief" not in NovelCraftRecipe(version="v1").sizes()


def test_episodes_of_novelcraft_plus_are_for_training_only(recipe, tmp_path):
    data = make_novelcraft(recipe.replace(classes=("normal",), plus=True, share=0.001, max_frames=1), tmp_path / "set")
    assert len(data.episodes()) == 3
    assert len(data.images("train")) == 1
    assert len(data.images("train", plus=True)) == 4
    assert len(data.images("test", plus=True)) == 1
    assert [size.part for size in split_sizes(data)] == ["train Normal", "train Normal+", "valid Normal", "test Normal"]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"classes": ("fense",)}, UnknownName, "Did you mean 'fence'"),
        ({"classes": ("thief",), "version": "v1"}, InvalidParameter, "has no thief"),
        ({"share": 0.0}, InvalidParameter, "share is 0"),
        ({"version": "v3"}, InvalidParameter, "version is 'v3'"),
        ({"classes": ("fence",), "plus": True}, InvalidParameter, "class 'normal'"),
    ],
)
def test_an_invalid_recipe_is_refused(fields, error, message):
    with pytest.raises(error, match=message):
        NovelCraftRecipe(**fields)
