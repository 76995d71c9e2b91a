"""Tables of the catalogue: small ones made here, and the real ones where they are at hand."""

import dataclasses
import hashlib

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.datasets.sources import SourceFile
from offnominal.datasets.tables import load_table, split_table, table_entry, table_names
from offnominal.datasets.tables import loading as load

TEXTS = {"normal": "1 0.5\n2 0.25\n", "easy": "3 9\n", "medium": "4 8\n", "hard": "5 7\n"}


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    files = []
    for role, text in TEXTS.items():
        (tmp_path / f"{role}.txt").write_text(text, encoding="utf-8")
        files.append(SourceFile(role, f"{role}.txt", len(text), hashlib.sha256(text.encode()).hexdigest()))
    entry = dataclasses.replace(table_entry("glass"), dim=2, sources={"text": tuple(files)})
    monkeypatch.setattr(load, "table_entry", lambda name: entry)
    return tmp_path


def test_identifiers_are_dropped_unless_they_are_kept(small):
    assert load_table("glass").normal.tolist() == [[0.5], [0.25]]
    assert load_table("glass", drop_identifiers=False).normal.tolist() == [[1, 0.5], [2, 0.25]]


def test_easy_and_medium_anomalies_are_taken_unless_others_are_asked_for(small):
    assert load_table("glass").difficulty.tolist() == ["easy", "medium"]
    assert load_table("glass", difficulties=["hard"]).anomalous.tolist() == [[7.0]]
    with pytest.raises(InvalidParameter, match="impossible"):
        load_table("glass", difficulties=["impossible"])


def test_files_of_difficulties_that_are_not_used_may_be_missing(small):
    (small / "hard.txt").unlink()
    assert len(load_table("glass").anomalous) == 2
    with pytest.raises(MissingFile, match=r"place the file hard.txt"):
        load_table("glass", difficulties=["hard"])


def test_a_changed_file_is_refused(small):
    (small / "easy.txt").write_text("3 9.5\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"easy.txt has sha256"):
        load_table("glass")


def test_a_table_of_another_width_is_refused(small, monkeypatch):
    entry = dataclasses.replace(load.table_entry("glass"), dim=3)  # type: ignore[attr-defined]
    monkeypatch.setattr(load, "table_entry", lambda name: entry)
    with pytest.raises(DamagedFile, match="has 2 columns; expected 3"):
        load_table("glass")


def test_a_wrong_name_answers_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'statlog-shuttle'"):
        load_table("statlog-shutle")


def test_there_are_32_prepared_and_8_semantic_tables():
    families = [table_entry(name).family for name in table_names()]
    assert (families.count("prepared"), families.count("semantic")) == (32, 8)


PRESENT = [name for name in table_names() if table_entry(name).presence == "present"]


@pytest.mark.skipif(not PRESENT, reason="no public table is in the data home; `offnominal tables fetch` brings them")
@pytest.mark.parametrize("name", PRESENT)
def test_dimension_and_counts_after_the_split_are_those_of_table_1(name, public_data):
    entry = table_entry(name)
    table = load_table(name, drop_identifiers=False)
    parts = split_table(table, seed=1, normalise=None)
    anomalies = sum(int(part.anomalous.sum()) for part in (parts.validation, parts.test))
    normals = sum(int((~part.anomalous).sum()) for part in (parts.train, parts.validation, parts.test))
    assert (table.dim, normals, anomalies) == (entry.dim, entry.normal, entry.anomalous)
