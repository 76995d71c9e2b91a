"""Small valid logs of every format, and seeded damage to them."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 24
SECOND = 10**9
X = np.sin(np.arange(ROWS, dtype=float))
COLUMNS = {"speed": X, "force": X**2, "count": np.arange(ROWS) % 5}
TEXT = "speed,force,count\n" + "".join(f"{x:.4f},{x * x:.4f},{row % 5}\n" for row, x in enumerate(X))
EXTREMES = [0, 1, 2**31 - 1, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1]


def csv(folder: Path) -> Path:
    """A text with commas."""
    (folder / "log.csv").write_text(TEXT)
    return folder / "log.csv"


def csv_gz(folder: Path) -> Path:
    """A compressed text."""
    (folder / "log.csv.gz").write_bytes(gzip.compress(TEXT.encode(), mtime=0))
    return folder / "log.csv.gz"


def dated_csv(folder: Path) -> Path:
    """A text with a column of dates."""
    rows = "".join(f"2020-03-09 10:14:{row:02},{x:.4f}\n" for row, x in enumerate(X))
    (folder / "dated.csv").write_text("datetime,speed\n" + rows)
    return folder / "dated.csv"


def blocks(folder: Path) -> Path:
    """Labelled blocks of text."""
    text = "".join(f"{name}\n" + "".join(f"\t{row}\t-{row}\n" for row in range(6)) + "\n\n" for name in ("ok", "bad"))
    (folder / "log.data").write_text(text)
    return folder / "log.data"


def parquet(folder: Path) -> Path:
    """A Parquet file with all kinds of columns."""
    table = pa.table(
        {
            **COLUMNS,
            "open": COLUMNS["count"] > 2,
            "small": pa.array(X, pa.float32()),
            "run": np.arange(ROWS) // 8,
        }
    )
    pq.write_table(table, folder / "log.parquet", row_group_size=10, compression="zstd")
    return folder / "log.parquet"


def npy(folder: Path) -> Path:
    """A matrix."""
    np.save(folder / "log.npy", np.column_stack([*COLUMNS.values()]))
    return folder / "log.npy"


def npz(folder: Path) -> Path:
    """Compressed arrays."""
    np.savez_compressed(folder / "log.npz", **COLUMNS)
    return folder / "log.npz"


def mcap(folder: Path, compression: str = "ZSTD") -> Path:
    """Messages in JSON and in ROS 2's encoding."""
    from mcap.writer import CompressionType, Writer

    path = folder / f"{compression}.mcap"
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType[compression], chunk_size=400)
        writer.start()
        pump = writer.register_channel("/pump", "json", writer.register_schema("Pump", "jsonschema", b"{}"))
        heat = writer.register_schema("my_msgs/msg/Heat", "ros2msg", b"float32 celsius\nfloat64[2] place\n")
        oven = writer.register_channel("/oven", "cdr", heat)
        for row in range(ROWS):
            time = row * SECOND // 10
            writer.add_message(pump, time, json.dumps({"pressure": row / 2, "open": True}).encode(), time)
            place = np.array([row, 1.0], "<f8").tobytes()
            content = b"\0\1\0\0" + np.array([row], "<f4").tobytes() + bytes(4) + place
            writer.add_message(oven, time, content, time)
        writer.finish()
    return path


def mcap_plain(folder: Path) -> Path:
    """Messages that are not compressed."""
    return mcap(folder, "NONE")


def mcap_lz4(folder: Path) -> Path:
    """Messages that are compressed with LZ4."""
    return mcap(folder, "LZ4")


def bag(folder: Path) -> Path:
    """The folder of a ROS 2 bag."""
    (folder / "bag").mkdir()
    return mcap(folder / "bag")


