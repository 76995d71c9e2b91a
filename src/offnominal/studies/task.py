"""What a worker is asked to do, and what it answers; the same on this machine and on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from offnominal.core.errors import OffnominalError
from offnominal.studies.base import BaseCell
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.failure import ErrorInfo
from offnominal.studies.kinds import kind_of
from offnominal.studies.result_rows import means_of
from offnominal.studies.store import Store

RETRIES = 2
"""How many times a task is tried again whose worker was killed."""


class InputsChanged(OffnominalError, RuntimeError):
    """Code or data are not what they were when the run began."""


@dataclass(frozen=True, slots=True)
class Task:
    """A dataset to be made, or a cell to be done.

    Args:
        cell: The cell; of a dataset, one of those that share it.
        key: Name of the cell's result; empty if only its dataset is wanted.
        store: Folder that the worker writes the result to; empty if the answer is to bring it.
    """

    cell: BaseCell
    key: str = ""
    store: str = ""

    @property
    def id(self) -> str:
        """What tells it from others: the key of the cell, or the source of the dataset."""
        return self.key or self.cell.source

    @property
    def label(self) -> str:
        """What people call it."""
        return self.cell.label if self.key else self.cell.data_label


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What came of a task.

    Args:
        data: Hash of the dataset, if that was wanted.
        cpu_s: Processor time.
        wall_s: Time.
        peak_mb: Most memory held.
        numbers: Means over splits of what is measured, for those who watch.
        result: The result, if it was not written; see :class:`~offnominal.studies.execution.CellResult`.
        error_info: What went wrong, if anything did.
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
        """Whether there is no answer because the process was killed."""
        return self.error_info is not None and self.error_info.killed


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A worker took a task."""

    task: Task
    worker: str


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """A worker is done with a task, or died of it."""

    task: Task
    worker: str
    answer: TaskResult


@dataclass(frozen=True, slots=True)
class Retried:
    """A worker was killed, and its task will be tried again."""

    task: Task
    worker: str
    answer: TaskResult


Event = TaskStarted | Retried | TaskEnded


class Pool(Protocol):
    """Workers, wherever they are."""

    def __enter__(self) -> Pool:
        """Get ready."""

    def __exit__(self, *error: object) -> None:
        """Stop all workers, whatever they are doing."""

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        """Do tasks in their order, as many at once as there are workers, and tell of each beginning and end."""


def persistently(pool: Pool, tasks: Iterable[Task]) -> Iterator[Event]:
    """Do tasks; one whose worker was killed is tried again after the others, :data:`RETRIES` times at most.

    Args:
        pool: Who does them.
        tasks: What to do.
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
    """Do a task in this process; whatever goes wrong is part of the answer.

    Args:
        task: What to do.
        sources: Code as this process has it.
    """
    try:
        return _do(task, sources) if task.key else TaskResult(data=kind_of(task.cell).prepare(task.cell))
    except Exception as error:
        return TaskResult(error_info=ErrorInfo.of(error))


def _do(task: Task, sources: Sources) -> TaskResult:
    result: CellResult = kind_of(task.cell).run(task.cell, sources=sources)
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
