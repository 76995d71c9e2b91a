"""Output that the commands share: tables for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

WIDEST = 10_000
"""Width of a console on which every table fits."""
out = Console()
errors = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def print_text(line: str) -> None:
    """Print a line as plain text: names and paths of the user are not read as markup."""
    out.print(line, markup=False, soft_wrap=True)


def print_sentence(line: str) -> None:
    """Print a sentence as plain text, wrapped at words."""
    from offnominal.core.printable import printable

    out.print(printable(line), highlight=False, markup=False)


def print_note(line: str) -> None:
    """Print a line about the progress of a command on standard error."""
    errors.print(f"[yellow]{escape(line)}[/]", highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print(json.dumps(data, indent=2))


def print_whole(table: Any) -> None:
    """Print a table with all its columns, also where the terminal is narrower than they are."""
    needed = _needed_width(table)
    (out if needed <= out.width else Console(width=needed)).print(table)


def _needed_width(table: Any) -> int:
    """Return the smallest width at which no word of a table is broken."""
    return Console(width=WIDEST).measure(table).minimum


def print_rows(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print rows as a table with a title, or as JSON."""
    if as_json:
        print_json(rows)
    else:
        print_table(title, rows)


def print_table(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table; where a terminal is too narrow for the last columns, they are named below it instead."""
    from offnominal.reports.tables import terminal_table

    shown, left_out = list(rows[0]) if rows else [], list[str]()
    while True:
        table = terminal_table(title, [{name: row[name] for name in shown} for row in rows])
        if len(shown) < 2 or not out.is_terminal or _needed_width(table) <= out.width:
            break
        left_out.insert(0, shown.pop())
    print_whole(table)
    if left_out:
        print_sentence(
            f"{len(left_out)} more {'column needs' if len(left_out) == 1 else 'columns need'} a wider terminal, or "
            f"--json: {', '.join(left_out)}."
        )
