"""Sizes are taken from headers before anything is unpacked, and are limited; damaged headers are named."""

import gzip
import io
import json
import struct
import zipfile

import numpy as np
import pytest

from offnominal.core.errors import InvalidLog
from offnominal.datasets.logs import QuestionableLog, csv_log, episodes_from, read_mcap

SECOND = 10**9


def header(shape, kind="<f8"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return path


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    path = archive(tmp_path / "log.npz", x=header((10**6,)) + bytes(8 * 10**6), y=header((10**6,)) + bytes(8 * 10**6))
    assert path.stat().st_size < 10**5
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "0.01")
    with pytest.raises(InvalidLog, match=r"log.npz has .* GiB, and its arrays would take 0.0149 GiB .*limit is 0.01"):
        episodes_from(path)
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "0.1")
    assert episodes_from(path, keep="all").transitions == 10**6 - 1


def test_an_array_that_announces_more_than_it_has_is_damaged(tmp_path):
    (tmp_path / "log.npy").write_bytes(header((10**12, 2)) + bytes(800))
    with pytest.raises(InvalidLog, match=r"log.npy announces an array of shape \(1000000000000, 2\)"):
        episodes_from(tmp_path / "log.npy")
    with pytest.raises(InvalidLog, match=r"log.npz: 'x.npy' announces an array of shape \(1000000000000,\)"):
        episodes_from(archive(tmp_path / "log.npz", x=header((10**12,)) + bytes(800)))


@pytest.mark.parametrize(
    "content",
    [header((9,)).replace(b"'shape': (9,)", b"'shape': (9,("), header((9,)).replace(b"{", b"'"), header((9,), "|O")],
    ids=["unclosed bracket", "unclosed text", "objects"],
)
def test_a_damaged_header_is_named(content, tmp_path):
    (tmp_path / "log.npy").write_bytes(content + bytes(72))
    with pytest.raises(InvalidLog, match=r"log.npy cannot be read as arrays"):
        episodes_from(tmp_path / "log.npy")


def test_damaged_compressed_data_are_named(tmp_path):
    path = archive(tmp_path / "log.npz", x=header((1000,)) + np.random.default_rng(0).bytes(8000))
    content = bytearray(path.read_bytes())
    content[300:400] = bytes(100)
    path.write_bytes(content)
    with pytest.raises(InvalidLog, match=r"log.npz cannot be read as arrays"):
        episodes_from(path)


def test_a_header_that_is_too_long_is_named(tmp_path):
    names = ",".join(f"x{number}" for number in range(2**18))
    for name, write in (("log.csv", open), ("log.csv.gz", gzip.open)):
        with write(tmp_path / name, "wt") as file:
            file.write(names + "\n")
        with pytest.raises(InvalidLog, match=r"a first line of more than 1048576 characters; .* begins with 'x0,x1"):
            episodes_from(tmp_path / name)


def test_a_compressed_text_is_read_in_blocks_if_it_is_large(tmp_path, monkeypatch):
    path = tmp_path / "log.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("x\n" + "1.5\n" * 5000)
    monkeypatch.setattr(csv_log, "LARGE", 10**4)
    assert type(episodes_from(path, keep="x").parts[0].source).__name__ == "CsvRows"
    monkeypatch.setattr(csv_log, "LARGE", 10**6)
    assert type(episodes_from(path, keep="x").parts[0].source).__name__ == "TableRows"


