"""Questions about results end in time, whatever they ask."""

import subprocess
import sys

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter, QueryTimeout
from offnominal.studies import sql

pytest.importorskip("duckdb", reason="duckdb is not installed")

TABLES = {"results": pa.table({"key": ["a", "b"], "n": [1, 2]})}
ENDLESS = [
    "SELECT count(*) FROM range(100000000000) a, range(1000) b",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT sum(a.range * b.range) FROM range(1000000000) a, range(1000000000) b WHERE a.range + b.range < 0",
    "SELECT max(hash(a.n, b.range, c.range)) FROM results a, range(100000000) b, range(100000000) c",
]
ONE_CALL = "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))"
PATIENCE = 120.0
"""Seconds after which a process counts as hanging; long, because the machine may be busy."""


@pytest.mark.parametrize("query", ENDLESS)
def test_an_endless_question_is_a_named_error(query):
    with pytest.raises(QueryTimeout, match=r"longer than 0\.1 s; ask for less"):
        sql.answer(query, TABLES, timeout=0.1)


def test_an_answer_with_too_many_rows_is_a_named_error(monkeypatch):
    monkeypatch.setattr(sql, "MOST_ROWS", 1000)
    assert sql.answer("SELECT * FROM range(1000)", TABLES).num_rows == 1000
    with pytest.raises(InvalidParameter, match="more than 1,000 rows; ask for fewer"):
        sql.answer("SELECT * FROM range(100000000000)", TABLES)


def test_a_limited_answer_keeps_its_order_and_names_each_column():
    found = sql.answer("SELECT a.*, b.* FROM results a, results b ORDER BY a.n DESC, b.n", TABLES)
    assert found.column_names == ["key", "n", "key_1", "n_1"]
    assert found.column(1).to_pylist() == [2, 2, 1, 1]
    assert found.column(3).to_pylist() == [1, 2, 1, 2]


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), "1", None])
def test_a_wrong_limit_is_a_named_error(timeout):
    with pytest.raises(InvalidParameter, match="timeout"):
        sql.answer("SELECT 1", TABLES, timeout=timeout)


@pytest.mark.long
@pytest.mark.parametrize("query", [ENDLESS[0], ONE_CALL])
def test_the_command_ends_also_within_one_call_of_a_function(query, tmp_path):
    command = [sys.executable, "-m", "offnominal", "results", query, "--store", str(tmp_path), "--timeout", "0.1"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.startswith("QueryTimeout: the question takes longer than 0.1 s")
    assert "Traceback" not in done.stderr
