"""Logs of robots: MCAP with JSON and ROS 2 messages, HDF5 as robomimic and D4RL, LeRobot folders."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.core.errors import OffnominalError
from offnominal.datasets.logs import episodes_from, hdf5_log, import_log, read_hdf5, read_mcap

SECOND = 10**9
ROS_MESSAGE = (
    "std_msgs/Header header\nfloat64[2] position\nstring name\nuint8[] image\n"
    + "=" * 80
    + """
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""
    + "=" * 80
    + """
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
)


@pytest.fixture
def bag(tmp_path):
    """Write a ROS 2 bag: joints at 10 Hz with a pause, temperature at 5 Hz."""
    writer = pytest.importorskip("mcap_ros2.writer", reason="mcap-ros2-support is not installed")
    path = tmp_path / "bag" / "bag_0.mcap"
    path.parent.mkdir()
    with path.open("wb") as file:
        recorder = writer.Writer(file)
        joint = recorder.register_msgdef("my_msgs/msg/Joints", ROS_MESSAGE)
        heat = recorder.register_msgdef("my_msgs/msg/Heat", "float32 celsius\n")
        for step in range(100):
            stamp = step * SECOND // 10 + (20 * SECOND if step >= 60 else 0)
            header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": "base"}
            message = {"header": header, "position": [step, -step], "name": "arm", "image": [0] * 99}
            recorder.write_message("/joints", joint, message, stamp, stamp)
            if step % 2 == 0:
                recorder.write_message("/heat", heat, {"celsius": 20.0 + step}, stamp, stamp)
        recorder.finish()
    return path


def test_topics_become_channels_on_one_clock(bag):
    for source in (bag, bag.parent):
        first, second = episodes_from(source)
        assert (len(first) + 1, len(second) + 1) == (pytest.approx(30, abs=3), pytest.approx(20, abs=3))
        np.testing.assert_allclose(np.diff(first.extras["time"]), 0.2)
    log = read_mcap(bag, rate=10.0)
    assert log.columns == ["time", "/joints.position.0", "/joints.position.1", "/heat.celsius"]
    rows = episodes_from(log)[0].observations
    np.testing.assert_allclose(rows[:40, 0], np.arange(40))
    np.testing.assert_allclose(rows[:40, 2], 20.0 + np.arange(40) // 2 * 2)
    assert read_mcap(bag, topics=["/heat"]).columns == ["time", "/heat.celsius"]


def test_messages_in_json_are_read(tmp_path):
    writer = pytest.importorskip("mcap.writer", reason="mcap is not installed")
    path = tmp_path / "log.mcap"
    with path.open("wb") as file:
        recorder = writer.Writer(file)
        recorder.start()
        schema = recorder.register_schema("Pump", "jsonschema", b"{}")
        channel = recorder.register_channel("/pump", "json", schema)
        for step in range(20):
            data = json.dumps({"pressure": step / 2, "open": True, "note": "ok"}).encode()
            recorder.add_message(channel, step * SECOND, data, step * SECOND)
        recorder.finish()
    (episode,) = episodes_from(path, keep="all")
    np.testing.assert_allclose(episode.observations, [[step / 2, 1.0] for step in range(20)])


def robomimic(path, change=lambda demo, number: None):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(path, "w") as file:
        for number in range(11):
            demo = file.create_group(f"data/demo_{number}")
            length = 5 + number
            demo["actions"] = np.full((length, 2), number, np.float32)
            demo["rewards"] = np.arange(length, dtype=float)
            for name, start in (("obs", 0), ("next_obs", 1)):
                demo[f"{name}/pose"] = np.arange(start, start + length, dtype=np.float32)[:, None] + 100 * number
                demo[f"{name}/camera"] = np.zeros((length, 8, 8, 3), np.uint8)
            change(demo, number)
    return path


def d4rl(path, **changes):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    arrays = {
        "observations": np.arange(24.0).reshape(12, 2),
        "actions": np.zeros((12, 1)),
        "rewards": np.ones(12),
        "terminals": np.arange(12) == 4,
        "timeouts": np.arange(12) == 9,
        **changes,
    }
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file[name] = values
    return path


def test_demonstrations_keep_their_last_observation(tmp_path):
    episodes = list(episodes_from(robomimic(tmp_path / "demo.hdf5"), keep="all"))
    assert [len(episode) for episode in episodes] == list(range(5, 16)), "demo_10 is after demo_9"
    np.testing.assert_allclose(episodes[10].observations[:, 0], 1000 + np.arange(16))
    assert (episodes[10].actions == 10).all()
    np.testing.assert_allclose(episodes[3].rewards, np.arange(8))


@pytest.mark.parametrize("block", [3, 2**16])
def test_flat_arrays_end_at_terminals_and_timeouts(tmp_path, monkeypatch, block):
    monkeypatch.setattr(hdf5_log, "BLOCK_ROWS", block)
    episodes = list(episodes_from(d4rl(tmp_path / "maze.hdf5")))
    assert [len(episode) for episode in episodes] == [4, 4, 1]
    np.testing.assert_array_equal(episodes[1].observations, np.arange(10.0, 20.0).reshape(5, 2))
    assert episodes[0].total_reward == 4.0


@pytest.fixture
def lerobot(tmp_path):
    folder = tmp_path / "set"
    (folder / "meta").mkdir(parents=True)
    names = {"names": ["x", "y"], "shape": [2], "dtype": "float32"}
    info = {"fps": 10, "features": {"observation.state": names, "action": {"shape": [1], "names": {"motors": ["m"]}}}}
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    for number in range(10):
        path = folder / "data" / f"chunk-{number // 5:03}" / f"episode_{number:06}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        states = pa.array([[float(step), float(number)] for step in range(6)], pa.list_(pa.float32(), 2))
        columns = {
            "observation.state": states,
            "action": pa.array([[0.5]] * 6, pa.list_(pa.float32())),
            "episode_index": np.full(6, number),
            "timestamp": pa.array(np.arange(6) / 10, pa.float32()),
            "next.done": np.arange(6) == 5,
        }
        pq.write_table(pa.table(columns), path)
    return folder


def test_a_lerobot_folder_is_read_and_imported(lerobot, tmp_path):
    episodes = episodes_from(lerobot, keep="observation.state.x")
    assert episodes.channels == {
        "observations": ["observation.state.x", "observation.state.y"],
        "actions": ["action.m"],
    }
    assert [len(episode) for episode in episodes] == [5] * 10
    np.testing.assert_array_equal(episodes[7].observations[:, 1], np.full(6, 7.0))
    data = import_log(episodes, tmp_path / "made", name="arm")
    assert {name: len(data[name]) for name in data} == {"train": 6, "validation": 2, "test": 2}
    assert data["test"][1] == episodes[9]


def test_labelled_blocks_of_text_are_episodes(tmp_path):
    blocks = [("normal", 0), ("collision", 1), ("normal", 2), ("fr_collision", 3)]
    text = "".join(f"{label}\n" + "".join(f"\t{n}\t-{row}\t7\n" for row in range(15)) + "\n\n" for label, n in blocks)
    (tmp_path / "lp1.data").write_text(text)
    episodes = episodes_from(tmp_path / "lp1.data", label="label", nominal="normal", keep="all")
    assert [len(episode) for episode in episodes] == [14] * 4
    assert episodes.faulty.tolist() == [False, True, False, True]
    np.testing.assert_array_equal(episodes[3].observations[4], [3.0, -4.0, 7.0])


def test_malformed_files_of_robots_are_named_errors(bag, lerobot, tmp_path):
    def shorter(demo, number):
        if number == 3:
            del demo["actions"]
            demo["actions"] = np.zeros((2, 2))

    def without_actions(demo, number):
        del demo["actions"]

    (tmp_path / "bad.mcap").write_bytes(b"no file of messages")
    (tmp_path / "bad.hdf5").write_bytes(b"no file of arrays")
    (tmp_path / "none").mkdir()
    d4rl(tmp_path / "short.hdf5", actions=np.zeros((3, 1)))
    ragged = lerobot / "data" / "chunk-001" / "episode_000009.parquet"
    table = pq.read_table(ragged)
    pq.write_table(table.set_column(1, "action", pa.array([[0.5]] * 5 + [[0.5, 0.5]], pa.list_(pa.float32()))), ragged)
    cases = [
        (lambda: read_mcap(bag, topics=["/heta"]), "no topic '/heta'. Did you mean '/heat'"),
        (lambda: read_mcap(bag, rate=-1.0), "rate is -1.0"),
        (lambda: read_mcap(tmp_path / "absent.mcap"), "absent.mcap does not exist"),
        (lambda: episodes_from(tmp_path / "bad.mcap"), "bad.mcap cannot be read as an MCAP file"),
        (lambda: read_hdf5(tmp_path / "absent.hdf5"), "absent.hdf5 does not exist"),
        (lambda: episodes_from(tmp_path / "bad.hdf5"), "bad.hdf5 cannot be read as an HDF5 file"),
        (lambda: episodes_from(tmp_path / "short.hdf5"), "'actions' has 3 entries; expected 12"),
        (lambda: read_hdf5(robomimic(tmp_path / "a.h5", shorter)), "'data/demo_3/actions' has 2 entries"),
        (lambda: read_hdf5(robomimic(tmp_path / "b.h5", without_actions)), "'data/demo_0' has .*expected 'obs' and"),
        (lambda: read_mcap(tmp_path / "none"), "has 0 MCAP files"),
        (lambda: list(episodes_from(lerobot)), "column 'action' .* has 2 entries in row 59; expected 1"),
        (lambda: import_log(episodes_from({"x": range(9)}), tmp_path / "x", name="x"), "1 nominal episode cannot be"),
    ]
    for call, words in cases:
        with pytest.raises(OffnominalError, match=words):
            call()
