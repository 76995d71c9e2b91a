"""`offnominal backbones`: the published weights of image networks."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from offnominal.cli.app import App
from offnominal.cli.output import AsJson, out, print_rows

backbones = App(help="List and download the published weights of image networks.")


@backbones.callback(invoke_without_command=True)
def list_backbones(context: typer.Context, as_json: AsJson = False) -> None:
    """List and download the published weights of image networks.

    The list says whether each file is in the data home, its size, hash and licence.

    Example: [bold]offnominal backbones[/]
    """
    if context.invoked_subcommand is None:
        from offnominal.core.directories import find_data_home

        rows = backbone_rows()
        shown = rows if as_json else [{name: row[name] for name in list(row)[:5]} for row in rows]
        print_rows(f"Published weights in {find_data_home() or 'no data home'}", shown, as_json)


@backbones.command()
def fetch(names: Annotated[list[str], typer.Argument(help="Names of backbones.")]) -> None:
    """Download the weights of backbones, and verify their hashes.

    Example: [bold]offnominal backbones fetch efficientnet_lite0[/]
    """
    from offnominal.core.errors import UnknownName, did_you_mean
    from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS

    for name in names:
        if name not in PUBLISHED_WEIGHTS:
            raise UnknownName(
                f"no published weights of {name!r}.{did_you_mean(name, PUBLISHED_WEIGHTS)} "
                f"There are {', '.join(PUBLISHED_WEIGHTS)}."
            )
    for name in names:
        file = PUBLISHED_WEIGHTS[name].fetch()
        out.print(f"[green]{escape(name)}[/]  {escape(str(file))} verified.", highlight=False, soft_wrap=True)


def backbone_rows() -> list[dict[str, Any]]:
    """Return a row per backbone with published weights."""
    from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS

    return [
        {
            "name": name,
            "file": "present" if each.is_present else "downloadable",
            "bytes": each.size,
            "SHA-256": each.sha256,
            "licence": each.licence,
            "file name": each.file,
            "inside": each.member,
            "address": each.url,
        }
        for name, each in PUBLISHED_WEIGHTS.items()
    ]