def d4rl(folder: Path) -> Path:
    """HDF5 with arrays over all steps."""
    import h5py

    with h5py.File(folder / "flat.hdf5", "w") as file:
        file.create_dataset("observations", data=np.column_stack([X, X]), chunks=(8, 2), compression="gzip")
        file["actions"] = X[:, None].astype("f4")
        file["rewards"] = X
        file["terminals"] = np.arange(ROWS) == 9
    return folder / "flat.hdf5"


def robomimic(folder: Path) -> Path:
    """HDF5 with a group per episode."""
    import h5py

    with h5py.File(folder / "demo.hdf5", "w") as file:
        for number in range(3):
            demo = file.create_group(f"data/demo_{number}")
            demo["actions"] = np.zeros((5, 2), np.float32)
            for name in ("obs", "next_obs"):
                demo[f"{name}/pose"] = np.arange(5, dtype=np.float32)[:, None]
    return folder / "demo.hdf5"


def arrays_by_name(folder: Path) -> Path:
    """HDF5 with arrays of other names."""
    import h5py

    with h5py.File(folder / "named.hdf5", "w") as file:
        for number in range(3):
            file[f"run_{number}/states"] = np.column_stack([X, X**2])
            file[f"run_{number}/torques"] = X[1:]
    return folder / "named.hdf5"


