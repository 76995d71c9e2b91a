"""Recording of scenes or episodes in this process or in several, with one progress bar over all frames."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from offnominal.core.errors import InvalidState
from offnominal.core.progress_bar import ProgressCallback

REFRESH = 0.5
"""Seconds between two updates of the progress bar."""

R_co = TypeVar("R_co", covariant=True)
Advance = Callable[[], object]
"""Function that is called after each frame."""


class RecordingJob(Protocol[R_co]):
    """Something to record. For several workers it must be possible to pickle it."""

    @property
    def id(self) -> str:
        """Name of the job."""

    def record(self, advance: Advance) -> R_co:
        """Record it, and return what came of it."""


def recorded(jobs: Sequence[RecordingJob[R_co]], workers: int, tick: ProgressCallback) -> Iterator[tuple[str, R_co]]:
    """Record jobs, and yield the name and the result of each one when it is finished.

    Args:
        jobs: The jobs.
        workers: Number of processes.
        tick: Called with the number of new frames.

    Raises:
        InvalidState: A process ended.
    """
    if min(workers, len(jobs)) < 2:
        yield from ((job.id, job.record(tick)) for job in jobs)
        return
    context = multiprocessing.get_context("spawn")
    counter, stop, shown = context.Value("q"), context.Event(), 0
    shared = (counter, stop, os.getpid())
    with ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=shared) as pool:
        pending: set[Future[tuple[str, R_co]]] = {pool.submit(_record, job) for job in jobs}
        try:
            while pending:
                done, pending = wait(pending, REFRESH, FIRST_COMPLETED)
                tick(counter.value - shown)
                shown = counter.value
                yield from (future.result() for future in done)
        except BrokenProcessPool as error:
            raise InvalidState("a recording process ended; memory may be short: choose fewer workers.") from error
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


_worker: list[Any] = []


def _start_worker(counter: Any, stop: Any, parent: int) -> None:
    _worker[:] = counter, stop, parent


def _record(job: RecordingJob[R_co]) -> tuple[str, R_co]:
    return job.id, job.record(_advance)


def _advance() -> None:
    """Count a frame for the progress bar; end this process if another one failed or its parent is gone."""
    counter, stop, parent = _worker
    with counter.get_lock():
        counter.value += 1
    if stop.is_set() or os.getppid() != parent:
        os._exit(1)
