"""Bags: SQLite and MCAP files of ROS 2, several files of one bag, and bags of ROS 1."""

import sqlite3
import struct
import warnings

import numpy as np
import pytest

from offnominal.core.errors import InvalidLog, OffnominalError
from offnominal.datasets.logs import QuestionableLog, episodes_from, read_bag

from .recordings import real

SECOND = 10**9
HEAT = "my_msgs/msg/Heat"
DEFINITION = "float32 celsius\nfloat64[2] place\n"
TABLES = """
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT, offered_qos_profiles TEXT);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);
"""
DEFINITIONS = """
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT,
                                 encoded_message_definition TEXT, type_description_hash TEXT);
"""


def heat(row):
    return b"\0\1\0\0" + np.array([row], "<f4").tobytes() + bytes(4) + np.array([row * row, 1.0], "<f8").tobytes()


def sqlite_file(path, rows, *, content=heat, kind=HEAT, definition=DEFINITION, extra=()):
    """Write messages at 10 Hz, and what other topics are called."""
    with sqlite3.connect(path) as bag:
        bag.executescript(TABLES + (DEFINITIONS if definition else ""))
        bag.execute("INSERT INTO topics VALUES (1, '/oven', ?, 'cdr', '')", (kind,))
        for number, (name, other) in enumerate(extra, 2):
            bag.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')", (number, name, other))
            bag.execute("INSERT INTO messages VALUES (NULL, ?, 0, ?)", (number, heat(0)))
        if definition:
            bag.execute("INSERT INTO message_definitions VALUES (1, ?, 'ros2msg', ?, '')", (kind, definition))
        for row in rows:
            bag.execute("INSERT INTO messages VALUES (NULL, 1, ?, ?)", (10**18 + row * SECOND // 10, content(row)))
    return path


def metadata(folder, *names):
    listed = "".join(f"  - {name}\n" for name in names)
    text = f"rosbag2_bagfile_information:\n  relative_file_paths:\n{listed}  version: 4\n"
    (folder / "metadata.yaml").write_text(text)
    return folder


def test_messages_of_an_sqlite_file_are_decoded(tmp_path):
    path = sqlite_file(tmp_path / "bag.db3", range(30))
    log = read_bag(path)
    assert log.columns == ["time", "/oven.celsius", "/oven.place.0", "/oven.place.1"]
    assert log.begins == pytest.approx(1e9)
    with pytest.warns(QuestionableLog, match=r"'/oven.place.1' \(constant: always 1\)"):
        (episode,) = episodes_from(path)
    np.testing.assert_allclose(episode.observations, np.column_stack([np.arange(30), np.arange(30) ** 2]))
    np.testing.assert_allclose(np.diff(episode.extras["time"]), 0.1)


def test_the_same_messages_in_sqlite_and_mcap_are_the_same_log(tmp_path):
    writer = pytest.importorskip("mcap.writer", reason="mcap is not installed")
    with (tmp_path / "bag.mcap").open("wb") as file:
        recorder = writer.Writer(file)
        recorder.start()
        schema = recorder.register_schema(HEAT, "ros2msg", DEFINITION.encode())
        channel = recorder.register_channel("/oven", "cdr", schema)
        for row in range(30):
            stamp = 10**18 + row * SECOND // 10
            recorder.add_message(channel, stamp, heat(row), stamp)
        recorder.finish()
    assert read_bag(sqlite_file(tmp_path / "bag.db3", range(30))).table == read_bag(tmp_path / "bag.mcap").table


def test_the_files_of_a_bag_are_one_log_in_the_order_of_their_description(tmp_path):
    whole = read_bag(sqlite_file(tmp_path / "whole.db3", range(60))).table
    (tmp_path / "bag").mkdir()
    for number in range(12):
        sqlite_file(tmp_path / "bag" / f"bag_{number}.db3", range(5 * number, 5 * number + 5))
    assert read_bag(tmp_path / "bag").table == whole, "bag_10 is after bag_9"
    assert read_bag(metadata(tmp_path / "bag", *(f"bag_{n}.db3" for n in range(12)))).table == whole
    assert read_bag(metadata(tmp_path / "bag", *(f"bag/bag_{n}.db3" for n in range(12)))).table == whole, "Dashing"
    part = read_bag(metadata(tmp_path / "bag", "bag_0.db3", "'bag_1.db3'"))
    assert part.table.num_rows == 10


def test_messages_that_are_compressed_one_by_one_are_unpacked(tmp_path, monkeypatch):
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed")
    plain = read_bag(sqlite_file(tmp_path / "plain.db3", range(30))).table
    packed = sqlite_file(tmp_path / "p.db3", range(30), content=lambda r: zstandard.ZstdCompressor().compress(heat(r)))
    assert read_bag(packed).table == plain
    bomb = zstandard.ZstdCompressor().compress(bytes(10**8))
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "0.01")
    with pytest.raises(InvalidLog, match=r"a message would take 0.0931 GiB"):
        read_bag(sqlite_file(tmp_path / "bomb.db3", range(2), content=lambda row: bomb))


def test_events_of_services_and_unknown_types_are_left_out_with_a_note(tmp_path):
    extra = [("/add/_service_event", "a/srv/Add_Event"), ("/other", "my_msgs/msg/Other")]
    path = sqlite_file(tmp_path / "bag.db3", range(30), extra=extra)
    with pytest.warns(QuestionableLog, match=r"topics of .*bag.db3 are left out. .*'/add/_service_event'.*'/other'"):
        assert read_bag(path).columns[1:] == ["/oven.celsius", "/oven.place.0", "/oven.place.1"]
    assert read_bag(path, topics=["/oven"]).n_rows == 30
    with pytest.raises(InvalidLog, match=r"has topics that cannot be read. '/other'"):
        read_bag(path, topics=["/other"])


def test_standard_types_need_no_definition_in_the_bag(tmp_path):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    header = b"\0\1\0\0" + struct.pack("<iII", 1, 2, 5) + b"base\0" + bytes(7)

    def temperature(row):
        return header + np.array([20.0 + row % 7, 0.5], "<f8").tobytes()

    path = sqlite_file(
        tmp_path / "old.db3", range(30), content=temperature, kind="sensor_msgs/msg/Temperature", definition=None
    )
    log = read_bag(path)
    assert log.columns == ["time", "/oven.temperature", "/oven.variance"]
    np.testing.assert_allclose(log.table["/oven.temperature"].to_numpy(), 20.0 + np.arange(30) % 7)


def view(path):
    with sqlite3.connect(path) as bag:
        bag.executescript(
            "CREATE TABLE topics(id, name, type, serialization_format); CREATE VIEW messages AS WITH RECURSIVE "
            "forever(topic_id) AS (SELECT 1 UNION ALL SELECT 1 FROM forever) "
            "SELECT topic_id, 1 AS timestamp, x'00' AS data FROM forever"
        )
    return path


def emptied(path, statement):
    with sqlite3.connect(sqlite_file(path, range(9))) as bag:
        bag.executescript(statement)
    return path


def folder(path, *names, files=()):
    path.mkdir()
    for name in files:
        (path / name).write_bytes(b"x")
    return metadata(path, *names) if names else path


MALFORMED = {
    "no database": (lambda p: p.write_bytes(b"no database of messages") and p, "a.db3 cannot be read as a ROS 2 bag"),
    "no tables": (lambda p: emptied(p, "DROP TABLE topics"), "a.db3 has no table 'topics'"),
    "a view": (view, "a.db3 has no table 'messages'"),
    "no column": (lambda p: emptied(p, "ALTER TABLE messages DROP COLUMN data"), "'messages' has no column 'data'"),
    "no topic": (lambda p: emptied(p, "UPDATE messages SET topic_id = 7 WHERE id = 4"), "message 3 has no known topic"),
    "time as text": (
        lambda p: emptied(p, "UPDATE messages SET timestamp = 'noon'"),
        "message 0 has no known topic",
    ),
    "no content": (lambda p: emptied(p, "UPDATE messages SET data = NULL"), "message 0 has no known topic, no time or"),
    "short message": (lambda p: emptied(p, "UPDATE messages SET data = x'00010000'"), "cannot be read as a ROS 2 bag"),
    "no messages": (lambda p: emptied(p, "DELETE FROM messages"), "has no messages with numbers"),
    "one message": (lambda p: emptied(p, "DELETE FROM messages WHERE id > 1"), "has a single message; expected at"),
    "absent file": (lambda p: folder(p, "b_0.db3"), "b_0.db3 does not exist; metadata.yaml names it"),
    "outside file": (lambda p: folder(p, "../../etc/passwd"), "names the file '../../etc/passwd'; expected files in"),
    "packed file": (lambda p: folder(p, "b_0.db3", files=["b_0.db3.zstd"]), "unpack it with `zstd -d --rm b_0.db3.zs"),
    "no files": (lambda p: folder(p, files=["metadata.yaml"]), "has 0 MCAP files and 0 SQLite files"),
    "metadata of bytes": (lambda p: folder(p) and (p / "metadata.yaml").write_bytes(b"\xff\xfe") and p, "not text in"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_bag_is_a_named_error(case, tmp_path):
    build, words = MALFORMED[case]
    with pytest.raises(OffnominalError, match=words) as caught:
        episodes_from(build(tmp_path / "a.db3"))
    assert len(str(caught.value).splitlines()) == 1


def record(fields, data):
    head = b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name + b"=" + value for name, value in fields)
    return struct.pack("<I", len(head)) + head + struct.pack("<I", len(data)) + data


HEAT_OF_ROS1 = b"std_msgs/Header header\nfloat64 celsius\ngeometry_msgs/Point p\n"


def bag_of_ros1(path, rows=30, *, compress=None):
    """Write a bag of ROS 1 without an index: a chunk with a connection and messages at 10 Hz."""
    line = b"=" * 80
    text = HEAT_OF_ROS1 + line + b"\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" + line
    text += b"\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
    about = [(b"topic", b"/oven"), (b"type", b"my_msgs/Heat"), (b"md5sum", b"*"), (b"message_definition", text)]
    fields = b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name + b"=" + value for name, value in about)
    chunk = record([(b"op", b"\7"), (b"conn", struct.pack("<I", 0)), (b"topic", b"/oven")], fields)
    for row in range(rows):
        time = struct.pack("<II", 1_500_000_000 + row // 10, row % 10 * 10**8)
        data = struct.pack("<III", row, 0, 0) + struct.pack("<I", 4) + b"base"
        data += struct.pack("<dddd", np.sin(row), row * row, 1.5, -row)
        chunk += record([(b"op", b"\2"), (b"conn", struct.pack("<I", 0)), (b"time", time)], data)
    name, pack = compress or ("none", bytes)
    sizes = [(b"op", b"\5"), (b"compression", name.encode()), (b"size", struct.pack("<I", len(chunk)))]
    path.write_bytes(b"#ROSBAG V2.0\n" + record([(b"op", b"\3")], b" " * 64) + record(sizes, pack(chunk)))
    return path


def bz2(chunk):
    import bz2

    return bz2.compress(chunk)


def lz4(chunk):
    import lz4.frame

    return lz4.frame.compress(chunk)


@pytest.mark.parametrize("compress", [None, ("bz2", bz2), ("lz4", lz4)])
def test_a_bag_of_ros1_is_read(compress, tmp_path):
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    path = bag_of_ros1(tmp_path / "old.bag", compress=compress)
    log = read_bag(path)
    assert log.columns == ["time", "/oven.celsius", "/oven.p.x", "/oven.p.y", "/oven.p.z"]
    assert log.begins == 1_500_000_000
    np.testing.assert_allclose(log.table["/oven.celsius"].to_numpy(), np.sin(np.arange(30)))
    np.testing.assert_allclose(log.table["/oven.p.z"].to_numpy(), -np.arange(30.0))
    (episode,) = episodes_from(path, observations=["/oven"])
    assert episode.observations.shape == (30, 4)


def test_a_bag_that_another_library_wrote_is_read(tmp_path):
    rosbag1 = pytest.importorskip("rosbags.rosbag1", reason="rosbags is not installed")
    typesys = pytest.importorskip("rosbags.typesys", reason="rosbags is not installed")
    store = typesys.get_typestore(typesys.Stores.ROS1_NOETIC)
    kind = store.types["sensor_msgs/msg/JointState"]
    header = store.types["std_msgs/msg/Header"]
    stamp = store.types["builtin_interfaces/msg/Time"]
    bag = rosbag1.Writer(tmp_path / "arm.bag")
    bag.set_compression(rosbag1.Writer.CompressionFormat.BZ2)
    with bag:
        connection = bag.add_connection("/joints", kind.__msgtype__, typestore=store)
        for row in range(40):
            values = np.array([np.sin(row), np.cos(row)])
            message = kind(header(row, stamp(row, 0), "base"), ["a", "b"], values, 2 * values, np.zeros(0))
            bag.write(connection, row * SECOND // 10, store.serialize_ros1(message, kind.__msgtype__))
    log = read_bag(tmp_path / "arm.bag")
    names = [f"/joints.{name}.{index}" for name in ("position", "velocity") for index in (0, 1)]
    assert log.columns == ["time", *names]
    np.testing.assert_allclose(log.table["/joints.velocity.1"].to_numpy(), 2 * np.cos(np.arange(40)))


def test_malformed_bags_of_ros1_are_named_errors(tmp_path):
    good = bag_of_ros1(tmp_path / "good.bag").read_bytes()
    cases = [
        (b"#ROSBAG V1.2\n" + good[13:], "does not begin with '#ROSBAG V2.0'"),
        (good[:-7], "truncated or damaged: the record at byte"),
        (good[:13] + struct.pack("<I", 2**31) + good[17:], "the record at byte 13 has 2147483648 bytes"),
        (good.replace(b"compression=none", b"compression=nine"), "is compressed with 'nine'; expected none, bz2 or"),
        (good.replace(b"op=\3", b"up=\3"), "the record before byte 25 has no kind"),
        (good.replace(b"op=\5", b"op_\5"), "has a field of 4 bytes"),
    ]
    for number, (content, words) in enumerate(cases):
        path = tmp_path / f"{number}.bag"
        path.write_bytes(content)
        with pytest.raises(InvalidLog, match=words):
            read_bag(path)


def test_a_chunk_of_ros1_that_unpacks_to_more_than_it_announces_is_refused(tmp_path):
    path = bag_of_ros1(tmp_path / "bomb.bag", compress=("bz2", lambda chunk: bz2(chunk + bytes(10**6))))
    with pytest.raises(InvalidLog, match=r"the chunk at byte \d+ announces \d+ bytes and has other ones"):
        read_bag(path)


def test_the_bags_of_rosbag2_itself_are_read():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sqlite = read_bag(real("rosbag2", "topics_and_services.db3"))
        mcap = read_bag(real("rosbag2", "topics_and_services.mcap"))
    assert sqlite.columns == mcap.columns
    assert "'/add_two_ints/_service_event': its schema" in str(caught[0].message)
    np.testing.assert_allclose(read_bag(real("rosbag2", "talker")).table["/rosout.line"].to_numpy(), 38)
    with pytest.raises(InvalidLog, match="wbag has no messages with numbers"):
        read_bag(real("rosbag2", "wbag"))
