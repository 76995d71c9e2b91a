"""Cells of any kind: the keys of their results, and the choice of some by their labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fnmatch import fnmatchcase

from offnominal.core.checks import instances_of
from offnominal.studies.base import BaseCell


def result_key(cell: BaseCell, *, data: str, code: str) -> str:
    """Return the key of the result of a cell: a hash of the cell, of its data and of the code it uses.

    Args:
        cell: The cell.
        data: Hash of the dataset; see :func:`~offnominal.kinds.faults.data.content_hash`.
        code: Hash of the code; see :class:`~offnominal.studies.code.Sources`.

    Example:
        >>> from offnominal.kinds import Cell
        >>> result_key(Cell("SAP-Goal0-v0", "KNN", "KNN"), data="d1", code="c1")[:12]
        'a8a4ac33ba6e'
    """
    text = json.dumps({"cell": cell.to_dict(), "data": data, "code": code}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def select_cells(cells: Iterable[BaseCell], only: str | Iterable[str] | None) -> list[BaseCell]:
    """Return the cells whose label matches one of some patterns.

    Args:
        cells: Cells of a study.
        only: Patterns with ``*`` and ``?``, such as ``"*/KNN/*"``; None for all cells.

    Example:
        >>> from offnominal.kinds import Cell
        >>> cells = [Cell("SAP-Goal0-v0", name, name) for name in ("KNN", "Time")]
        >>> [cell.label for cell in select_cells(cells, "*/T*")]
        ['SAP-Goal0-v0/expert/Time/0']
    """
    if only is None:
        return list(cells)
    patterns = [only] if isinstance(only, str) else list(instances_of("only", only, str))
    return [cell for cell in cells if any(fnmatchcase(cell.label, pattern) for pattern in patterns)]
