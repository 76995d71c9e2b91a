"""What is odd about a table."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, check_table, find_twins, load_table, table_entry


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def kinds(table):
    return [finding.kind for finding in check_table(table)]


def test_plain_numbers_have_no_findings(rng):
    assert kinds(Table("mine", rng.normal(size=(200, 3)), rng.normal(size=(30, 3)))) == []


def test_a_column_that_counts_the_rows_is_an_identifier(rng):
    rows = np.column_stack([np.arange(230), rng.normal(size=230)])
    assert kinds(Table("mine", rows[:200], rows[200:])) == ["identifier"]
    rows[:, 0] = rng.permutation(230)
    assert kinds(Table("mine", rows[:200], rows[200:])) == []


def test_a_constant_column_says_whom_it_gives_away(rng):
    normal, anomalous = rng.normal(size=(200, 2)), rng.normal(size=(30, 2))
    normal[:, 1], anomalous[:28, 1] = 1.0, 1.0
    finding = check_table(Table("mine", normal, anomalous))[0]
    assert finding.kind == "constant column"
    assert "1 column is constant in the normal rows (column 1); 2 of 30 anomalies differ" in finding.sentence


def test_repeated_rows_leak_from_training_into_test(rng):
    normal = np.repeat(rng.normal(size=(100, 2)), 2, axis=0)
    found = check_table(Table("mine", normal, rng.normal(size=(30, 2))))
    assert [finding.kind for finding in found] == ["duplicates", "leak"]
    assert "100 of 200 normal rows (50.0 %)" in found[0].sentence


def test_a_leak_is_counted_as_the_split_makes_it(rng):
    from offnominal.datasets.tables import split_table

    table = Table("mine", np.repeat(rng.normal(size=(100, 2)), 2, axis=0), rng.normal(size=(30, 2)))
    parts = split_table(table, 1, normalise=None)
    known = {tuple(row) for row in parts.train.points}
    leaked = sum(tuple(row) in known for row in parts.test.normal)
    assert f"{leaked} of 40 normal test rows" in check_table(table)[1].sentence


def test_anomalies_equal_to_normal_rows_are_counted_and_zero_has_no_sign(rng):
    normal, anomalous = rng.normal(size=(200, 2)), rng.normal(size=(30, 2))
    normal[5], anomalous[3] = [0.0, 1.0], [-0.0, 1.0]
    found = check_table(Table("mine", normal, anomalous))
    assert [finding.kind for finding in found] == ["same as normal"]
    assert "1 of 30" in found[0].sentence


def test_few_rows_are_reported(rng):
    assert kinds(Table("mine", rng.normal(size=(50, 2)), rng.normal(size=(1, 2)))) == ["few rows", "few rows"]


def test_twins_share_their_rows_whatever_is_normal(rng):
    rows = rng.normal(size=(100, 2))
    one, other = Table("one", rows[:60], rows[60:]), Table("other", rows[30:], rows[:30])
    strange = Table("strange", rng.normal(size=(60, 2)), rng.normal(size=(40, 2)))
    assert [finding.table for finding in find_twins([one, strange, other])] == ["one"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("glass",), "column 0 counts the rows"),
        (("page-blocks",), "20 of 384 anomalies are equal to a normal row"),
        (("ionosphere",), "column 0"),
        (("waveform-1", "waveform-2"), "waveform-1: 97 % of its rows are those of waveform-2"),
        (("isolet", "letter-recognition"), "isolet: 100 % of its rows are those of letter-recognition"),
    ],
)
def test_known_quirks_are_found(names, expected, public_data):
    if any(table_entry(name).presence != "present" for name in names):
        pytest.skip(f"{' and '.join(names)} not in the data home")
    tables = [load_table(name, drop_identifiers=False) for name in names]
    found = [*find_twins(tables), *(finding for table in tables for finding in check_table(table))]
    assert any(expected in str(finding) for finding in found)
