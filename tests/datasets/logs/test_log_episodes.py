"""Logs of any source become the same episodes."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.datasets.logs import QuestionableLog, episodes_from, row_source
from offnominal.datasets.logs.row_source import ForwardReader, ParquetRows

ROLES = {"observations": ["x", "y"], "actions": ["u"], "reward": "r", "label": "fault", "episode": "run", "time": "t"}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "t": np.concatenate([np.arange(30) * 0.1, 7.0 + np.arange(20) * 0.1]),
            "run": ["a"] * 30 + ["b"] * 20,
            "x": rng.normal(size=50),
            "y": rng.normal(size=50),
            "u": rng.normal(size=50),
            "r": rng.normal(size=50),
            "fault": [0] * 40 + [1] * 10,
        }
    )


def written(frame, kind, folder):
    path = folder / f"log.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "tsv":
        frame.to_csv(path, index=False, sep=";")
    elif kind == "csv.gz":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=7)
    elif kind == "npz":
        np.savez(path, **{name: frame[name].to_numpy() if name != "run" else [0] * 30 + [1] * 20 for name in frame})
    elif kind == "folder":
        path.mkdir()
        pq.write_table(pa.Table.from_pandas(frame[:13]), path / "a.parquet", row_group_size=5)
        pq.write_table(pa.Table.from_pandas(frame[13:]), path / "b.parquet")
    elif kind == "table":
        return pa.Table.from_pandas(frame)
    elif kind == "mapping":
        return {name: frame[name].to_list() for name in frame}
    elif kind == "structured":
        return frame.assign(run=[0] * 30 + [1] * 20).to_records(index=False)
    return path


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "npz", "folder", "table", "mapping", "structured"])
def test_every_source_gives_the_same_episodes(kind, frame, tmp_path):
    expected = list(episodes_from(frame, **ROLES))
    found = episodes_from(written(frame, kind, tmp_path), **ROLES)
    assert list(found) == expected
    assert [found[1], found[0], found[1]] == [expected[1], expected[0], expected[1]]


def test_a_transition_has_the_action_before_it_and_the_label_after_it(frame):
    first, second = episodes_from(frame, **ROLES)
    assert (len(first), len(second)) == (29, 19)
    np.testing.assert_array_equal(first.observations, frame[["x", "y"]].to_numpy()[:30])
    np.testing.assert_array_equal(second.actions[:, 0], frame["u"].to_numpy()[30:49])
    np.testing.assert_array_equal(second.rewards, frame["r"].to_numpy()[30:49])
    assert second.onset == 9, "row 40 is the first labelled one; transition 9 of the episode from row 30 ends there"
    np.testing.assert_allclose(second.extras["time"], frame["t"][30:])
    assert not first.active.any()


def test_actions_rewards_labels_and_time_are_optional(frame):
    (episode,) = episodes_from(frame, observations=["x"])
    assert episode.observations.shape == (50, 1)
    assert episode.actions.shape == (49, 0)
    assert not episode.rewards.any()
    assert not episode.active.any()
    assert not episode.extras


def test_other_columns_are_observations_by_default(frame):
    with pytest.warns(QuestionableLog, match=r"'t' \(time-like: its name, and it never falls\)"):
        episodes = episodes_from(frame, episode="run", label="fault")
    assert episodes.channels == {"observations": ["x", "y", "u", "r"], "actions": []}
    kept = episodes_from(frame, episode="run", label="fault", keep="t")
    assert kept.channels["observations"] == ["t", "x", "y", "u", "r"]


def test_columns_of_a_matrix_are_numbered():
    matrix = np.arange(12.0).reshape(4, 3)
    (episode,) = episodes_from(matrix, observations=[0, 2], actions=[1])
    np.testing.assert_array_equal(episode.observations, matrix[:, [0, 2]])


def test_a_gap_in_time_begins_an_episode(frame):
    assert [len(each) for each in episodes_from(frame, observations=["x"], time="t")] == [29, 19]
    assert [len(each) for each in episodes_from(frame, observations=["x"], time="t", gap=9.0)] == [49]


DATES = pd.date_range("2020-03-09 10:14:33", periods=9, freq="250ms")


@pytest.mark.parametrize("times", [DATES, [str(date) for date in DATES], DATES.tz_localize("UTC"), DATES - DATES[0]])
def test_dates_give_seconds(times):
    (episode,) = episodes_from(pd.DataFrame({"x": np.arange(9.0), "t": times}), time="t")
    np.testing.assert_allclose(episode.extras["time"], np.arange(9) * 0.25)


@pytest.mark.parametrize("name", [None, "datetime"])
def test_an_index_of_dates_is_the_time(name):
    frame = pd.DataFrame({"x": np.arange(9.0)}, index=DATES.rename(name))
    (episode,) = episodes_from(frame)
    assert episode.observations.shape == (9, 1)
    np.testing.assert_allclose(episode.extras["time"], np.arange(9) * 0.25)


@pytest.mark.parametrize(("unit", "scale"), [("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_units_of_time_give_seconds(unit, scale):
    log = {"x": np.arange(9.0), "t": np.arange(9) * 0.25 * scale}
    (episode,) = episodes_from(log, time="t", time_unit=unit)
    np.testing.assert_allclose(episode.extras["time"], np.arange(9) * 0.25)


@pytest.mark.parametrize(("stride", "starts"), [(None, [0, 10, 30]), (5, [0, 5, 10, 15, 30, 35]), (12, [0, 12, 30])])
def test_windows_have_their_length_and_stay_within_episodes(stride, starts, frame):
    windows = episodes_from(frame, **ROLES, window=10, stride=stride)
    assert {len(each) for each in windows} == {10}
    assert [each.seed for each in windows] == starts
    whole = list(episodes_from(frame, **ROLES))
    np.testing.assert_array_equal(windows[1].observations, whole[0].observations[starts[1] : starts[1] + 11])


@pytest.mark.parametrize(
    ("labels", "nominal"),
    [
        (["normal", "normal", "collision", "normal"], "normal"),
        ([-1, -1, 1, -1], -1),
        ([0, 3, 2, 3], (0, 3)),
        ([False, False, True, False], ()),
        (pd.Categorical(["ok", "ok", "bad", "ok"]), ["ok"]),
    ],
)
def test_labels_are_booleans_or_values_other_than_the_nominal_ones(labels, nominal):
    (episode,) = episodes_from(pd.DataFrame({"x": np.arange(4.0), "y": labels}), label="y", nominal=nominal)
    assert episode.active.tolist() == [False, True, False]


def test_missing_values_are_filled_or_kept_on_request():
    log = {"x": [np.nan, 1.0, np.nan, np.inf, 5.0]}
    (filled,) = episodes_from(log, missing="previous")
    assert filled.observations[:, 0].tolist() == [1.0, 1.0, 1.0, 1.0, 5.0]
    (kept,) = episodes_from(log, missing="keep")
    assert np.isnan(kept.observations[[0, 2], 0]).all()


def test_single_precision_is_kept():
    (episode,) = episodes_from({"x": np.arange(3, dtype=np.float32), "y": np.arange(3, dtype=np.uint8)})
    assert episode.observations.dtype == np.float32


def test_nominal_and_faulty_episodes_are_told_apart(frame):
    episodes = episodes_from(frame, **ROLES)
    assert repr(episodes) == "LogEpisodes(2 episodes, 48 transitions, 2 observations, 1 action, 1 faulty)"
    assert episodes.faulty.tolist() == [False, True]
    assert [each.seed for each in episodes.nominal] == [0]
    assert len(episodes[:1]) == 1
    assert list(pickle.loads(pickle.dumps(episodes))) == list(episodes)


def test_a_label_on_the_first_row_only_labels_no_transition():
    episodes = episodes_from({"x": np.arange(3.0), "y": [1, 0, 0]}, label="y")
    assert not episodes.faulty.any()
    assert not episodes[0].active.any()


def test_each_block_is_read_once(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(row_source, "BLOCK_ROWS", 4)
    source = ParquetRows("log", [written(frame, "parquet", tmp_path)])
    read = []
    blocks = source.blocks
    source.blocks = lambda columns, start=0: (read.append(block.num_rows) or block for block in blocks(columns, start))
    reader = ForwardReader(source, ["x", "x"])
    for start, stop in [(0, 3), (2, 9), (9, 31), (31, 50)]:
        assert reader.rows(start, stop)["x"].to_pylist() == frame["x"][start:stop].to_list()
    assert sum(read) == 50
    assert reader.rows(5, 6)["x"].to_pylist() == frame["x"][5:6].to_list()


def test_detectors_accept_episodes_without_actions(frame):
    from offnominal.detectors import make_detector

    episodes = episodes_from(frame, observations=["x", "y"], time="t")
    (first, second) = make_detector("KNN").fit(episodes).score(episodes)
    assert (len(first), len(second)) == (29, 19)
