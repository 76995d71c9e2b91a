"""A flipped bit or a cut of any small file is noticed when it is read, or changes no bit of what was read."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from offnominal.core.errors import OffnominalError

from .small_files import KINDS

SAMPLE = 150
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::offnominal.core.checksum.NoChecksum")]


@pytest.fixture
def folder():
    """A folder in memory where there is one: each of some 10,000 files is written and read."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def damages(content):
    """Yield the name of every single-bit flip and of every cut of some bytes, and what they make of them."""
    for place in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        yield f"bit {place % 8} of byte {place // 8}", bytes(damaged)
    for length in range(len(content)):
        yield f"cut to {length} bytes", content[:length]


def silent(kind, folder, sample=None):
    """Return how many damaged copies of a file were tried, and those that are read as something else."""
    make, read, content_of = KINDS[kind]
    path = make(folder)
    before = content_of(read(path))
    tried = list(damages(path.read_bytes()))
    if sample is not None:
        tried = random.Random(sample).sample(tried, min(SAMPLE, len(tried)))
    found = []
    for name, damaged in tried:
        path.write_bytes(damaged)
        try:
            after = content_of(read(path))
        except OffnominalError:
            continue
        if repr(after) != repr(before):
            found.append(name)
    return len(tried), found


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_flipped_bits_and_cuts_is_noticed_or_harmless(kind, folder):
    tried, found = silent(kind, folder, sample=45)
    assert tried == SAMPLE
    assert not found


@pytest.mark.hostile
@pytest.mark.parametrize("kind", KINDS)
def test_every_flipped_bit_and_every_cut_is_noticed_or_harmless(kind, folder, count_cases):
    tried, found = silent(kind, folder)
    count_cases(tried, len(found))
    assert tried > 1000
    assert not found


def test_the_test_notices_a_reader_that_checks_nothing(folder, monkeypatch):
    def make(folder):
        (folder / "note.txt").write_text("0.5\n" * 99)
        return folder / "note.txt"

    monkeypatch.setitem(KINDS, "note", (make, lambda path: path.read_bytes(), bytes))
    tried, found = silent("note", folder, sample=45)
    assert len(found) == tried
