"""Runs: a study at a scale, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.studies.detector_comparison.image_study import ImageStudy
from offnominal.studies.kinds import AnyStudy
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import read_run
from offnominal.studies.runner import Outcome, run_study
from offnominal.studies.store import Store

RUNS = Path("runs")
STORE = RUNS / "store"


def run(
    study: AnyStudy,
    scale: str | None = None,
    *,
    folder: Path | None = None,
    store: Path = STORE,
    only: str | Iterable[str] | None = None,
    **options: Any,
) -> tuple[Path, Outcome]:
    """Run a study, or go on with it, and return the folder of the run and what came of it.

    Args:
        study: What to run.
        scale: How much of it; all if None.
        folder: Of the run; named after study and scale, below ``runs``, if None.
        store: Where results of all runs are.
        only: Patterns of the labels of cells.
        **options: Those of :func:`~offnominal.studies.runner.run_study`.
    """
    place = RUNS / f"{study.name}-{scale or 'full'}" if folder is None else folder
    chosen = study.at(scale)
    about = {"study": study.name, "title": study.title or study.name, "summary": study.summary, "scale": scale or ""}
    missing = chosen.missing() if isinstance(chosen, ImageStudy) else ()
    cells = [cell for cell in chosen.cells() if cell.world not in missing]
    told = {**about, "config": chosen.to_dict(), "missing": list(missing)}
    outcome = run_study(cells, store, folder=place, about=told, only=only, **options)
    return place, outcome


def open_run(folder: Path | str, store: Path | None = None) -> RunResults:
    """Return what a run has found so far.

    Args:
        folder: Of the run.
        store: Where its results are, if they were moved.
    """
    manifest = read_run(Path(folder))
    results = Store(Path(manifest["store"]) if store is None else store)
    found = [key for key in manifest["keys"] if results.has(key)]
    if not found:
        raise InvalidParameter(
            f"none of the {len(manifest['keys'])} cells of {folder} has a result in {results.folder}; "
            "run the study first, or name the store."
        )
    failures = [failure for key in manifest["keys"] if (failure := results.failure(key)) is not None]
    return RunResults(
        name=manifest["study"],
        title=manifest["title"],
        summary=manifest["summary"],
        scale=manifest["scale"],
        manifest=manifest,
        table=results.rows(found),
        examples=results.examples(found),
        failures=[failure.to_dict() for failure in failures],
    )
