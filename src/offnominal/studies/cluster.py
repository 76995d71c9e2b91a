"""Workers on a Ray cluster, for the same tasks as on one machine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
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
"""Share of a GPU for a cell that can use one."""
WORKING_DIRECTORY = "OFFNOMINAL_WORKING_DIRECTORY"
"""Environment variable of workers: the working directory of the run."""


class RayPool:
    """Workers on a Ray cluster.

    Every machine needs this package, and the packages of the detectors, in the same version; cells fail on a machine
    with other code. Datasets are generated on machines that lack them. Results are returned to this process, so no
    shared folder is needed.

    Args:
        address: Address of the cluster; ``"auto"`` for the one that runs on this machine, ``"local"`` to start one.
        workers: Maximum number of parallel tasks; one per processor of the cluster if None.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        self.address = address
        self.workers = None if workers is None else positive_integer("workers", workers)
        self._ray = _ray()

    def __enter__(self) -> Self:
        variables = {**SINGLE_THREAD_ENVIRONMENT, "PYTHONPATH": python_path(), WORKING_DIRECTORY: str(Path.cwd())}
        if "OFFNOMINAL_DATA" in os.environ:
            variables["OFFNOMINAL_DATA"] = os.environ["OFFNOMINAL_DATA"]
        self._ray.init(address=self.address, runtime_env={"env_vars": variables}, log_to_driver=False)
        return self

    def __exit__(self, *error: object) -> None:
        self._ray.shutdown()

    def processes_per_task(self, tasks: int) -> int:
        """Return 1: Ray reserves one processor per task."""
        return 1

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        """Run tasks in their order, and yield an event at each start and end."""
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
        """Submit a task; the runner retries it, not Ray."""
        gpus = SHARE if task.key and resources.get("GPU") and kind_of(task.cell).uses_gpu(task.cell) else 0.0
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
    """Run a task in the working directory of the run, where this machine has it: paths in a study begin there."""
    here = Path(os.environ.get(WORKING_DIRECTORY, ""))
    if here.is_dir():
        os.chdir(here)
    return run_task(task, _sources())


@cache
def _sources() -> Sources:
    return Sources()


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingDependency('a cluster needs Ray; install it with `pip install "offnominal[ray]"`.') from None
    return ray