def test_a_line_without_end_is_named(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    path.write_text("x,y\n1,2\n" + "1" * 5000)
    monkeypatch.setattr(csv_log, "LARGE", 1000)
    monkeypatch.setattr("offnominal.datasets.logs.csv_blocks.CHUNK", 100)
    monkeypatch.setattr("offnominal.datasets.logs.csv_blocks.LONGEST_LINE", 1000)
    with pytest.raises(InvalidLog, match="a line of more than 1000 bytes"):
        episodes_from(path)


def mcap(path, schema=b"{}", encoding="json", compression=None, messages=20, content=None, schema_name="Pump"):
    writer = pytest.importorskip("mcap.writer", reason="mcap is not installed")
    kind = writer.CompressionType[compression or "ZSTD"]
    with path.open("wb") as file:
        recorder = writer.Writer(file, compression=kind)
        recorder.start()
        text = recorder.register_schema("Pump", "jsonschema", b"{}")
        pump = recorder.register_channel("/pump", "json", text)
        other = recorder.register_schema(schema_name, "ros2msg" if encoding == "cdr" else "jsonschema", schema)
        second = recorder.register_channel("/other", encoding, other)
        for step in range(messages):
            data = json.dumps({"pressure": step / 2}).encode()
            recorder.add_message(pump, step * SECOND, data, step * SECOND)
            if content is not None:
                recorder.add_message(second, step * SECOND, content(step), step * SECOND)
        recorder.finish()
    return path


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"schema": b"int64 a\n---\nint64 sum\n", "encoding": "cdr", "schema_name": "a/srv/Add_Event"}, "its schema"),
        ({"encoding": "protobuf"}, "its messages are in 'protobuf'"),
        ({"schema": b"wstring name\n", "encoding": "cdr", "schema_name": "a/msg/Name"}, "it cannot be decoded"),
        ({"content": lambda step: json.dumps({"a": step} if step < 3 else {"b": 1}).encode()}, "message 3 has other"),
    ],
)
def test_topics_that_cannot_be_decoded_are_left_out_with_a_note(options, reason, tmp_path):
    path = mcap(tmp_path / "log.mcap", **{"content": lambda step: b"\0\1\0\0\2\0\0\0aa", **options})
    with pytest.warns(QuestionableLog, match=f"topics of .*log.mcap are left out. '/other': {reason}"):
        assert read_mcap(path).columns == ["time", "/pump.pressure"]
    assert read_mcap(path, topics=["/pump"]).columns == ["time", "/pump.pressure"]
    with pytest.raises(InvalidLog, match=f"topics that cannot be read. '/other': {reason}"):
        read_mcap(path, topics=["/other"])


@pytest.mark.parametrize("compression", ["ZSTD", "LZ4", "NONE"])
def test_a_chunk_that_announces_more_than_the_limit_is_refused(compression, tmp_path, monkeypatch):
    path = mcap(tmp_path / "log.mcap", compression=compression)
    assert len(episodes_from(path)[0]) == 19
    content = bytearray(path.read_bytes())
    chunk = 8 + 9 + struct.unpack_from("<Q", content, 9)[0]
    assert content[chunk] == 6, "the record after the header is a chunk"
    struct.pack_into("<Q", content, chunk + 9 + 16, 2**40)
    path.write_bytes(content)
    with pytest.raises(InvalidLog, match=f"the chunk at byte {chunk} would take 1.02e\\+03 GiB"):
        read_mcap(path)


def test_a_frame_that_announces_more_than_the_limit_is_refused(tmp_path, monkeypatch):
    path = mcap(tmp_path / "log.mcap", messages=20_000)
    content = bytearray(path.read_bytes())
    frame = content.index(b"\x28\xb5\x2f\xfd")
    chunk = content.index(b"\x06", 9)
    struct.pack_into("<Q", content, chunk + 9 + 16, 100)
    path.write_bytes(content)
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "0.0005")
    with pytest.raises(InvalidLog, match=r"the chunk at byte \d+ would take 0.00"):
        read_mcap(path)
    assert frame > chunk


def test_damaged_messages_of_an_mcap_file_are_found(tmp_path):
    path = mcap(tmp_path / "log.mcap", compression="NONE")
    content = path.read_bytes()
    path.write_bytes(content.replace(b'{"pressure": 4.5}', b'{"pressure": 4.7}'))
    with pytest.raises(InvalidLog, match="crc validation failed"):
        read_mcap(path)
    path.write_bytes(content[:-100])
    with pytest.raises(InvalidLog, match=r"log.mcap"):
        read_mcap(path)
