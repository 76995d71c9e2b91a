"""Runs of studies that are computed for tables and figures of papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.papers.reproduction import Reproduction, StudyRun, fillable_runs
from offnominal.studies.results import RunResults
from offnominal.studies.runs import open_run, run


def computed_runs(
    found: Sequence[Reproduction], *, note: Callable[[str], None], **options: Any
) -> dict[StudyRun | None, RunResults]:
    """Compute the missing results of tables and figures; return the results of each run, without rows for no run.

    Args:
        found: Tables and figures with their runs.
        note: Gets, before anything is computed, a sentence about each table that gets no number.
        **options: Options of :func:`~offnominal.studies.run`.

    Raises:
        InvalidParameter: Results are to be computed, but no run gives a number.
    """
    results: dict[StudyRun | None, RunResults] = {
        each.run: replace(RunResults.none(), name=each.run.study if each.run else "") for each in found
    }
    return results | {chosen: computed_run(chosen, **options) for chosen in runs_to_compute(found, note)}


def runs_to_compute(found: Sequence[Reproduction], note: Callable[[str], None]) -> list[StudyRun]:
    """Return the runs that give numbers for some table or figure.

    Args:
        found: Tables and figures with their runs.
        note: Gets a sentence about each table that gets no number.

    Raises:
        InvalidParameter: There are runs, but none gives a number.
    """
    runs, without = fillable_runs(found)
    if without and not runs:
        raise InvalidParameter(f"nothing is computed. {' '.join(without)}")
    for line in without:
        note(line)
    return runs


def computed_run(chosen: StudyRun, **options: Any) -> RunResults:
    """Run the study of a table or figure, and return its results."""
    folder, _ = run(chosen.load(), chosen.scale, worlds=chosen.worlds, **options)
    return open_run(folder)
