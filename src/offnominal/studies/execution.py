"""Processes that use one thread each, for comparable times and equal results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SINGLE_THREAD_ENVIRONMENT = {
    f"{library}_THREADS": "1"
    for library in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMBA_NUM", "NUMEXPR_NUM", "VECLIB_MAXIMUM")
}
"""Environment of a process that must not use more than one thread, to be set before it starts."""


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
