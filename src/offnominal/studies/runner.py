"""Run the cells of a study: stored results are reused, and interrupted runs resume."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from offnominal.core.checks import instances_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.imported_modules import import_modules
from offnominal.studies import run_manifest
from offnominal.studies.base import BaseCell
from offnominal.studies.cells import result_key, select_cells
from offnominal.studies.code import Sources
from offnominal.studies.display import Display, LineCallback
from offnominal.studies.execution import code_of
from offnominal.studies.failure import ErrorInfo, Failure
from offnominal.studies.local import LocalPool
from offnominal.studies.sinks import Sink, Sinks
from offnominal.studies.store import Store
from offnominal.studies.task import Pool, Task, TaskEnded, TaskResult, persistently

PAST = ("world", "name", "fit_cpu_s", "score_cpu_s", "evaluate_cpu_s", "peak_mb")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The outcome of a run.

    Args:
        keys: Keys of the results, in the order of the cells.
        computed: Number of computed cells.
        reused: Number of cells with a stored result.
        failures: Failures of this run, or of an earlier one if they were not retried.
        missing: Labels of cells that have neither a result nor a failure in the store.
        wall_s: Wall time in seconds.
        cpu_s: CPU time of the computed cells in seconds.
        peak_mb: Largest peak memory of a cell.
    """

    keys: tuple[str, ...]
    computed: int
    reused: int
    failures: tuple[Failure, ...]
    wall_s: float
    cpu_s: float
    peak_mb: float
    missing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every cell has a result."""
        return not self.failures and not self.missing

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and costs as plain data."""
        return {
            "computed": self.computed,
            "reused": self.reused,
            "failed": len(self.failures),
            "missing_cells": len(self.missing),
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "peak_mb": self.peak_mb,
        }


def run_study(
    cells: Iterable[BaseCell],
    store: Store | Path | str,
    *,
    folder: Path | str | None = None,
    about: Mapping[str, Any] | None = None,
    workers: int | None = None,
    ray: str | None = None,
    retry: bool = False,
    only: str | Iterable[str] | None = None,
    report: LineCallback | None = None,
    sinks: Sequence[Sink] = (),
) -> RunOutcome:
    """Compute every cell that has no result yet, or whose examples for the report are lost or damaged.

    Results do not depend on the number of workers. An interrupted run resumes with the same call. The error of a
    cell that fails is stored; the other cells continue. A cell or a dataset whose worker is killed is retried twice,
    and once more by the next call.

    Args:
        cells: Cells to run.
        store: Store of results.
        folder: Folder of the run for its manifest ``run.json``; None for no manifest.
        about: First entries of the manifest: the study and its scale.
        workers: Number of processes; one per processor if None.
        ray: Address of a Ray cluster to run on instead, such as ``"auto"`` or ``"10.0.0.1:6379"``.
        retry: Whether to retry failed cells. Cells that were killed or ran out of memory are always retried.
        only: Patterns of the labels of cells; see :func:`~offnominal.studies.cells.select_cells`.
        report: Receives one line of text per dataset and cell. If None, a terminal shows a live table, and others get
            the lines on standard error.
        sinks: Other programs that log the run; see :mod:`~offnominal.studies.sinks`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.kinds import Cell, DataEntry
        >>> place = TemporaryDirectory()
        >>> data = DataEntry(episodes=6, anomalies=("action/offset",), levels=("strong",))
        >>> cells = [Cell("SAP-Goal0-v0", name, name, data=data, replicates=0) for name in ("KNN", "Time")]
        >>> outcome = run_study(cells, place.name, workers=1, report=lambda line: None)
        >>> outcome.computed, run_study(cells, place.name, workers=1, report=lambda line: None).reused
        (2, 2)
    """
    listed = select_cells(instances_of("cells", cells, BaseCell), only)  # type: ignore[type-abstract]
    if not listed:
        raise InvalidParameter("there is no cell to run; give some, or a pattern that matches their labels.")
    import_modules(dict.fromkeys(module for cell in listed for module in cell.modules))
    sink_group = Sinks(sinks)
    run = ActiveRun(listed, store if isinstance(store, Store) else Store(store), report, sink_group)
    place = None if folder is None else Path(folder)
    with _pool(workers, ray, run.cost_history.peak_mb) as pool:
        run.prepare(pool)
        if place is not None:
            run_manifest.write_manifest(place, about or {}, listed, run.keys, run.store.folder, part=only is not None)
        sink_group.started(about or {}, listed)
        try:
            run.run_cells(pool, retry=retry)
        except KeyboardInterrupt:
            _finish(run.outcome(), place, sink_group, interrupted=True)
            raise
    outcome = run.outcome()
    _finish(outcome, place, sink_group, interrupted=False)
    return outcome


def _finish(outcome: RunOutcome, folder: Path | None, sink_group: Sinks, *, interrupted: bool) -> None:
    found = {**outcome.to_dict(), "interrupted": interrupted}
    if folder is not None:
        run_manifest.complete_manifest(folder, found)
    sink_group.finished(found)


def _pool(workers: int | None, ray: str | None, peak_mb: float) -> Pool:
    if ray is None:
        return LocalPool(workers, peak_mb=peak_mb)

    from offnominal.studies.cluster import RayPool

    return RayPool(ray, workers)


