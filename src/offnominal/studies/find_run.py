"""Find a run by its folder or by the name of its study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.studies.catalogue import load_study
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import FILE, read_run
from offnominal.studies.runs import RUNS, STORE, open_run
from offnominal.studies.stored_runs import stored_run


def find_run(
    name: Path | str | None = None, *, scale: str | None = None, store: Path | None = None, runs: Path = RUNS
) -> RunResults:
    """Return the results of a run so far.

    Args:
        name: Folder of a run, or name of a study: its last run, or else its results in the store. None for the last
            run of any study.
        scale: For a study, only runs at this scale.
        store: Store of the results; that of the run if None.
        runs: Folder with the folders of runs.

    Raises:
        MissingFile: There is no run.
        UnknownName: The name is neither a folder nor a study.
    """
    if name is not None and (Path(name) / FILE).exists():
        if scale is not None:
            raise InvalidParameter(f"{name} is the folder of a run; leave the scale out, or name a study.")
        return open_run(name, store)
    study = None if name is None else load_study(str(name))
    for folder, manifest in _newest_first(runs):
        if (study is None or manifest.get("study") == study.name) and scale in (None, manifest.get("scale")):
            return open_run(folder, store)
    if study is None:
        raise MissingFile(f"{runs} has no runs; `offnominal quickstart` makes one.")
    found = stored_run(study, scale, store=store or STORE).results
    if not found.cells:
        command = f"offnominal run {study.name}" + ("" if scale is None else f" --scale {scale}")
        raise MissingFile(f"there are no results of study {study.name!r}; `{command}` computes them.")
    return found


def _newest_first(runs: Path) -> list[tuple[Path, Mapping[str, Any]]]:
    """Return the folders and manifests of all runs that can be read, the last one first."""
    found: list[tuple[Path, Mapping[str, Any]]] = []
    for file in sorted(runs.glob(f"*/{FILE}"), key=lambda file: -file.stat().st_mtime):
        try:
            found.append((file.parent, read_run(file.parent)))
        except (DamagedFile, MissingFile):
            continue
    return found
