"""Small files with a checksum: every flipped bit is noticed or harmless, and files without one are named."""

import json

import pytest

from offnominal.core.checksum import (
    NoChecksum,
    read_checked_json,
    read_checked_text,
    with_checksum,
    write_checked_json,
    write_checked_text,
)
from offnominal.core.errors import DamagedFile
from offnominal.core.files import write_json

DATA = {"seed": 3, "levels": [0.05, 1.0, -0.0], "name": "über", "inside": {"a": None, "b": True, "10": 1, "9": 2}}


def flips(content):
    """Yield all copies of some bytes with one flipped bit."""
    for place in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        yield bytes(damaged)


def test_entries_are_read_back_equal(tmp_path):
    write_checked_json(tmp_path / "card.json", DATA)
    assert read_checked_json(tmp_path / "card.json") == DATA
    write_checked_json(tmp_path / "card.json", {7: 1, 10: (2, 3)})
    assert read_checked_json(tmp_path / "card.json") == {"7": 1, "10": [2, 3]}


def test_order_and_white_space_of_an_object_do_not_matter(tmp_path):
    path = tmp_path / "card.json"
    path.write_text(json.dumps(dict(reversed(with_checksum(DATA).items())), indent=7))
    assert read_checked_json(path) == DATA


@pytest.mark.long
def test_every_flipped_bit_of_an_object_is_noticed_or_harmless(tmp_path):
    path = tmp_path / "card.json"
    write_checked_json(path, DATA)
    harmless = 0
    for damaged in flips(path.read_bytes()):
        path.write_bytes(damaged)
        try:
            found = read_checked_json(path)
        except DamagedFile:
            continue
        harmless += 1
        assert repr(found) == repr(DATA)
    assert harmless < 10


def test_every_flipped_bit_of_a_table_is_noticed(tmp_path):
    path = tmp_path / "table.csv"
    write_checked_text(path, "a,b\n1,0.5\n2,0.25\n")
    for damaged in flips(path.read_bytes()):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile):
            read_checked_text(path, str)


def test_a_table_that_was_cut_off_is_noticed(tmp_path):
    path = tmp_path / "table.csv"
    write_checked_text(path, "a,b\n1,2\n3,4\n")
    whole = path.read_text()
    for length in range(1, len(whole)):
        path.write_text(whole[:length])
        with pytest.raises(DamagedFile, match="remove this line if the change is intended"):
            read_checked_text(path, str)


def test_a_changed_value_is_named_with_what_to_do(tmp_path):
    path = tmp_path / "card.json"
    write_json(path, {**with_checksum(DATA), "seed": 4})
    with pytest.raises(DamagedFile, match=r"card.json was changed: .* remove the entry 'checksum' if the change"):
        read_checked_json(path)


@pytest.mark.parametrize("checksum", [None, 3, "", "0" * 64, ["0"]])
def test_no_other_checksum_is_accepted(tmp_path, checksum):
    write_json(tmp_path / "card.json", {**DATA, "checksum": checksum})
    with pytest.raises(DamagedFile, match="was changed"):
        read_checked_json(tmp_path / "card.json")


def test_files_without_a_checksum_are_read_with_a_warning(tmp_path):
    write_json(tmp_path / "card.json", DATA)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.warns(NoChecksum, match="card.json has no checksum"):
        assert read_checked_json(tmp_path / "card.json") == DATA
    with pytest.warns(NoChecksum, match="table.csv has no checksum"):
        assert read_checked_text(tmp_path / "table.csv", str) == "a,b\n1,2\n"


def test_an_object_nested_too_deeply_is_damage(tmp_path):
    path = tmp_path / "card.json"
    path.write_text('{"checksum": "0", "a": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(DamagedFile, match="nested too deeply"):
        read_checked_json(path)
