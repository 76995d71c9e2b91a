"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def text_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as aligned columns, with two spaces between them.

    Example:
        >>> print(text_table([{"split": "faulty", "AUROC": "0.938"}, {"split": "test", "AUROC": None}]))
        split   AUROC
        faulty  0.938
        test    –
    """
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *(["–" if row.get(name) is None else str(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(names))]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)
