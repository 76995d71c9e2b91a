"""Files from elsewhere: whole and right, or not there at all."""

import hashlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from offnominal.core.download import fetch_file, sha256_of  # type: ignore[attr-defined]
from offnominal.core.errors import DamagedFile, MissingFile

pytestmark = pytest.mark.long

CONTENT = bytes(range(256)) * 5000
HASH = hashlib.sha256(CONTENT).hexdigest()


@contextmanager
def served(body, *, promised=None, status=200):
    """A server that answers every request with this body, and promises so many bytes."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(promised or len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/weights.bin", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("known", [HASH, HASH[:8], ""])
def test_a_file_is_downloaded_once(tmp_path, known):
    with served(CONTENT) as (url, asked):
        file = fetch_file(url, tmp_path / "kept", sha256=known)
        assert file == tmp_path / "kept" / "weights.bin"
        assert file.read_bytes() == CONTENT
        assert fetch_file(url, tmp_path / "kept", sha256=known) == file
        assert asked == ["/weights.bin"]


def test_it_is_called_as_wanted_and_needs_no_network_later(tmp_path):
    with served(CONTENT) as (url, _):
        fetch_file(url, tmp_path, name="mine.bin", sha256=HASH)
    assert fetch_file(url, tmp_path, name="mine.bin", sha256=HASH).name == "mine.bin"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.bin", "mine.bin.sha256"]


def test_a_file_with_another_hash_is_not_kept(tmp_path):
    with served(CONTENT[:-1] + b"x") as (url, _), pytest.raises(DamagedFile, match="not kept"):
        fetch_file(url, tmp_path, sha256=HASH[:8])
    assert list(tmp_path.iterdir()) == []


def test_a_broken_download_leaves_nothing_and_can_be_repeated(tmp_path):
    with served(CONTENT[:100_000], promised=len(CONTENT)) as (url, _), pytest.raises(MissingFile, match="100,000"):
        fetch_file(url, tmp_path)
    assert list(tmp_path.iterdir()) == []
    with served(CONTENT) as (url, _):
        assert fetch_file(url, tmp_path).read_bytes() == CONTENT


def test_a_failed_download_leaves_no_empty_folders_of_its_own(tmp_path):
    (tmp_path / "kept").mkdir()
    with served(b"", status=404) as (url, _):
        for folder in (tmp_path / "home" / "weights" / "new", tmp_path / "kept"):
            with pytest.raises(MissingFile):
                fetch_file(url, folder)
    assert [folder.name for folder in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("status", [404, 503])
def test_a_refusal_is_named(tmp_path, status):
    with served(b"", status=status) as (url, _), pytest.raises(MissingFile, match="could not be downloaded"):
        fetch_file(url, tmp_path)


def test_without_a_network_the_error_says_where_to_put_the_file(tmp_path):
    with served(b"") as (url, _):
        pass
    with pytest.raises(MissingFile) as raised:
        fetch_file(url, tmp_path / "weights", name="mine.bin")
    for part in (url, "mine.bin", str(tmp_path / "weights")):
        assert part in str(raised.value)


def test_a_file_put_there_by_hand_is_taken_if_it_is_the_right_one(tmp_path):
    (tmp_path / "weights.bin").write_bytes(CONTENT)
    assert fetch_file("http://127.0.0.1:9/weights.bin", tmp_path, sha256=HASH).exists()
    (tmp_path / "other.bin").write_bytes(b"other")
    with pytest.raises(DamagedFile, match="published hash"):
        fetch_file("http://127.0.0.1:9/other.bin", tmp_path, sha256=HASH)


def test_where_no_hash_is_known_the_first_download_is_remembered(tmp_path):
    source = tmp_path / "source.bin"
    source.write_bytes(CONTENT)
    file = fetch_file(source.as_uri(), tmp_path / "kept")
    assert (tmp_path / "kept" / "source.bin.sha256").read_text().strip() == HASH == sha256_of(file)
    file.write_bytes(b"changed")
    with pytest.raises(DamagedFile, match=r"source\.bin\.sha256 says"):
        fetch_file(source.as_uri(), tmp_path / "kept")
