"""The released tables of NovelCraft: the loader gives the published sizes, and the split rule the released splits."""

from pathlib import Path

import pytest

from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.datasets.novelcraft import (
    NovelCraft,
    choose_splits,
    open_novelcraft,
    read_splits,
    read_summary,
    read_targets,
)
from offnominal.datasets.novelcraft.craft_tables import table_text

RELEASED = (find_data_home() or Path("nowhere")) / "novelcraft"
needs_released = pytest.mark.skipif(
    not (RELEASED / "targets.csv").exists(), reason="the released tables are not in the data home"
)


@pytest.fixture(scope="module")
def released() -> NovelCraft:
    return open_novelcraft(RELEASED)


@needs_released
@pytest.mark.parametrize(
    ("split", "novel", "images", "episodes"),
    [
        ("train", False, 7037, 165),
        ("valid", False, 873, 21),
        ("valid", True, 332, 42),
        ("test", False, 890, 21),
        ("test", True, 3530, 475),
    ],
)
def test_splits_have_the_published_sizes(released, split, novel, images, episodes):
    found = released.images(split, novel=novel)
    assert (len(found), len(set(found.episode_ids))) == (images, episodes)


@needs_released
def test_the_rule_gives_the_released_splits(released):
    frames: dict[str, dict[str, int]] = {}
    for episode in released.episodes():
        if episode.kind.role == "normal":
            frames.setdefault(episode.kind.name, {})[episode.name] = len(episode.kept())
    expected = {id: row.split for id, row in read_splits(RELEASED / "splits.csv").items()}
    assert list(choose_splits(frames).items()) == list(expected.items())


@needs_released
def test_summary_has_the_numbers_of_episodes_and_frames_after_the_filter(released):
    for name, row in read_summary(RELEASED / "summary.csv").items():
        if name != "item_bedrock":
            kept = [len(episode.kept()) for episode in released.episodes(classes=[name])]
            assert (sum(count > 0 for count in kept), sum(kept)) == row


@needs_released
def test_a_frame_that_is_not_there_is_named(released):
    with pytest.raises(MissingFile, match=r"0\.png"):
        released["fence/14"].images[0]


def test_the_rule_keeps_small_classes_whole():
    assert choose_splits({"normal": {"0": 3, "1": 4}, "fence": {"0": 0}}) == {"normal/0": "train", "normal/1": "train"}


@pytest.mark.parametrize("text", ["id,novel\n", "id,novel_percent\nfence/1,0\n", "id,novel_percent\nfence/0/1,2.0\n"])
def test_an_invalid_table_is_refused(tmp_path: Path, text: str):
    path = tmp_path / "targets.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"targets\.csv"):
        read_targets(path)


def test_a_table_is_read_as_it_was_written(tmp_path: Path):
    path = tmp_path / "splits.csv"
    path.write_text(table_text("splits.csv", [("normal/0", "train", 47)]), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "episode,split,num_frames\nnormal/0,train,47\n"
    assert read_splits(path) == {"normal/0": ("train", 47)}
