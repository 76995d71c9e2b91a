"""Tasks of workers and their results; the same on this machine and on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from offnominal.core.errors import OffnominalError
from offnominal.core.imported_modules import import_modules
from offnominal.studies import execution
from offnominal.studies.base import BaseCell
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.failure import ErrorInfo
from offnominal.studies.result_rows import means_of
from offnominal.studies.store import Store

RETRIES = 2
"""Maximum number of retries of a task whose worker was killed."""


class InputsChanged(OffnominalError, RuntimeError):
    """Code or data have changed since the start of the run."""


@dataclass(frozen=True, slots=True)
class Task:
    """A dataset to generate, or a cell to compute.

    Args:
        cell: The cell; for a dataset, one of the cells that share it.
        key: Key of the result; empty if only the dataset is wanted.
        store: Folder that the worker writes the result to; empty to return the result instead.
        workers: Number of processes that may generate the dataset.
    """

    cell: BaseCell
    key: str = ""
    store: str = ""
    workers: int = 1

    @property
    def id(self) -> str:
        """Unique id: the key of the result, or the source of the dataset."""
        return self.key or self.cell.source

    @property
    def label(self) -> str:
        """Name in messages."""
        return self.cell.label if self.key else self.cell.data_label


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of a task.

    Args:
        data: Hash of the dataset, if only that was wanted.
        cpu_s: CPU time.
        wall_s: Wall time.
        peak_mb: Peak memory.
        numbers: Means over splits of the metrics, for sinks.
        result: The result, if it was not written; see :class:`~offnominal.studies.cell_result.CellResult`.
        error_info: The error, if the task failed.
    """

    data: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0
    numbers: tuple[tuple[str, float], ...] = ()
    result: CellResult | None = None
    error_info: ErrorInfo | None = None

    @property
    def killed(self) -> bool:
        """Whether the process was killed."""
        return self.error_info is not None and self.error_info.killed


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A worker started a task."""

    task: Task
    worker: str


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """A worker finished a task, or died."""

    task: Task
    worker: str
    answer: TaskResult


@dataclass(frozen=True, slots=True)
class Retried:
    """A worker was killed, and its task will be retried."""

    task: Task
    worker: str
    answer: TaskResult


Event = TaskStarted | Retried | TaskEnded


class Pool(Protocol):
    """A pool of workers."""

    def __enter__(self) -> Pool:
        """Start the pool."""

    def __exit__(self, *error: object) -> None:
        """Stop all workers."""

    def processes_per_task(self, tasks: int) -> int:
        """Return how many processes each of some tasks can have if all of them run at once."""

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        """Run tasks in their order, one per worker at a time, and yield an event at each start and end."""


def persistently(pool: Pool, tasks: Iterable[Task]) -> Iterator[Event]:
    """Run tasks; a task whose worker was killed is retried after the others, at most :data:`RETRIES` times.

    Args:
        pool: The workers.
        tasks: The tasks.
    """
    for left in reversed(range(RETRIES + 1)):
        killed = []
        for event in pool.run(tasks):
            if left and isinstance(event, TaskEnded) and event.answer.killed:
                killed.append(event.task)
                yield Retried(event.task, event.worker, event.answer)
            else:
                yield event
        if not killed:
            return
        tasks = killed


def run_task(task: Task, sources: Sources) -> TaskResult:
    """Run a task in this process; an error is part of the result.

    Args:
        task: The task.
        sources: Source code of this process.
    """
    try:
        import_modules(task.cell.modules)
        if task.key:
            return _do(task, sources)
        return TaskResult(data=execution.prepare(task.cell, workers=task.workers))
    except Exception as error:
        return TaskResult(error_info=ErrorInfo.of(error))


def _do(task: Task, sources: Sources) -> TaskResult:
    result: CellResult = execution.run_cell(task.cell, sources=sources)
    if result.key != task.key:
        raise InputsChanged("the code or the data changed after the run had begun; run it again.")
    if task.store:
        Store(task.store).write(result.key, result.rows, result.examples)
    first = result.rows.slice(0, 1).to_pylist()[0]
    return TaskResult(
        cpu_s=sum(first[f"{purpose}_cpu_s"] for purpose in ("fit", "score", "evaluate")),
        wall_s=first["wall_s"],
        peak_mb=first["peak_mb"],
        numbers=tuple(means_of(result.rows).items()),
        result=None if task.store else result,
    )
