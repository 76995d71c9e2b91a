"""Whole files: atomic writes, hashes and named errors."""

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from offnominal.core import files
from offnominal.core.errors import DamagedFile, InaccessibleFile, MissingFile
from offnominal.core.files import (
    file_errors,
    locked,
    parse_json,
    read_json,
    read_text,
    sha256_of,
    write_bytes,
    write_json,
)


@pytest.mark.parametrize("staged", [True, False])
def test_an_interrupted_writer_leaves_the_old_file(tmp_path, monkeypatch, staged):
    path, staging = tmp_path / "note.json", tmp_path / "staging" if staged else None
    write_json(path, {"number": 1}, staging=staging)

    def die(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", die)  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        write_json(path, {"number": 2}, staging=staging)
    assert read_json(path) == {"number": 1}
    assert [found.name for found in tmp_path.rglob("*") if found.is_file()] == ["note.json"]


def test_a_device_or_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(pipe, b"weights")
    assert os.read(reader, 100) == b"weights"
    os.close(reader)
    assert pipe.is_fifo()
    write_bytes(Path(os.devnull), b"weights")
    assert Path(os.devnull).is_char_device()
    with pytest.raises(InaccessibleFile, match="no space left"):
        write_bytes(Path("/dev/full"), b"weights")
    assert Path("/dev/full").is_char_device()


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)  # type: ignore[attr-defined]
    with pytest.raises(InaccessibleFile, match=r"no space left on device; free some space"):
        write_bytes(tmp_path / "weights.bin", b"weights")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a" * 300, "file name too long; choose a shorter path"),
        ("file/below", "a file of that name is in the way"),
        ("nul\0", "path"),
    ],
)
def test_an_impossible_path_is_named(tmp_path, name, problem):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InaccessibleFile, match=problem):
        write_bytes(tmp_path / name, b"content")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path):
    (tmp_path / "secret").write_bytes(b"")
    (tmp_path / "secret").chmod(0)
    with pytest.raises(InaccessibleFile, match="check its permissions"):
        read_text(tmp_path / "secret")


def test_errors_of_this_package_pass_through():
    with pytest.raises(DamagedFile, match="as it was"), file_errors("x"):
        raise DamagedFile("as it was")


def test_a_missing_or_wrong_file_is_named(tmp_path):
    with pytest.raises(MissingFile):
        read_json(tmp_path / "none.json")
    with pytest.raises(InaccessibleFile):
        read_json(tmp_path)
    bad = tmp_path / "bad.json"
    for content, problem in ((b"{", "not valid JSON"), (b"[1]", "contains a list"), (b"\xff{}", "not text in UTF-8")):
        bad.write_bytes(content)
        with pytest.raises(DamagedFile, match=problem):
            read_json(bad)
    with pytest.raises(DamagedFile, match="nested too deeply"):
        parse_json("[" * 100_000, "deep")


def test_a_file_its_bytes_and_its_text_have_one_hash(tmp_path):
    (tmp_path / "text").write_bytes(b"text")
    assert sha256_of(tmp_path / "text") == sha256_of(b"text") == sha256_of("text")


def test_a_lock_lets_one_process_compute_and_ends_with_it(tmp_path):
    path = tmp_path / "new" / "scores.npz"
    script = (
        "import sys, time, pathlib; from offnominal.core.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1])): print('in', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "in\n"
    with path.with_name("scores.npz.lock").open("a") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    holder.kill()
    holder.wait(timeout=10)
    holder.stdout.close()
    with locked(path):
        pass
