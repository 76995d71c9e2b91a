"""Processes that work on parts of one job and end when the process that started them ends."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from offnominal.core.errors import InvalidParameter

_job: list[Any] = []


def processes_for(job: Any, workers: int, *, needs: str) -> ProcessPoolExecutor:
    """Return a pool of new processes, each with a copy of a job.

    Args:
        job: What all tasks of the pool share; functions that are submitted get it with :func:`current_job`.
        workers: Number of processes.
        needs: Parts of the job that the user gave, for the message if they cannot be pickled.

    Raises:
        InvalidParameter: The job cannot be pickled.
    """
    try:
        pickled = pickle.dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidParameter(
            f"several workers need {needs} that can be pickled ({error}); define functions in a module, or leave "
            "workers out."
        ) from None
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_start, initargs=(pickled,))


def current_job() -> Any:
    """Return the job of this process."""
    return _job[0]


def _start(pickled: bytes) -> None:
    _job[:] = [pickle.loads(pickled)]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
