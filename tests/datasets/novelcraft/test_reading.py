"""Labelled images and episodes: selection, filter and labels."""

import json
import pickle

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName
from offnominal.datasets.novelcraft import CLASSES, CraftEpisode
from offnominal.datasets.novelcraft.craft_tables import EpisodeFractions
from offnominal.datasets.novelcraft.episode_files import EpisodeFolder
from offnominal.datasets.novelcraft.symbolic import read_symbolic_record
from offnominal.worlds.craft.action_table import commands_of


def test_classes_have_the_published_numbers_and_roles():
    assert list(CLASSES)[:6] == ["normal", "fence", "item_anvil", "item_sand", "item_coal_block", "item_quartz_block"]
    assert CLASSES["tree_easy"].number == 10
    assert CLASSES["item_emerald_block"].number == 53
    roles = [each.role for each in CLASSES.values()]
    assert [roles.count(role) for role in ("normal", "valid", "test", "episodes")] == [5, 5, 44, 2]


def test_the_filter_includes_one_percent(tmp_path):
    fractions = np.array([0.0, np.nextafter(0.01, 0), 0.01, 0.5])
    known = EpisodeFractions(np.array([0, 1, 3, 4]), fractions)
    episode = CraftEpisode("item_tnt/0", EpisodeFolder(tmp_path), known)
    assert episode.kept().tolist() == [2, 3]
    assert CraftEpisode("normal/0", EpisodeFolder(tmp_path), known).kept().tolist() == [0, 1, 2, 3]


def test_images_have_labels_and_are_chosen_by_split_and_filter(small):
    train, valid, test = (small.images(split) for split in ("train", "valid", "test"))
    assert set(train.counts()) <= {"normal", "fence", "item_sand"}
    assert not train.novel.any()
    assert {valid.classes[label] for label in valid.labels[valid.novel]} <= {"item_tnt"}
    assert {test.classes[label] for label in test.labels[test.novel]} == {"tree_easy"}
    assert not set(train.episode_ids) & set(test.episode_ids)
    assert (test.fractions[test.labels != 0] >= 0.01).all()
    assert len(small.images("test", novel=True)) + len(small.images("test", novel=False)) == len(test)
    assert len(small.images("test", novel=True, least=0.0)) == sum(
        len(episode) for episode in small.episodes(classes=["tree_easy"])
    )


def test_images_are_read_by_index_slice_list_and_mask(small):
    images = small.images("train")
    every = np.asarray(images)
    assert every.shape == images.shape
    assert every.dtype == np.uint8
    assert (images[-1] == every[-1]).all()
    assert (images[1:3] == every[1:3]).all()
    assert (images[[2, 0]] == every[[2, 0]]).all()
    assert (images[images.labels == 1] == every[images.labels == 1]).all()
    assert (np.concatenate(list(images.batches(2))) == every).all()
    chosen = images.select(images.labels == 1)
    assert set(chosen.labels) == {1}
    assert (chosen[0] == small[chosen.episode_ids[0]].images[int(chosen.ids[0].rpartition("/")[2])]).all()
    with pytest.raises(IndexError):
        images[len(images)]
    with pytest.raises(InvalidParameter, match="expected indices or a mask"):
        images[[0.5]]


def test_shrunk_images_are_means_of_pixels(small):
    images = small["fence/1"].images
    expected = images[:].reshape(3, 64, 4, 64, 4, 3).mean((2, 4))
    assert np.abs(images.shrunk(64) - expected).max() <= 0.5
    assert (pickle.loads(pickle.dumps(images)).shrunk(256) == images[:]).all()
    with pytest.raises(InvalidParameter, match="divided by an integer"):
        images.shrunk(100)


def test_the_episode_task_has_normal_training_and_novel_test_episodes(small):
    assert {episode.kind.name for episode in small.episode_task("train")} == {"normal"}
    test = small.episode_task("test")
    assert {episode.kind.name for episode in test} == {"normal", "fence", "tree_easy", "thief"}
    assert [episode.id for episode in test if not episode.novel and episode.kind.name != "normal"] == [
        "fence/0",
        "tree_easy/0",
        "thief/0",
    ]
    assert not any(fraction for episode in test if not episode.novel for fraction in episode.fractions)


@pytest.mark.parametrize("split", ["validation", "all", 3])
def test_an_unknown_split_is_refused(small, split):
    with pytest.raises(InvalidParameter, match="split"):
        small.images(split)


def test_an_unknown_episode_or_class_is_refused(small):
    with pytest.raises(UnknownName, match="fence/1"):
        small["fence/11"]
    with pytest.raises(UnknownName, match="Did you mean 'fence'"):
        small.episodes(classes=["fenc"])


def test_an_episode_has_vectors_as_observations_and_images_as_frames(small):
    source = small["thief/2"]
    episode = source.to_episode()
    assert len(episode) == 2
    assert (episode.observations == source.vectors).all()
    assert (episode.extras["frames"] == source.images[:]).all()
    assert commands_of("v2")[episode.actions[0]] == source.commands[1]
    assert episode.active.all()
    assert [(event.anomaly, event.parameter) for event in episode.events] == [("dynamics/thief", 1.0)]
    assert (episode.rewards < 0).all()
    assert not small["thief/0"].to_episode().active.any()
    assert small["thief/0"].to_episode().seed != small["thief/2"].to_episode().seed
    assert pickle.loads(pickle.dumps(episode)) == episode


@pytest.mark.parametrize("text", [b"{}", b"[]", b'{"map":', b'{"x":1,"map":{},"goal":{}}'])
def test_invalid_sensed_data_is_refused(text):
    with pytest.raises(DamagedFile, match=r"0\.json"):
        read_symbolic_record([(text, "0.json")])


def test_sensed_data_with_another_order_of_keys_has_the_same_vector(small):
    sensed = small["fence/1"].symbols[1]
    other = dict(sorted(sensed.items(), reverse=True))
    records = [read_symbolic_record([(json.dumps(each).encode(), "frame")]) for each in (sensed, other)]
    assert (records[0].vectors == records[1].vectors).all()
    assert records[0].commands == records[1].commands == (small["fence/1"].commands[1],)
