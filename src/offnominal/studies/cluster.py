"""Workers on a Ray cluster: the same tasks, on as many machines as there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Self

from offnominal.core.checks import positive_integer
from offnominal.core.errors import MissingDependency
from offnominal.studies.code import Sources
from offnominal.studies.execution import SINGLE_THREAD_ENVIRONMENT
from offnominal.studies.failure import KILLED, OUT_OF_MEMORY, ErrorInfo
from offnominal.studies.kinds import kind_of
from offnominal.studies.local import DIED, python_path
from offnominal.studies.task import Task, TaskEnded, TaskResult, TaskStarted, run_task

SHARE = 0.25
"""Of a GPU, for a detector that can use one."""


class RayPool:
    """The processors of a Ray cluster.

    Every machine needs this package, and whatever else the detectors need, in the same version; a machine whose code
    differs fails its cells by name. Datasets are made again on machines that do not have them. Results come back to
    this process, so that the machines need no folder in common.

    Args:
        address: Of the cluster; ``"auto"`` for the one that runs on this machine, ``"local"`` to start one.
        workers: Tasks at once at most; one per processor of the cluster if None.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        self.address = address
        self.workers = None if workers is None else positive_integer("workers", workers)
        self._ray = _ray()

    def __enter__(self) -> Self:
        variables = {**SINGLE_THREAD_ENVIRONMENT, "PYTHONPATH": python_path()}
        if "OFFNOMINAL_DATA" in os.environ:
            variables["OFFNOMINAL_DATA"] = os.environ["OFFNOMINAL_DATA"]
        self._ray.init(address=self.address, runtime_env={"env_vars": variables}, log_to_driver=False)
        return self

    def __exit__(self, *error: object) -> None:
        self._ray.shutdown()

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        """Do tasks in their order and tell of each beginning and end."""
        resources = self._ray.cluster_resources()
        most = self.workers or max(int(resources.get("CPU", 1)), 1)
        waiting, running = deque(tasks), dict[Any, tuple[Task, str]]()
        free = [str(number) for number in range(most, 0, -1)]
        while waiting or running:
            while waiting and free:
                task, name = waiting.popleft(), free.pop()
                running[self._submit(task, resources)] = task, name
                yield TaskStarted(task, name)
            ready, _ = self._ray.wait(list(running), num_returns=1)
            for reference in ready:
                task, name = running.pop(reference)
                free.append(name)
                yield TaskEnded(task, name, self._answer(reference))

    def _submit(self, task: Task, resources: dict[str, float]) -> Any:
        """Send a task away; Ray does not try it again, because the runner does, as on one machine."""
        gpus = SHARE if task.key and resources.get("GPU") and _uses_gpu(task) else 0.0
        remote = self._ray.remote(num_cpus=1, num_gpus=gpus, max_retries=0)(_perform)
        return remote.remote(replace(task, store=""))

    def _answer(self, reference: Any) -> TaskResult:
        try:
            answer: TaskResult = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return TaskResult(error_info=self._error_info(error))
        return answer

    def _error_info(self, error: Exception) -> ErrorInfo:
        errors, message = self._ray.exceptions, f"the process that did this cell died: {error}"
        if isinstance(error, errors.OutOfMemoryError):
            return ErrorInfo(OUT_OF_MEMORY, f"out of memory: {error}", str(error), killed=True)
        if isinstance(error, errors.RayTaskError):
            return ErrorInfo(DIED, message, str(error))
        return ErrorInfo(KILLED, message, str(error), killed=True)


def _perform(task: Task) -> TaskResult:
    return run_task(task, _sources())


@cache
def _sources() -> Sources:
    return Sources()


def _uses_gpu(task: Task) -> bool:
    return kind_of(task.cell).uses_gpu(task.cell, _sources())


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingDependency('a cluster needs Ray; install it with `pip install "offnominal[ray]"`.') from None
    return ray
