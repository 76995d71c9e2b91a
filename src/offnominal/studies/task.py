"""What a worker is asked to do, and what it answers; the same on this machine and on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from offnominal.core.errors import OffnominalError
from offnominal.studies.cell import Doable
from offnominal.studies.code import Sources
from offnominal.studies.failure import Trouble
from offnominal.studies.finished import Finished
from offnominal.studies.rows import means_of
from offnominal.studies.store import Store

RETRIES = 2
"""How many times a task is tried again whose worker was killed."""


class Changed(OffnominalError, RuntimeError):
    """Code or data are not what they were when the run began."""


@dataclass(frozen=True, slots=True)
class Task:
    """A dataset to be made, or a cell to be done.

    Args:
        cell: The cell; of a dataset, one of those that share it.
        key: Name of the cell's result; empty if only its dataset is wanted.
        store: Folder that the worker writes the result to; empty if the answer is to bring it.
    """

    cell: Doable
    key: str = ""
    store: str = ""

    @property
    def id(self) -> str:
        """What tells it from others: the key of the cell, or the source of the dataset."""
        return self.key or self.cell.source

    @property
    def label(self) -> str:
        """What people call it."""
        if self.key:
            return self.cell.label
        return f"episodes of {self.cell.world}/{self.cell.policy}" if self.cell.policy else f"table {self.cell.world}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task.

    Args:
        data: Hash of the dataset, if that was wanted.
        cpu_s: Processor time.
        wall_s: Time.
        peak_mb: Most memory held.
        numbers: Means over splits of what is measured, for those who watch.
        result: The result, if it was not written; see :class:`~offnominal.studies.work.Finished`.
        trouble: What went wrong, if anything did.
    """

    data: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mb: float = 0.0
    numbers: tuple[tuple[str, float], ...] = ()
    result: Finished | None = None
    trouble: Trouble | None = None

    @property
    def killed(self) -> bool:
        """Whether there is no answer because the process was killed."""
        return self.trouble is not None and self.trouble.killed


@dataclass(frozen=True, slots=True)
class Started:
    """A worker took a task."""

    task: Task
    worker: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker is done with a task, or died of it."""

    task: Task
    worker: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Retried:
    """A worker was killed, and its task will be tried again."""

    task: Task
    worker: str
    answer: Answer


Event = Started | Retried | Ended


class Pool(Protocol):
    """Workers, wherever they are."""

    def __enter__(self) -> Pool:
        """Get ready."""

    def __exit__(self, *error: object) -> None:
        """Stop all workers, whatever they are doing."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Started | Ended]:
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
            if left and isinstance(event, Ended) and event.answer.killed:
                killed.append(event.task)
                yield Retried(event.task, event.worker, event.answer)
            else:
                yield event
        if not killed:
            return
        tasks = killed


def perform(task: Task, sources: Sources) -> Answer:
    """Do a task in this process; whatever goes wrong is part of the answer.

    Args:
        task: What to do.
        sources: Code as this process has it.
    """
    try:
        return _do(task, sources) if task.key else Answer(data=home_of(task.cell).prepare(task.cell))
    except Exception as error:
        return Answer(trouble=Trouble.of(error))


def home_of(cell: Doable) -> Any:
    """Return the module that does such cells: it has `work`, `code_of` and `prepare`."""
    return import_module(cell.home)


def _do(task: Task, sources: Sources) -> Answer:
    finished: Finished = home_of(task.cell).work(task.cell, sources=sources)
    if finished.key != task.key:
        raise Changed("the code or the data changed after the run had begun; run it again.")
    if task.store:
        Store(task.store).write(finished.key, finished.rows, finished.examples)
    first = finished.rows.slice(0, 1).to_pylist()[0]
    return Answer(
        cpu_s=sum(first[f"{purpose}_cpu_s"] for purpose in ("fit", "score", "evaluate")),
        wall_s=first["wall_s"],
        peak_mb=first["peak_mb"],
        numbers=tuple(means_of(finished.rows).items()),
        result=None if task.store else finished,
    )
