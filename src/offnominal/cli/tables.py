"""`offnominal tables`: the public tables and image sets."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.markup import escape

from offnominal.cli.app import App
from offnominal.cli.output import AsJson, out, print_rows

tables = App(help="List, check and download public tables and image sets.")

Names = Annotated[list[str] | None, typer.Argument(help="Names of tables. Default: all that are present.")]


@tables.callback(invoke_without_command=True)
def list_tables(context: typer.Context, as_json: AsJson = False) -> None:
    """List, check and download public tables and image sets.

    The list says whether each is present, can be downloaded or must be placed by hand.

    Example: [bold]offnominal tables[/]
    """
    if context.invoked_subcommand is None:
        from offnominal.core.directories import find_data_home

        print_rows(f"Public sets in {find_data_home() or 'no data home'}", public_sets(), as_json)


@tables.command()
def check(names: Names = None, as_json: AsJson = False) -> None:
    """Check the quality of tables.

    Finds identifiers, constant columns, repeated rows, leaks, duplicates and too few rows.

    Example: [bold]offnominal tables check glass page-blocks[/]
    """
    from offnominal.datasets.tables import check_table, find_twins, load_table, table_entry, table_names

    chosen = names or [name for name in table_names() if table_entry(name).presence == "present"]
    loaded = [load_table(name, drop_identifiers=False) for name in chosen]
    found = [finding for table in loaded for finding in check_table(table)] + find_twins(loaded)
    rows = [{"table": each.table, "kind": each.kind, "finding": each.sentence} for each in found]
    if not as_json and not rows:
        out.print(f"[green]No findings in {len(loaded)} tables.[/]", highlight=False)
    else:
        print_rows(f"{len(rows)} findings in {len(loaded)} tables", rows, as_json)


@tables.command()
def fetch(names: Annotated[list[str], typer.Argument(help="Names of tables and image sets.")]) -> None:
    """Download tables and image sets, and verify their hashes.

    Example: [bold]offnominal tables fetch har mnist[/]
    """
    from offnominal.datasets.image_sets import image_set_entry, image_set_names
    from offnominal.datasets.sources import choose_source
    from offnominal.datasets.tables import table_entry
    from offnominal.datasets.tables.catalogue import USED

    for name in names:
        sources = image_set_entry(name).sources if name in image_set_names() else table_entry(name).needed(USED)
        files = choose_source(sources)[1]
        out.print(f"[green]{escape(name)}[/]  {len(files)} files verified.", highlight=False)


def public_sets() -> list[dict[str, Any]]:
    """Return a row per table and image set."""
    from offnominal.datasets.image_sets import image_set_entry, image_set_names
    from offnominal.datasets.tables import table_entry, table_names

    kept = [
        (each.name, each.family, each.dim, each.normal + each.anomalous, each.anomalous, each.presence)
        for each in map(table_entry, table_names())
    ]
    kept += [
        (each.name, "images", math.prod(each.shape), each.images, 0, each.presence)
        for each in map(image_set_entry, image_set_names())
    ]
    return [dict(zip(("name", "kind", "columns", "rows", "anomalous", "files"), row, strict=True)) for row in kept]
