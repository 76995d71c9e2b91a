"""`offnominal serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offnominal.cli.app import SERVE, App
from offnominal.cli.options import count_option
from offnominal.cli.output import print_note, print_text
from offnominal.core.directories import find_data_home
from offnominal.core.errors import MissingDependency
from offnominal.core.progress_bar import progress

serving = App(SERVE)


@serving.command()
def serve(
    port: Annotated[int, count_option("Port; 0 for any free one.", least=0, most=65535)] = 8000,
    host: Annotated[str, typer.Option(help="Address to bind to; any but a loopback address demands a token.")] = (
        "127.0.0.1"
    ),
    token: Annotated[str, typer.Option(help="What a client must present.")] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name of this server, such as that of a proxy; can be repeated."),
    ] = None,
    runs: Annotated[Path, typer.Option(file_okay=False, help="Folder whose subfolders are runs.")] = Path("runs"),
    store: Annotated[Path | None, typer.Option(help="Result store of the runs, if it was moved.")] = None,
    export: Annotated[
        Path | None,
        typer.Option(file_okay=False, metavar="FOLDER", help="Write the pages as files into this folder instead."),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
) -> None:
    """Show runs in the browser, and monitor a policy live.

    Pages: leaderboard, comparison of detectors, faults, replay, live monitor. Ctrl-C ends it.
    With --export the same pages, but no replay and no live monitor, become files that work from disk and on any host.

    Example: [bold]offnominal serve --port 8080[/]
    """
    try:
        from offnominal.web.export import export_pages
        from offnominal.web.server import serve as start
        from offnominal.web.settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "websockets"):
            raise
        raise MissingDependency(f'serve needs {error.name}; install it with `pip install "offnominal[web]"`.') from None
    home = find_data_home()
    settings = Settings(
        cache=home and home / "web",
        runs=runs,
        store=store,
        host=host,
        port=port,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
    )
    if export is not None:
        with progress("Writing pages") as tick:
            written = export_pages(settings, export, tick=lambda path: tick(note=path))
        print_text(f"{written.pages:,} files, {written.bytes / 2**20:.1f} MB: {export / 'index.html'}")
        if written.left_out:
            print_note(f"{len(written.left_out)} files were left out, such as {next(iter(written.left_out))}.")
        return
    start(
        settings,
        announce=lambda address: print_text(f"Serving {runs} at {address} (Ctrl-C ends it)."),
        browser=not no_open,
    )
