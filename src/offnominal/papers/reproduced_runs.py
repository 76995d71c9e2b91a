"""The results that tables and figures of papers are compared with: from the store, or computed now."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.papers.reproduction import Reproduction, StudyRun, fillable_runs
from offnominal.studies.catalogue import load_study
from offnominal.studies.results import RunResults
from offnominal.studies.runs import STORE, open_run, run
from offnominal.studies.stored_runs import stored_run


@dataclass(frozen=True, slots=True)
class ReproducedRuns:
    """Results of the runs of some tables and figures.

    Args:
        results: Results of each run; without rows for None, which stands for no run.
        remarks: What is missing or outdated in the store, with the command that computes it.
    """

    results: Mapping[StudyRun | None, RunResults]
    remarks: Sequence[str]


def reproduced_runs(
    found: Sequence[Reproduction], *, compute: bool, note: Callable[[str], None], store: Path = STORE, **options: Any
) -> ReproducedRuns:
    """Return the results that tables and figures are made from.

    Args:
        found: Tables and figures with their runs.
        compute: Whether to compute missing results first.
        note: Gets, before anything is computed, a sentence about each table that gets no number.
        store: Store of the results.
        **options: Options of :func:`~offnominal.studies.run`.

    Raises:
        InvalidParameter: Results are to be computed, but no run gives a number.
    """
    results: dict[StudyRun | None, RunResults] = {None: RunResults.none()}
    remarks: list[str] = []
    worth_computing = runs_to_compute(found, note) if compute else []
    for chosen in dict.fromkeys(each.run for each in found if each.run is not None):
        if chosen in worth_computing:
            results[chosen] = computed_run(chosen, store=store, **options)
        else:
            results[chosen], remark = stored_results(chosen, store)
            remarks += remark
    return ReproducedRuns(results, remarks)


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
    folder, _ = run(load_study(chosen.study), chosen.scale, worlds=chosen.worlds, **options)
    return open_run(folder)


def stored_results(chosen: StudyRun, store: Path) -> tuple[RunResults, list[str]]:
    """Return the results in the store, and what is missing or outdated, with the command that computes it."""
    found = stored_run(load_study(chosen.study), chosen.scale, store=store, worlds=chosen.worlds)
    words = ["offnominal", "run", chosen.study, "--scale", chosen.scale]
    words += [word for world in chosen.worlds or () for word in ("--worlds", world)]
    words += [] if store == STORE else ["--store", str(store)]
    line = f"Ours: {found.state}; `{shlex.join(words)}` computes them, as --run does here."
    return found.results, [line] if found.state else []
