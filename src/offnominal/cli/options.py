"""Arguments and options that many commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

MOST = 10**9
MOST_AT_ONCE = 1024
LARGEST_SEED = 2**62
STORE = Path("runs/store")


def number_option(meaning: str, *names: str, least: float | None = None, most: float | None = None) -> Any:
    """Return an option for a number.

    Args:
        meaning: Help text.
        names: Names of the option; by default that of the argument.
        least: Smallest allowed value.
        most: Largest allowed value.
    """
    return typer.Option(*names, metavar="X", callback=_within(least, most), help=meaning)


def count_option(meaning: str, *names: str, least: int = 1, most: int = MOST) -> Any:
    """Return an option for an integer.

    Args:
        meaning: Help text.
        names: Names of the option; by default that of the argument.
        least: Smallest allowed value.
        most: Largest allowed value; a computation beyond it would not end.
    """
    return typer.Option(*names, metavar="N", callback=_within(least, most), help=meaning)


def seed_option(meaning: str) -> Any:
    """Return an option for a seed: a 64-bit integer, with room for the seeds of the episodes that follow."""
    return count_option(meaning, least=0, most=LARGEST_SEED)


def file_option(meaning: str, name: str = "--out") -> Any:
    """Return the option ``--out`` for a file; a folder is refused before anything is computed."""
    return typer.Option(name, metavar="FILE", dir_okay=False, help=meaning)


def folder_option(meaning: str, name: str = "--out") -> Any:
    """Return the option ``--out`` for a folder; a file is refused before anything is computed."""
    return typer.Option(name, metavar="FOLDER", file_okay=False, help=meaning)


def _within(least: float | None, most: float | None) -> Callable[[Any], Any]:
    """Return a function that checks a number, or each number of a list, and returns it."""

    def check(value: Any) -> Any:
        from offnominal.core.printable import shown

        for number in value if isinstance(value, list | tuple) else [value]:
            if number is None:
                continue
            if least is not None and not number >= least:
                raise typer.BadParameter(f"{shown(number)} is smaller than {least:g}.")
            if most is not None and not number <= most:
                raise typer.BadParameter(f"{shown(number)} is larger than {most:g}.")
        return value

    return check


Workers = Annotated[int | None, count_option("Parallel processes. Default: one per processor.", most=MOST_AT_ONCE)]
StoreFolder = Annotated[Path, folder_option("Folder of the result store.", "--store")]
MovedStore = Annotated[Path | None, folder_option("Result store of the run, if it was moved.", "--store")]
Ray = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address of a Ray cluster to run on, or auto.")]
Worlds = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Only these worlds of the study, such as 'URM*'; can be repeated."),
]
AllowModule = Annotated[
    list[str] | None,
    typer.Option(metavar="PACKAGE", help="Allow the file to name classes of this package; can be repeated."),
]
ShowAll = Annotated[bool, typer.Option("--all", help="Also show untrained baselines.")]
