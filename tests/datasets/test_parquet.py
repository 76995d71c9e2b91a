"""Episodes come back from a file as they went in, bit by bit, and other readers find plain columns."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from offnominal.core.episode import Episode, Event
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.datasets import parquet
from offnominal.datasets.parquet import EpisodeFile, write_episodes

TYPES = [np.dtype(code) for code in "?bBhHiIqQefd"]
SHAPES = [(), (1,), (3,), (0,), (2, 2)]
CHANNELS = st.lists(st.integers(0, 5), max_size=3).map(tuple)
EVENTS = st.builds(
    Event,
    anomaly=st.sampled_from(["action/noise", "dynamics/mass", "mine/ä"]),
    parameter=st.floats(allow_nan=False, allow_infinity=False),
    onset=st.integers(0, 9),
    end=st.none() | st.integers(1, 9),
    channels=CHANNELS,
)


def bits(dtype, shape):
    """Arrays of any bit pattern: every NaN, both zeros, the infinities, the smallest numbers."""
    if dtype == np.bool_:
        return hnp.arrays(dtype, shape)
    patterns = np.dtype(f"u{dtype.itemsize}")
    return hnp.arrays(patterns, shape).map(lambda values: values.view(dtype))


@st.composite
def splits(draw):
    """Some episodes that recorded the same signals."""
    signals = {
        name: (draw(st.sampled_from(TYPES)), draw(st.sampled_from(SHAPES)), draw(st.booleans()))
        for name in draw(st.lists(st.sampled_from(["success", "cost", "frames", "clean_observations"]), unique=True))
    }
    seen, acted = (draw(st.sampled_from(TYPES)) for _ in range(2))
    episodes = []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 6))
        episodes.append(
            Episode(
                draw(bits(seen, (length + 1, 2))),
                draw(bits(acted, (length, 1))),
                draw(hnp.arrays(np.float64, (length,), elements=st.floats(allow_nan=False, allow_infinity=False))),
                draw(hnp.arrays(np.bool_, (length,))),
                tuple(draw(st.lists(EVENTS, max_size=2))),
                draw(st.integers(0, 2**63 - 1)),
                draw(st.booleans()),
                {name: draw(bits(kind, (length + closed, *shape))) for name, (kind, shape, closed) in signals.items()},
            )
        )
    return episodes


@given(episodes=splits(), rows=st.sampled_from([1, 5, 2**16]))
@settings(max_examples=60)
def test_a_round_trip_loses_nothing(episodes, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "split.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "GROUP_ROWS", rows)
        metadata = write_episodes(path, episodes)
    file = EpisodeFile(path)
    found = [episode for group in range(len(file.bounds) - 1) for episode in file.group(group)]
    assert found == episodes
    assert [list(episode.extras) for episode in found] == [list(episode.extras) for episode in episodes]
    assert file.metadata.seeds.tolist() == metadata.seeds.tolist() == [episode.seed for episode in episodes]


def test_row_groups_hold_whole_episodes(tmp_path, recorded, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_ROWS", 10)
    episodes = [recorded(length, seed=length) for length in (4, 4, 9, 1, 2, 30, 1)]
    path = tmp_path / "split.parquet"
    write_episodes(path, episodes)
    metadata = pq.ParquetFile(path).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [10, 10, 36, 2]
    assert EpisodeFile(path).bounds == [0, 2, 3, 6, 7]
    assert EpisodeFile(path).group(2) == episodes[3:6]


def test_a_row_is_an_observation_and_the_last_one_has_no_transition(tmp_path, recorded):
    episodes = [recorded(2, seed=5, onset=1), recorded(1, seed=9)]
    path = tmp_path / "split.parquet"
    write_episodes(path, episodes, {"observations": ["x", "y"]})
    table = pq.read_table(path).to_pydict()
    assert table["episode"] == [0, 0, 0, 1, 1]
    assert table["seed"] == [5, 5, 5, 9, 9]
    assert table["step"] == [0, 1, 2, 0, 1]
    assert table["active"] == [False, True, None, False, None]
    assert table["reward"] == [*episodes[0].rewards, None, *episodes[1].rewards, None]
    assert table["action.0"] == [*episodes[0].actions[:, 0], None, *episodes[1].actions[:, 0], None]
    assert table["observation.y"] == [*episodes[0].observations[:, 1], *episodes[1].observations[:, 1]]


def test_floats_are_split_into_bytes_and_everything_is_compressed(tmp_path, recorded):
    path = tmp_path / "split.parquet"
    write_episodes(path, [recorded(50, cost=np.zeros(50, np.float16))])
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    for name in ("observation.0", "action.0", "reward", "cost"):
        assert "BYTE_STREAM_SPLIT" in columns[name].encodings, name


def test_names_that_do_not_fit_are_replaced_by_numbers(tmp_path, recorded):
    path = tmp_path / "split.parquet"
    write_episodes(path, [recorded()], {"observations": ["x", "x"], "actions": ["too", "many"]})
    assert pq.read_schema(path).names[3:6] == ["observation.0", "observation.1", "action.0"]


@pytest.mark.parametrize(
    ("episodes", "complaint"),
    [
        ([], "at least one"),
        ([{"cost": np.zeros(2)}], "has 2 entries; expected 3, one per transition, or 4"),
        ([{"cost": np.zeros(5)}], "has 5 entries; expected 3, one per transition, or 4"),
        ([{"cost": np.zeros(3, complex)}], "type complex128"),
        ([{"cost": np.array(["a", "b", "c"])}], "booleans, integers and floats"),
        ([{"cost": np.float64(1.0)}], "expected an array with an entry per step"),
        ([{}, {"seed": 7, "width": 3}], "the episode of seed 7 differs in Signal"),
        ([{}, {"cost": np.zeros(3)}], "the same signals"),
        ([{"cost": np.zeros(3)}, {}], "their order or number"),
        ([{"step": np.zeros(3)}], "two columns would be called 'step'"),
    ],
)
def test_what_cannot_be_stored_is_refused(episodes, complaint, tmp_path, recorded):
    with pytest.raises(InvalidParameter, match=complaint):
        write_episodes(tmp_path / "split.parquet", [recorded(**options) for options in episodes])


def test_a_file_without_episodes_is_named(tmp_path):
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(DamagedFile, match=r"other\.parquet cannot be read as episodes"):
        EpisodeFile(path)


def test_a_file_of_another_format_is_named(tmp_path):
    path = tmp_path / "newer.parquet"
    pq.write_table(pa.table({"x": [1]}).replace_schema_metadata({"offnominal": json.dumps({"format": 99})}), path)
    with pytest.raises(UnsupportedFormat, match=r"newer\.parquet cannot be read: it has format 99"):
        EpisodeFile(path)


def crafted(path, change):
    """Write the same rows with other facts."""
    file = pq.ParquetFile(path)
    metadata = json.loads(file.metadata.metadata[b"offnominal"])
    change(metadata)
    table = file.read().replace_schema_metadata(None)
    with pq.ParquetWriter(path.with_name("crafted.parquet"), table.schema, store_schema=False) as writer:
        writer.write_table(table, row_group_size=len(table))
        writer.add_key_value_metadata({"offnominal": json.dumps(metadata)})
    return path.with_name("crafted.parquet")


@pytest.mark.parametrize(
    "change",
    [
        lambda metadata: metadata["lengths"].__setitem__(0, 10**9),
        lambda metadata: metadata["lengths"].__setitem__(0, -5),
        lambda metadata: metadata["lengths"].pop(),
        lambda metadata: metadata["seeds"].append(1),
        lambda metadata: metadata["seeds"].__setitem__(0, 10**30),
        lambda metadata: metadata["terminated"].pop(),
        lambda metadata: metadata.update(groups=[1]),
        lambda metadata: metadata.update(groups=[-1, 3]),
        lambda metadata: metadata["signals"][0].__setitem__(2, [10**12]),
        lambda metadata: metadata["signals"][0].__setitem__(2, [-2]),
        lambda metadata: metadata["signals"][0].__setitem__(1, "<f8"),
        lambda metadata: metadata["signals"][0].__setitem__(1, "|O"),
        lambda metadata: metadata["signals"][0].__setitem__(0, "sightings"),
        lambda metadata: metadata["signals"].pop(),
        lambda metadata: metadata.update(signals={}),
        lambda metadata: metadata.update(event_fault=[7], event_episode=[0], event_onset=[0], event_end=[None]),
        lambda metadata: metadata.pop("faults"),
    ],
)
def test_facts_of_other_rows_or_columns_are_refused(change, tmp_path, recorded):
    path = tmp_path / "episodes.parquet"
    write_episodes(path, [recorded(seed=0), recorded(seed=1)])
    assert len(EpisodeFile(crafted(path, lambda metadata: None)).group(0)) == 2
    with pytest.raises(DamagedFile):
        EpisodeFile(crafted(path, change)).group(0)
