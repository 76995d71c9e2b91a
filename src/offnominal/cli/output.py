"""Output that the commands share: tables for people, JSON for programs."""

from __future__ import annotations

import json
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
    needed = Console(width=WIDEST).measure(table).minimum
    (out if needed <= out.width else Console(width=needed)).print(table)


def print_rows(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print rows as a table with a title, or as JSON."""
    from offnominal.reports.tables import terminal_table

    if as_json:
        print_json(rows)
    else:
        out.print(terminal_table(title, rows))
