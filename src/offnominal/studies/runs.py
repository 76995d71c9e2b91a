"""Runs of studies, each in its own folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.detectors.weights_in_names import table_with_weights
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.kinds import study_kind
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import labels_of, read_run
from offnominal.studies.runner import RunOutcome, run_study
from offnominal.studies.segments import DamagedResult
from offnominal.studies.store import Store
from offnominal.studies.world_selection import at_worlds, worlds_in_file_name

RUNS = Path("runs")
STORE = RUNS / "store"
FIELDS = {"name": "study", "title": "title", "summary": "summary", "scale": "scale"}


def run(
    study: BaseStudy,
    scale: str | None = None,
    *,
    folder: Path | None = None,
    store: Path = STORE,
    worlds: str | Iterable[str] | None = None,
    only: str | Iterable[str] | None = None,
    **options: Any,
) -> tuple[Path, RunOutcome]:
    """Run a study, or resume it, and return the folder and the outcome of the run.

    Args:
        study: The study.
        scale: Name of a scale; the whole study if None.
        folder: Folder of the run; ``runs/<study>-<scale>`` if None, with the worlds if only some were chosen.
        store: Store of the results of all runs.
        worlds: Patterns of the worlds of the study; those of the scale if None. See
            :func:`~offnominal.studies.world_selection.at_worlds`.
        only: Patterns of the labels of cells.
        **options: Options of :func:`~offnominal.studies.runner.run_study`.
    """
    chosen = at_worlds(study, scale, worlds)
    place = run_folder(study, chosen, scale) if folder is None else folder
    cells, missing = cells_of(chosen)
    description = describe(study, chosen, scale, missing)
    outcome = run_study(cells, store, folder=place, about=description, only=only, **options)
    return place, outcome


def cells_of(study: BaseStudy) -> tuple[Sequence[BaseCell], tuple[str, ...]]:
    """Return the cells whose data can be loaded, with the modules of the study, and the names of the missing data."""
    cells, missing = study.available_cells()
    return [cell.replace(modules=study.modules) for cell in cells] if study.modules else cells, missing


def describe(study: BaseStudy, chosen: BaseStudy, scale: str | None, missing: Iterable[str]) -> dict[str, Any]:
    """Return the first entries of the manifest of a run.

    Args:
        study: The study.
        chosen: The study at the scale of the run, with its worlds.
        scale: Name of the scale; None for the whole study.
        missing: Names of the data that are missing.
    """
    about = {"study": study.name, "title": study.title or study.name, "summary": study.summary, "scale": scale or ""}
    return {**about, "config": chosen.to_dict(), "missing": list(missing)}


def run_folder(study: BaseStudy, chosen: BaseStudy, scale: str | None) -> Path:
    """Return the default folder of a run; its name has the worlds if they are not those of the scale.

    Args:
        study: The study.
        chosen: The study at the scale of the run, with its worlds.
        scale: Name of the scale; None for the whole study.
    """
    name = f"{study.name}-{scale or 'full'}"
    worlds: tuple[str, ...] = getattr(chosen, "worlds", ())
    same = worlds == getattr(study.at(scale), "worlds", ())
    return RUNS / (name if same else f"{name}-{worlds_in_file_name(worlds)}")


def open_run(folder: Path | str, store: Path | None = None) -> RunResults:
    """Return the results of a run so far; cells without a result are listed in `missing`.

    A damaged result is moved to ``damaged/`` in the store, with a warning, and its cell is missing.

    Args:
        folder: Folder of the run.
        store: Store of its results, if it was moved.
    """
    manifest = read_run(Path(folder))
    results = Store(Path(manifest["store"]) if store is None else store)
    opened = results_of(manifest, results, Path(folder))
    if not opened.cells:
        raise InvalidParameter(
            f"none of the {len(opened.missing)} cells of {folder} has a result in {results.folder}; "
            "run the study first, or name the store."
        )
    return opened


def results_of(manifest: Mapping[str, Any], store: Store, folder: Path) -> RunResults:
    """Return the results of the cells that a manifest lists; without rows if there are none.

    Args:
        manifest: The manifest.
        store: Store of the results.
        folder: Folder of the run.
    """
    labels = labels_of(manifest)
    tables = _tables(store, labels)
    without = [key for key in labels if key not in tables]
    failures = [failure for key in without if (failure := store.failure(key)) is not None]
    opened = RunResults(
        **{name: str(manifest.get(key, "")) for name, key in FIELDS.items()},
        manifest=manifest,
        table=pa.concat_tables(tables.values(), promote_options="default") if tables else pa.table({}),
        examples=pa.table({}),
        failures=[failure.to_dict() for failure in failures],
        missing=tuple(labels[key] for key in without),
        folder=folder,
    )
    examples = store.examples(tables, study_kind(opened.kind).example_schema)
    return with_weights(replace(opened, examples=examples))


def with_weights(results: RunResults) -> RunResults:
    """Return results whose rows say which weights a detector has, if its name says others.

    See :func:`~offnominal.detectors.weights_in_names.name_with_weights`. What is stored does not change.
    """
    old, table = results.table, table_with_weights(results.table)
    if table is old or not {"key", "name"} <= set(results.examples.column_names):
        return replace(results, table=table)
    shown = dict(zip(_keys_and_names(old), table["name"].to_pylist(), strict=True))
    names = [shown.get(each, each[1]) for each in _keys_and_names(results.examples)]
    at = results.examples.column_names.index("name")
    column = results.examples.schema.field(at)
    return replace(results, table=table, examples=results.examples.set_column(at, column, pa.array(names, column.type)))


def _keys_and_names(table: Any) -> list[tuple[str, str]]:
    return list(zip(table["key"].to_pylist(), table["name"].to_pylist(), strict=True))


def _tables(results: Store, keys: Iterable[str]) -> dict[str, Any]:
    """Return the rows of each cell that has a result."""
    tables = {}
    for key in keys:
        try:
            if results.has(key):
                tables[key] = results.rows([key])
        except MissingFile:
            continue
        except DamagedFile as error:
            warnings.warn(str(error), DamagedResult, stacklevel=4)
    return tables
