"""Verify the results of a run by computing some of them again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName
from offnominal.core.progress_bar import progress
from offnominal.studies import execution
from offnominal.studies.code import Sources
from offnominal.studies.files import hash_in, read_content
from offnominal.studies.kinds import cell_from
from offnominal.studies.result_rows import SPENT, same_results
from offnominal.studies.run_manifest import labels_of, read_run
from offnominal.studies.segments import provenance_of, read_cell
from offnominal.studies.store import Store

SHARE = 0.05


def verify_run(
    folder: Path | str,
    share: float = SHARE,
    seed: int = 0,
    *,
    quick: bool = False,
    store: Path | str | None = None,
    allow_modules: Collection[str] = (),
) -> list[tuple[str, str]]:
    """Compute random cells of a run again, and return the problem of each.

    Numbers must be bitwise equal; cost may differ. The files of all cells are read and compared with their hashes.
    Cells without a result and damaged ones are listed, too; nothing is moved.

    Args:
        folder: Folder of the run.
        share: Share of the cells that are computed again; at least one is.
        seed: Random seed of the choice.
        quick: Whether to compare files with their hashes only. This finds accidental damage, but not changes by someone
            who can write to the store.
        store: Store of its results, if it was moved.
        allow_modules: Packages whose classes a stored cell may name although they are not registered; see
            :func:`~offnominal.studies.catalogue.load_study`.

    Returns:
        Label and problem of each cell; the problem is empty if there is none.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.kinds import Cell, DataEntry
        >>> from offnominal.studies import run_study
        >>> place = TemporaryDirectory()
        >>> data = DataEntry(episodes=6, anomalies=("action/offset",), levels=("strong",))
        >>> cell = Cell("SAP-Goal0-v0", "Time", "Time", data=data, replicates=0)
        >>> outcome = run_study([cell], place.name, folder=place.name, workers=1, report=lambda line: None)
        >>> verify_run(place.name)
        [('SAP-Goal0-v0/expert/Time/0', '')]
    """
    if not 0.0 < share <= 1.0:
        raise InvalidParameter(f"share is {share!r}; expected a number above 0 and at most 1.")
    manifest = read_run(Path(folder))
    results = Store(manifest["store"] if store is None else store)
    labels = labels_of(manifest)
    there = {key: _damage(results.path(key)) for key in labels if results.has(key)}
    found = [_missing(results, key, labels[key]) for key in labels if key not in there]
    found += [(labels[key], damage) for key, damage in there.items() if damage or quick]
    if quick:
        return found
    drawn = _drawn([key for key, damage in there.items() if not damage], share, seed)
    sources = Sources()
    with progress(f"Computing {len(drawn)} of {len(there)} cells again", total=len(drawn)) as tick:
        for key in drawn:
            found.append(_compared(results.path(key), sources, allow_modules))
            tick()
    return found


def _drawn(keys: Sequence[str], share: float, seed: int) -> list[str]:
    count = min(len(keys), max(1, round(share * len(keys))))
    places = np.random.default_rng(seed).choice(len(keys), count, replace=False) if keys else ()
    return [keys[place] for place in sorted(places)]


def _missing(results: Store, key: str, label: str) -> tuple[str, str]:
    failure = results.failure(key)
    if failure is None:
        return label, f"has no result in {results.folder}; run its study again."
    return label, f"has no result: it failed with {failure.error}."


def _damage(path: Path) -> str:
    """Return the damage of the file of a cell, by its hash; empty if there is none."""
    try:
        carried = hash_in(read_content(path))
    except (DamagedFile, MissingFile) as error:
        return f"{error} Run its study again."
    return "" if carried else f"{path} carries no hash; remove it and run its study again."


def _compared(path: Path, sources: Sources, allow_modules: Collection[str]) -> tuple[str, str]:
    """Return the label of a cell and the problem of its file."""
    try:
        kept = read_cell(path)
        facts = provenance_of(kept)
        cell = cell_from(facts["cell"], allow_modules=allow_modules)
    except (DamagedFile, MissingFile, InvalidParameter, UnknownName) as error:
        return path.stem[:12], str(error)
    try:
        again = execution.run_cell(cell, sources=sources)
    except Exception as error:
        return cell.label, f"cannot be computed again: {type(error).__name__}: {error}"
    made = provenance_of(again.rows)
    other = " and ".join(what for what in ("code", "data") if made[what] != facts[what])
    numbers = "" if same_results(_bare(kept), _bare(again.rows)) else _difference(_bare(kept), _bare(again.rows))
    if other:
        since = f"was computed with other {other}; run its study again."
        return cell.label, f"{since} Now {numbers}." if numbers else f"{since} The numbers are the same."
    return cell.label, f"differs when computed again: {numbers}." if numbers else ""


def _bare(table: Any) -> Any:
    """Return results under one key, which says nothing of the numbers."""
    place = table.column_names.index("key")
    return table.set_column(place, "key", [[""] * table.num_rows])


def _difference(kept: Any, again: Any) -> str:
    """Return the first number that differs."""
    names = [name for name in kept.column_names if name not in SPENT]
    if kept.num_rows != again.num_rows or any(name not in again.column_names for name in names):
        return "rows or columns differ"
    for old, new in zip(kept.to_pylist(), again.to_pylist(), strict=True):
        for name in names:
            if repr(old[name]) != repr(new[name]):
                alarm = f" with {old['alarm']}" if old["alarm"] else ""
                return f"{name} of {old['split']}{alarm} is {_short(new[name])}, not {_short(old[name])}"
    return "rows or columns differ"


def _short(value: Any) -> str:
    return "a list" if isinstance(value, list) else repr(value)
