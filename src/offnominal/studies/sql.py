"""Questions in SQL about tables in memory: they read these tables and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.core.errors import InvalidParameter, MissingDependency

LOCKED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
"""No variables of this process, no extensions, no files and no network, and no way to change that."""


def answer(query: str, tables: Mapping[str, Any]) -> Any:
    """Return the answer to a question as an Arrow table.

    Args:
        query: One SELECT, in the language of DuckDB.
        tables: Arrow tables or datasets by the name that the question calls them.

    Raises:
        InvalidParameter: It is no question, or cannot be answered.
        MissingDependency: DuckDB is not installed.
    """
    check_question(query)
    duckdb = _duckdb()
    try:
        with duckdb.connect() as connection:
            for name, table in tables.items():
                connection.register(name, table)
            for setting in LOCKED:
                connection.execute(setting)
            return connection.sql(query).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidParameter(f"the question cannot be answered: {error}") from None


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