def sqlite_bag(folder: Path) -> Path:
    """An SQLite file of a ROS 2 bag."""
    import sqlite3

    (folder / "bag2").mkdir()
    path = folder / "bag2" / "bag_0.db3"
    with sqlite3.connect(path) as bag:
        bag.executescript(
            "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);"
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);"
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT, "
            "encoded_message_definition TEXT);"
        )
        bag.execute("INSERT INTO topics VALUES (1, '/oven', 'a/msg/Heat', 'cdr')")
        bag.execute("INSERT INTO message_definitions VALUES (1, 'a/msg/Heat', 'ros2msg', 'float32 celsius\n')")
        for row, x in enumerate(X):
            content = b"\0\1\0\0" + np.array([x], "<f4").tobytes()
            bag.execute("INSERT INTO messages VALUES (NULL, 1, ?, ?)", (row * SECOND // 10, content))
    return path


def bag_description(folder: Path) -> Path:
    """The description of a ROS 2 bag."""
    place = sqlite_bag(folder).parent / "metadata.yaml"
    place.write_text("rosbag2_bagfile_information:\n  version: 4\n  relative_file_paths:\n    - bag_0.db3\n")
    return place


def ros1_bag(folder: Path) -> Path:
    """A bag of ROS 1 with compressed chunks."""
    import bz2
    import struct

    import rosbags  # noqa: F401 - the test is skipped without it

    def record(fields: dict[bytes, bytes], data: bytes) -> bytes:
        parts = [name + b"=" + value for name, value in fields.items()]
        head = b"".join(struct.pack("<I", len(part)) + part for part in parts)
        return struct.pack("<I", len(head)) + head + struct.pack("<I", len(data)) + data

    zero = struct.pack("<I", 0)
    about = [b"topic=/oven", b"type=a/Heat", b"md5sum=*", b"message_definition=float64 celsius\n"]
    fields = b"".join(struct.pack("<I", len(part)) + part for part in about)
    chunk = record({b"op": b"\7", b"conn": zero, b"topic": b"/oven"}, fields)
    for row, x in enumerate(X):
        time = struct.pack("<II", row // 10, row % 10 * 10**8)
        chunk += record({b"op": b"\2", b"conn": zero, b"time": time}, struct.pack("<d", x))
    head = {b"op": b"\5", b"compression": b"bz2", b"size": struct.pack("<I", len(chunk))}
    path = folder / "old.bag"
    path.write_bytes(b"#ROSBAG V2.0\n" + record({b"op": b"\3"}, b" " * 16) + record(head, bz2.compress(chunk)))
    return path


def _lerobot(folder: Path) -> Path:
    place = folder / "set"
    (place / "meta").mkdir(parents=True)
    (place / "data").mkdir()
    features = {
        "observation.state": {"shape": [2], "names": ["x", "y"]},
        "action": {"shape": [1], "names": {"m": ["m"]}},
    }
    (place / "meta" / "info.json").write_text(json.dumps({"fps": 10, "features": features}))
    columns = {
        "observation.state": pa.array([[float(row), 1.0] for row in range(6)], pa.list_(pa.float32(), 2)),
        "action": pa.array([[0.5]] * 6, pa.list_(pa.float32())),
        "episode_index": np.zeros(6, np.int64),
        "timestamp": pa.array(np.arange(6) / 10, pa.float32()),
    }
    pq.write_table(pa.table(columns), place / "data" / "episode_000000.parquet")
    return place


def lerobot_rows(folder: Path) -> Path:
    """The rows of a LeRobot dataset."""
    return _lerobot(folder) / "data" / "episode_000000.parquet"


def lerobot_info(folder: Path) -> Path:
    """The description of a LeRobot dataset."""
    return _lerobot(folder) / "meta" / "info.json"


Builder = Callable[[Path], Path]
FORMATS: dict[str, tuple[Builder, str, dict[str, object]]] = {
    # Builder of the file that is damaged, its folder that is read instead ("" for the file), and options.
    "csv": (csv, "", {}),
    "csv with roles": (csv, "", {"actions": ["force"], "label": "count", "nominal": [0, 1], "missing": "previous"}),
    "csv.gz": (csv_gz, "", {}),
    "csv with dates": (dated_csv, "", {"time": "datetime"}),
    "text blocks": (blocks, "", {"label": "label", "nominal": "ok"}),
    "parquet": (parquet, "", {}),
    "parquet with roles": (parquet, "", {"label": "open", "episode": "run", "missing": "keep"}),
    "npy": (npy, "", {}),
    "npz": (npz, "", {}),
    "mcap, zstd": (mcap, "", {}),
    "mcap, lz4": (mcap_lz4, "", {}),
    "mcap, plain": (mcap_plain, "", {}),
    "bag": (bag, "..", {}),
    "hdf5, flat": (d4rl, "", {}),
    "hdf5, episodes": (robomimic, "", {}),
    "hdf5, names": (arrays_by_name, "", {"observations": "states", "actions": "torques"}),
    "sqlite bag": (sqlite_bag, "", {}),
    "bag, description": (bag_description, "..", {}),
    "ros 1 bag": (ros1_bag, "", {}),
    "lerobot, rows": (lerobot_rows, "../..", {}),
    "lerobot, info": (lerobot_info, "../..", {}),
}


def damaged(content: bytes, random_state: random.Random) -> bytes:
    """Return bytes with one kind of damage: flipped bits, a truncation, numbers out of range, or moved parts."""
    kind = random_state.choice(["bit", "bit", "bits", "cut", "number", "number", "zeros", "moved", "dropped", "text"])
    data, place = bytearray(content), random_state.randrange(len(content))
    if kind in ("bit", "bits"):
        for _ in range(1 if kind == "bit" else 8):
            data[random_state.randrange(len(data))] ^= 1 << random_state.randrange(8)
    elif kind == "cut":
        del data[place:]
    elif kind == "number":
        width = random_state.choice([1, 2, 4, 8])
        value = random_state.choice(EXTREMES) % 256**width
        data[place : place + width] = value.to_bytes(width, random_state.choice(["little", "big"]))
    elif kind == "zeros":
        data[place : place + 16] = bytes(16)
    elif kind == "moved":
        part = data[place : place + random_state.randrange(1, 64)]
        target = random_state.randrange(len(data))
        data[target : target + len(part)] = part
    elif kind == "dropped":
        del data[place : place + random_state.randrange(1, 64)]
    else:
        words = [b"nan", b"1e999", b"-", b"\0", b"\xff\xfe", b"9" * 400, b"[[[[", b"null", b"{}", b"\n\n", b",,,", b'"']
        data[place:place] = random_state.choice(words)
    return bytes(data)
