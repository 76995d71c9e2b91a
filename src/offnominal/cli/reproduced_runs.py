"""The results that tables and figures of papers are compared with: from the store, or computed now."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offnominal.cli.options import STORE
from offnominal.cli.output import print_note

if TYPE_CHECKING:
    from offnominal.papers.reproduction import Reproduction, StudyRun
    from offnominal.studies.results import RunResults


def runs_to_compute(found: Sequence[Reproduction]) -> list[StudyRun]:
    """Return the runs that give numbers for some table or figure; what gets none is printed.

    Args:
        found: Tables and figures with their runs.

    Raises:
        InvalidParameter: There are runs, but none gives a number.
    """
    from offnominal.core.errors import InvalidParameter
    from offnominal.papers.reproduction import fillable_runs

    runs, without = fillable_runs(found)
    if without and not runs:
        raise InvalidParameter(f"nothing is computed. {' '.join(without)}")
    for line in without:
        print_note(line)
    return runs


def computed_run(chosen: StudyRun, **options: Any) -> RunResults:
    """Run the study of a table or figure, and return its results."""
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.runs import open_run
    from offnominal.studies.runs import run as go

    folder, _ = go(load_study(chosen.study), chosen.scale, worlds=chosen.worlds, **options)
    return open_run(folder)


def stored_results(chosen: StudyRun, store: Path) -> tuple[RunResults, list[str]]:
    """Return the results in the store, and what is missing or outdated, with the command that computes it."""
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.stored_runs import stored_run

    found = stored_run(load_study(chosen.study), chosen.scale, store=store, worlds=chosen.worlds)
    words = ["offnominal", "run", chosen.study, "--scale", chosen.scale]
    words += [word for world in chosen.worlds or () for word in ("--worlds", world)]
    words += [] if store == STORE else ["--store", str(store)]
    line = f"Ours: {found.state}; `{shlex.join(words)}` computes them, as --run does here."
    return found.results, [line] if found.state else []
