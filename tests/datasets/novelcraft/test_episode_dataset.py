"""Our export, read by the rules of the original's data set of episodes."""

import json

import pytest

from offnominal.datasets.novelcraft import NovelCraftRecipe, export_published, make_novelcraft, open_novelcraft
from offnominal.datasets.novelcraft.classes import CLASSES, FURTHER_CLASSES, craft_class
from offnominal.datasets.png import read_png

pytestmark = pytest.mark.long

TEST_CLASSES = {"fence": 14, "tree_easy": 15, "supplier": 12, "thief": 16, "ArenaBlockHard": 15, "rotten": 0}
"""Classes of the test of the public code, and the first episode with the novelty of each."""
RECIPE = NovelCraftRecipe(share=0.01, classes=("normal", *TEST_CLASSES), max_frames=2)


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    place = tmp_path_factory.mktemp("episodes")
    made = make_novelcraft(RECIPE, place / "set")
    return export_published(made, place / "published")


def episode_dataset(root, split, first_novel):
    """Episodes of a split as the public code finds them: (class, episode, novel, images in the order of their numbers).

    Normal episodes are split by splits.csv. The test also has every folder of every test class, which must be there.
    """
    rows = [line.split(",") for line in (root / "splits.csv").read_text().splitlines()[1:]]
    ids = [episode for episode, part, _ in rows if part == split and episode.startswith("normal/")]
    if split == "test":
        for name in first_novel:
            folders = sorted((root / name).iterdir(), key=lambda path: int(path.name))
            ids += [f"{name}/{folder.name}" for folder in folders]
    found = []
    for id in ids:
        name, _, number = id.partition("/")
        images = sorted((root / id).glob("*.png"), key=lambda path: int(path.stem))
        found.append((name, int(number), name != "normal" and int(number) >= first_novel[name], images))
    return found


def test_every_test_class_of_the_original_is_in_the_export(export):
    sizes = RECIPE.sizes()
    first_novel = {name: sizes[name][1] for name in TEST_CLASSES}
    found = episode_dataset(export, "test", first_novel)
    assert {name for name, *_ in found} == {"normal", *TEST_CLASSES}
    ours = {episode.id: episode for episode in open_novelcraft(export).values()}
    for name, number, _, images in found:
        episode = ours[f"{name}/{number}"]
        assert [int(path.stem) for path in images] == episode.frame_ids.tolist() == [0, 1]
        assert read_png(images[0]).shape == (256, 256, 3)
        assert json.loads(images[0].with_suffix(".json").read_text())["player"]


def test_episodes_are_labelled_as_in_the_original(export):
    with_manifest = {episode.id: episode.novel for episode in open_novelcraft(export.parent / "set").values()}
    sizes = RECIPE.sizes()
    for name, number, novel, _ in episode_dataset(export, "test", {name: sizes[name][1] for name in TEST_CLASSES}):
        assert with_manifest[f"{name}/{number}"] == novel
    # In a set of the published size the first novel episodes are the published ones.
    assert {name: NovelCraftRecipe(classes=(name,)).sizes()[name][1] for name in TEST_CLASSES} == TEST_CLASSES
    assert {name: craft_class(name).first_novel for name in TEST_CLASSES} == TEST_CLASSES


def test_further_classes_are_in_a_set_only_if_they_are_named():
    assert set(FURTHER_CLASSES) == {"ArenaBlockHard", "rotten"}
    assert not set(FURTHER_CLASSES) & set(NovelCraftRecipe().sizes())
    assert len(CLASSES) == 56
    assert {each.number for each in FURTHER_CLASSES.values()} == {56, 57}
