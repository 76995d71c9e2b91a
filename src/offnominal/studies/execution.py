"""Run a cell of any kind: open its data, compute its rows with one thread, and measure what it costs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from offnominal.studies.base import BaseCell
from offnominal.studies.cell_result import CellResult, make_result
from offnominal.studies.code import Sources
from offnominal.studies.code_version import code_version
from offnominal.studies.kinds import kind_of, study_kinds
from offnominal.studies.resource_meter import ResourceMeter

SINGLE_THREAD_ENVIRONMENT = {
    f"{library}_THREADS": "1"
    for library in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMBA_NUM", "NUMEXPR_NUM", "VECLIB_MAXIMUM")
}
"""Environment of a process that must not use more than one thread, to be set before it starts."""


def prepare(cell: BaseCell, *, workers: int = 1) -> str:
    """Generate or download the data of a cell if they are missing, and return their hash.

    Args:
        cell: The cell.
        workers: Number of processes that may generate them at the same time.
    """
    kind = kind_of(cell)
    return kind.data_hash(cell, kind.open_data(cell, workers=workers))


def code_of(cell: BaseCell, sources: Sources) -> str:
    """Return a hash of the versions of the study kind and of the objects that a cell uses.

    Args:
        cell: The cell.
        sources: Reads and follows source code.
    """
    kind = kind_of(cell)
    return code_version(sources, [(study_kinds, cell.kind, {}), *kind.used(cell)], *kind.code_details(cell, sources))


def run_cell(cell: BaseCell, *, sources: Sources | None = None) -> CellResult:
    """Compute a cell of any kind in this process with one thread.

    Args:
        cell: The cell.
        sources: Source code that was read before.

    Example:
        >>> from offnominal.kinds import Cell, DataEntry
        >>> data = DataEntry(episodes=6, anomalies=("action/offset",), levels=("strong",))
        >>> result = run_cell(Cell("SAP-Goal0-v0", "KNN", "KNN", data=data, replicates=0))
        >>> result.rows["split"].to_pylist()
        ['action/offset@strong']
    """
    kind, meter, read = kind_of(cell), ResourceMeter(), sources or Sources()
    code = code_of(cell, read)
    with single_threaded():
        data = kind.open_data(cell)
        found = kind.run(cell, data, meter, sources=read)
    return make_result(cell, found, meter.cost(), data=kind.data_hash(cell, data), code=code)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Limit every library to one thread, for comparable times and equal results."""
    if all(os.environ.get(name) == "1" for name in SINGLE_THREAD_ENVIRONMENT):
        yield
        return

    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    if torch:
        torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        if torch:
            torch.set_num_threads(before)
