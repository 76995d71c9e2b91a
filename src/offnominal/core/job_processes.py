"""Processes that work on parts of one job and end when the process that started them ends."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from offnominal.core.errors import InvalidParameter, InvalidState

Task = TypeVar("Task")
Result = TypeVar("Result")

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


def results_of(
    work: Callable[[Task], Result], tasks: Iterable[Task], job: Any, workers: int, *, needs: str
) -> Iterator[tuple[Task, Result]]:
    """Return each task with its result, in the order in which they end.

    Args:
        work: Function of a module; it gets the job with :func:`current_job`.
        tasks: The tasks; each is sent to one process.
        job: As for :func:`processes_for`.
        workers: Number of processes.
        needs: As for :func:`processes_for`.

    Raises:
        InvalidParameter: The job cannot be pickled.
        InvalidState: A process ended.
    """
    with processes_for(job, workers, needs=needs) as pool:
        pending = {pool.submit(work, task): task for task in tasks}
        try:
            for future in as_completed(pending):
                yield pending[future], future.result()
        except BrokenProcessPool as error:
            raise InvalidState("a process ended; memory may be short: choose fewer workers.") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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
