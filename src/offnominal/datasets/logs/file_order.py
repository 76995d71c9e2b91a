"""The order of files with numbers in their names."""

from __future__ import annotations

import re
from typing import Any


def natural(name: str) -> list[Any]:
    """Return a key that sorts ``run_10`` after ``run_9``.

    Example:
        >>> sorted(["run_10", "run_9"], key=natural)
        ['run_9', 'run_10']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
