"""Questions in SQL about tables in memory: they read these tables and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import Any

from offnominal.core.checks import number_in
from offnominal.core.errors import InvalidParameter, MissingDependency, QueryTimeout

TIMEOUT, LONGEST = 60.0, 86_400.0
"""Seconds that a question may take, and the largest number of them that can be chosen."""
MOST_ROWS = 10_000_000
"""Largest number of rows of an answer."""

LOCKED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""No variables of this process, no extensions, no files and no network, and no way to change that."""


def answer(query: str, tables: Mapping[str, Any], *, timeout: float = TIMEOUT) -> Any:
    """Return the answer to a question as an Arrow table.

    Args:
        query: One SELECT, in the language of DuckDB.
        tables: Arrow tables or datasets by the name that the question calls them.
        timeout: Seconds that it may take. DuckDB stops between its operations: one call of a function on a very long
            text ends first.

    Raises:
        InvalidParameter: It is no question, cannot be answered, or the answer has too many rows.
        QueryTimeout: It takes longer.
        MissingDependency: DuckDB is not installed.
    """
    number_in("timeout", timeout, 0.0, LONGEST, open_low=True)
    check_question(query)
    duckdb = _duckdb()
    try:
        with duckdb.connect() as connection, _stopped_after(connection, timeout):
            for name, table in tables.items():
                connection.register(name, table)
            for setting in LOCKED:
                connection.execute(setting)
            found = connection.sql(query).limit(MOST_ROWS + 1).to_arrow_table()
    except duckdb.InterruptException:
        raise too_slow(timeout) from None
    except duckdb.Error as error:
        raise InvalidParameter(f"the question cannot be answered: {error}") from None
    if found.num_rows > MOST_ROWS:
        raise InvalidParameter(f"the answer has more than {MOST_ROWS:,} rows; ask for fewer, such as by `LIMIT 100`.")
    return found


def too_slow(timeout: float) -> QueryTimeout:
    """Return the error of a question that takes longer than it may."""
    return QueryTimeout(f"the question takes longer than {timeout:g} s; ask for less, or allow more by `timeout`.")


@contextmanager
def _stopped_after(connection: Any, seconds: float) -> Iterator[None]:
    timer = Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def check_question(query: str) -> None:
    """Raise an error unless a question is one SELECT, before anything is read for it."""
    duckdb = _duckdb()
    try:
        _check_is_question(duckdb, query)
    except (duckdb.Error, TypeError) as error:
        # DuckDB takes what cannot be encoded for something else than a text.
        raise InvalidParameter(f"the question cannot be answered: {error}") from None


def _check_is_question(duckdb: Any, query: str) -> None:
    kinds = [statement.type.name for statement in duckdb.extract_statements(query)]
    if kinds != ["SELECT"]:
        given = "empty" if not kinds else f"a {kinds[0]} statement" if len(kinds) == 1 else f"{len(kinds)} statements"
        raise InvalidParameter(f"the question is {given}; expected one SELECT, because results are only read.")


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependency('questions need DuckDB; install it with `pip install "offnominal[results]"`.') from None
    return duckdb
