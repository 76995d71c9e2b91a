"""The description of one object on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.cli.output import out, print_json, print_rows, print_sentence, print_text

if TYPE_CHECKING:
    from offnominal.reports.descriptions import Description


def print_description(found: Description, as_json: bool) -> None:
    """Print a description: name and summary, text, facts, tables and the address of the documentation."""
    from rich.table import Table
    from rich.text import Text

    from offnominal.core.printable import printable
    from offnominal.reports.tables import text

    if as_json:
        print_json(found.to_dict())
        return
    out.print(Text.assemble((printable(found.name), "bold"), f": {printable(found.summary)}" if found.summary else ""))
    if found.text:
        out.print()
        print_sentence(found.text)
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in found.facts.items():
        if value is not None:
            facts.add_row(name, Text(printable(text(value))))
    if facts.row_count:
        out.print()
        out.print(facts)
    for title, rows in found.tables.items():
        if rows:
            out.print()
            print_rows(title.capitalize(), rows, False)
    if found.documentation:
        print_text(f"Documentation: {found.documentation}")
