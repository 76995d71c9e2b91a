"""Part of the results of a run: one world, one kind of fault, one level."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.studies.metric_table import world_labels
from offnominal.studies.results import RunResults


def select_results(
    results: RunResults, *, world: str | None = None, kind: str | None = None, level: str | None = None
) -> RunResults:
    """Return the results with the rows of one world, one kind of fault and one level; None stands for all.

    Args:
        results: The run.
        world: Name of the world; with the policy, where the run has several policies in it.
        kind: Kind of fault, such as ``"action"``.
        level: Level, such as ``"tiny"``.

    Raises:
        InvalidParameter: Results of this kind of study have no such column.
        UnknownName: The run has no such world, kind or level.

    Example:
        >>> rows = [{"world": "A-v0", "policy": "tqc", "level": level} for level in ("tiny", "strong")]
        >>> run = RunResults("toy", "A toy", "", "quick", {}, pa.Table.from_pylist(rows), pa.table({}))
        >>> select_results(run, level="tiny").table.num_rows
        1
    """
    table = results.table
    for column, wanted in (("world", world), ("kind", kind), ("level", level)):
        if wanted is None:
            continue
        if column not in table.column_names:
            raise InvalidParameter(f"results of studies of kind {results.kind!r} have no {column}; leave it out.")
        values = table[column].to_pylist()
        if column == "world" and "policy" in table.column_names and wanted not in values:
            values = world_labels(table).tolist()
        known = dict.fromkeys(value for value in values if value is not None)
        if wanted not in known:
            raise UnknownName(
                f"the run has no {column} {wanted!r}.{did_you_mean(wanted, known)} It has: {', '.join(known)}."
            )
        table = table.filter(pa.array([value == wanted for value in values]))
    return replace(results, table=table)
