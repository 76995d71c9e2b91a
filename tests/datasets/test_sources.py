"""Public files: found, fetched, checked, or asked for."""

import hashlib

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.datasets.sources import SourceFile, choose_source, presence, read_sources

CONTENT = b"1 2\n3 4\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def place(file, content=CONTENT):
    file.local_path.parent.mkdir(parents=True, exist_ok=True)
    file.local_path.write_bytes(content)


def test_a_file_that_is_there_and_right_is_not_fetched(home):
    file = SourceFile("rows", "tabular/mine.txt", 8, DIGEST, "https://nowhere.invalid/mine.txt")
    place(file)
    assert file.fetch() == home / "tabular" / "mine.txt"


def test_another_copy_with_a_known_hash_is_accepted():
    other = b"1 2\r\n3 4\r\n"
    file = SourceFile("rows", "mine.txt", 8, DIGEST, also=(hashlib.sha256(other).hexdigest(),))
    place(file, other)
    assert file.fetch().read_bytes() == other


def test_a_wrong_file_is_named_with_both_hashes():
    file = SourceFile("rows", "mine.txt", 8, DIGEST)
    place(file, b"something else")
    with pytest.raises(DamagedFile, match=rf"{hashlib.sha256(b'something else').hexdigest()}.*{DIGEST}"):
        file.fetch()


def test_a_missing_file_without_an_address_is_asked_for(home):
    file = SourceFile("rows", "tabular/mine.txt", 8, DIGEST)
    with pytest.raises(MissingFile, match=rf"place the file mine.txt \(sha256 {DIGEST}\) at {home}/tabular/mine.txt"):
        file.fetch()


def test_a_missing_file_is_downloaded(tmp_path):
    source = tmp_path / "elsewhere.txt"
    source.write_bytes(CONTENT)
    file = SourceFile("rows", "tabular/mine.txt", 8, DIGEST, source.as_uri())
    assert file.fetch().read_bytes() == CONTENT


def test_without_a_network_the_address_is_in_the_error(tmp_path):
    file = SourceFile("rows", "mine.txt", 8, DIGEST, (tmp_path / "gone.txt").as_uri())
    with pytest.raises(MissingFile, match=r"from file://.*gone.txt.*could not be downloaded"):
        file.fetch()


def test_the_first_complete_way_is_taken():
    text, packed = SourceFile("rows", "a.txt", 8, DIGEST), SourceFile("packed", "b.npz", 8, DIGEST)
    sources = {"text": (text,), "packed": (packed,)}
    assert presence(sources) == "by hand"
    place(packed)
    assert presence(sources) == "present"
    assert choose_source(sources) == ("packed", {"packed": packed.local_path})
    place(text)
    assert choose_source(sources)[0] == "text"


def test_another_source_is_fetched_if_the_first_is_not_there(tmp_path):
    there = tmp_path / "there.txt"
    there.write_bytes(CONTENT)
    first = SourceFile("rows", "first.txt", 8, DIGEST, (tmp_path / "gone.txt").as_uri())
    second = SourceFile("rows", "second.txt", 8, DIGEST, there.as_uri())
    assert choose_source({"first": (first,), "second": (second,)}) == ("second", {"rows": second.local_path})
    with pytest.raises(MissingFile, match=r"first\.txt"):
        choose_source({"first": (first,), "other": (SourceFile("rows", "by-hand.txt", 8, DIGEST),)})


def test_a_set_with_an_address_can_be_downloaded():
    assert presence({"text": (SourceFile("rows", "a.txt", 8, DIGEST, "https://nowhere.invalid/a.txt"),)}) == "download"


@pytest.mark.parametrize("package", ["offnominal.datasets.tables", "offnominal.datasets.image_sets"])
def test_listed_files_have_one_place_and_a_whole_hash(package):
    files = [file for sources in read_sources(package).values() for needed in sources.values() for file in needed]
    hashes = {}
    for file in files:
        assert hashes.setdefault(file.path, file.sha256) == file.sha256
        assert not file.path.startswith("/")
        assert all(len(each) == 64 for each in (file.sha256, *file.also) if each)
        assert file.url or file.role == "packed"