class ActiveRun:
    """A run in progress.

    Args:
        cells: Cells to run.
        store: Store of results.
        report: See :func:`run_study`.
        sink_group: Sinks of the run.
    """

    def __init__(self, cells: Sequence[BaseCell], store: Store, report: LineCallback | None, sink_group: Sinks) -> None:
        self.cells = cells
        self.store = store
        self.report = report
        self.sink_group = sink_group
        self.cost_history = CostHistory.of(store)
        self.keys: list[str] = []
        self.answers: list[TaskResult] = []
        self.reused = 0
        self.without_examples: list[str] = []
        self.failed_sources: dict[str, ErrorInfo] = {}
        self._begun = time.monotonic()
        sources = Sources()
        self._codes = [code_of(cell, sources) for cell in cells]

    def prepare(self, pool: Pool) -> None:
        """Generate the datasets that are missing, one task each; then the keys of the results are known."""
        sources = {cell.source: cell for cell in self.cells}
        workers = pool.processes_per_task(len(sources))
        tasks = {source: Task(cell, workers=workers) for source, cell in sources.items()}
        data: dict[str, str] = {}
        with Display(f"{len(tasks)} datasets", dict.fromkeys(tasks, 1.0), report=self.report) as display:
            for event in persistently(pool, tasks.values()):
                display.show(event)
                if isinstance(event, TaskEnded):
                    data[event.task.cell.source] = event.answer.data
                    if event.answer.error_info is not None:
                        self.failed_sources[event.task.cell.source] = event.answer.error_info
        for cell, code in zip(self.cells, self._codes, strict=True):
            self.keys.append(result_key(cell, data=data[cell.source], code=code))
            if cell.source in self.failed_sources:
                self.store.fail(Failure.of(self.keys[-1], cell, self.failed_sources[cell.source]))
            else:
                self.store.forget_failure(result_key(cell, data="", code=code))

    def run_cells(self, pool: Pool, *, retry: bool) -> None:
        """Compute the cells that have neither a result with examples nor a failure, the most expensive first."""
        tasks = self._tasks(retry)
        weights = {task.key: self.cost_history.cost(task.cell) for task in tasks}
        known = [cost for cost in weights.values() if cost is not None]
        typical_cost = sum(known) / len(known) if known else 1.0
        tasks.sort(key=lambda task: -(weights[task.key] or float("inf")))
        expected = {key: typical_cost if cost is None else cost for key, cost in weights.items()}
        with Display(f"{len(tasks)} cells", expected, report=self.report) as display:
            if self.without_examples:
                count = len(self.without_examples)
                what, whose = (
                    ("1 result has", "its cell is") if count == 1 else (f"{count} results have", "their cells are")
                )
                display.note(f"{what} lost or damaged examples in the store; {whose} computed again.")
            for event in persistently(pool, tasks):
                display.show(event)
                if isinstance(event, TaskEnded):
                    self._note(event)

    def _tasks(self, retry: bool) -> list[Task]:
        tasks = []
        for key, cell in dict(zip(self.keys, self.cells, strict=True)).items():
            if self.store.has(key) and self.store.has_examples(key):
                self.reused += 1
            elif self.store.has(key):
                self.without_examples.append(key)
                tasks.append(Task(cell, key, str(self.store.folder.absolute())))
            elif cell.source not in self.failed_sources and (retry or not self._failed(key)):
                tasks.append(Task(cell, key, str(self.store.folder.absolute())))
        return tasks

    def _failed(self, key: str) -> bool:
        failure = self.store.failure(key)
        return failure is not None and failure.final

    def _note(self, event: TaskEnded) -> None:
        cell, answer = event.task.cell, event.answer
        self.answers.append(replace(answer, result=None))
        if answer.result is not None:
            self.store.write(answer.result.key, answer.result.rows, answer.result.examples)
        if answer.error_info is not None:
            if not self.store.has(event.task.key):
                self.store.fail(Failure.of(event.task.key, cell, answer.error_info))
            self.sink_group.cell(cell, {}, f"{answer.error_info.error}: {answer.error_info.message}")
            return
        cost = {"cpu_s": answer.cpu_s, "wall_s": answer.wall_s, "peak_mb": answer.peak_mb}
        self.sink_group.cell(cell, {**dict(answer.numbers), **cost}, "")

    def outcome(self) -> RunOutcome:
        """Return the outcome so far."""
        labels = {key: cell.label for key, cell in zip(self.keys, self.cells, strict=True)}
        without = [key for key in labels if not self.store.has(key)]
        failures = {key: failure for key in without if (failure := self.store.failure(key)) is not None}
        return RunOutcome(
            keys=tuple(self.keys),
            computed=sum(answer.error_info is None for answer in self.answers),
            reused=self.reused,
            failures=tuple(failures.values()),
            missing=tuple(labels[key] for key in without if key not in failures),
            wall_s=time.monotonic() - self._begun,
            cpu_s=sum(answer.cpu_s for answer in self.answers),
            peak_mb=max((answer.peak_mb for answer in self.answers), default=0.0),
        )


@dataclass(frozen=True, slots=True)
class CostHistory:
    """The cost of earlier cells.

    Args:
        costs: CPU seconds of the most expensive cell by (world, name of the detector), and by (name,).
        peak_mb: Largest peak memory.
    """

    costs: Mapping[tuple[str | None, ...], float]
    peak_mb: float

    @classmethod
    def of(cls, store: Store) -> CostHistory:
        """Return the cost of the stored results."""
        table = store.cells()
        costs: dict[tuple[str | None, ...], float] = {}
        peak = 0.0
        for row in table.select([name for name in PAST if name in table.column_names]).to_pylist():
            cost = sum(row.get(name) or 0.0 for name in PAST[2:5])
            for place in ((row.get("world"), row.get("name")), (row.get("name"),)):
                costs[place] = max(costs.get(place, 0.0), cost)
            peak = max(peak, row.get("peak_mb") or 0.0)
        return cls(costs, peak)

    def cost(self, cell: BaseCell) -> float | None:
        """Return the expected CPU seconds of a cell, or None if no similar cell was run before."""
        columns = cell.columns()
        world, name = columns.get("world"), columns.get("name")
        return self.costs.get((world, name), self.costs.get((name,)))
