"""A split is a read-only sequence of episodes."""

import sys
from collections.abc import Sequence

import numpy as np
import pytest

from offnominal.core.errors import MissingDependency
from offnominal.datasets import parquet, save_dataset


@pytest.fixture
def grouped(recorded, tmp_path, monkeypatch):
    """A split of several row groups, and the episodes in it."""
    monkeypatch.setattr(parquet, "GROUP_ROWS", 12)
    episodes = [recorded(length, seed=length, onset=1) for length in (3, 5, 9, 2, 1, 7, 4)]
    return save_dataset(tmp_path / "data", {"train": episodes}, world="mine")["train"], episodes


def test_it_is_a_sequence(grouped):
    split, episodes = grouped
    assert isinstance(split, Sequence)
    assert len(split) == 7
    assert list(split) == episodes
    assert [split[i] for i in (6, 0, 3, -1, 5)] == [episodes[i] for i in (6, 0, 3, -1, 5)]
    assert split[np.int64(2)] == episodes[2]
    for part in (slice(2, 5), slice(None, None, -2), slice(9, 12)):
        assert split[part] == episodes[part]
    assert split.index(episodes[4]) == 4
    assert list(reversed(split)) == episodes[::-1]
    for index in (7, -8):
        with pytest.raises(IndexError):
            split[index]


def test_facts_are_known_without_reading_episodes(grouped):
    split, episodes = grouped
    assert split.lengths.tolist() == [len(episode) for episode in episodes]
    assert split.seeds.tolist() == [episode.seed for episode in episodes]
    assert split.events == tuple(episode.events for episode in episodes)
    assert repr(split) == "Split('train', 7 episodes, 31 steps)"


def test_iteration_reads_one_row_group_at_a_time(grouped, monkeypatch):
    split, _ = grouped
    read = []
    real = parquet.EpisodeFile.group
    monkeypatch.setattr(parquet.EpisodeFile, "group", lambda self, index: read.append(index) or real(self, index))
    walk = iter(split)
    next(walk)
    assert read == [0]
    list(walk)
    assert read == [0, 1, 2]


def test_neighbours_are_read_together(grouped, monkeypatch):
    split, _ = grouped
    read = []
    real = parquet.EpisodeFile.group
    monkeypatch.setattr(parquet.EpisodeFile, "group", lambda self, index: read.append(index) or real(self, index))
    split[0], split[1], split[2], split[3], split[4]
    assert read == [0, 1]


def test_arrays_cannot_be_written_to(dataset):
    first, second = dataset["action/noise@tiny"][:2]
    for name, values in first.arrays().items():
        if name != "terminated":
            with pytest.raises(ValueError, match="read-only"):
                values[:] = 0
    assert np.shares_memory(first.observations.base, second.observations.base)
    assert first.observations.flags.c_contiguous


def test_tables_have_a_row_per_observation(dataset):
    split = dataset["action/noise@tiny"]
    table, frame = split.to_arrow(), split.to_pandas()
    assert table.num_rows == len(frame) == int(split.lengths.sum()) + len(split)
    assert table.column_names == list(frame)
    assert table.schema.metadata is None
    last = frame.groupby("episode").tail(1)
    assert last["active"].isna().all()
    assert last["reward"].isna().all()
    assert frame["active"].dtype == "boolean"
    assert frame["active"].sum() == sum(int(episode.active.sum()) for episode in split)
    assert frame["observation.agent x"].dtype == np.float32
    mine = frame[frame["seed"] == 13_000_003]
    assert np.array_equal(mine["observation.agent x"], split[3].observations[:, 4])


def test_pandas_is_asked_for_if_it_is_missing(dataset, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[pandas\]"):
        dataset["train"].to_pandas()
