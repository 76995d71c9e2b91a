"""Workers on this machine: processes with one thread each; a worker that dies is replaced."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidState
from offnominal.studies.execution import SINGLE_THREAD_ENVIRONMENT
from offnominal.studies.failure import KILLED, OUT_OF_MEMORY, ErrorInfo, out_of_memory
from offnominal.studies.resource_meter import available_mb, oom_kills, resident_mb
from offnominal.studies.task import Task, TaskEnded, TaskResult, TaskStarted

HEADROOM = 1.5
"""Free memory required to start another task, as a multiple of the largest peak so far."""
DIED = "WorkerDied"
STOP_TIMEOUT = 1.0
"""Seconds after which the free memory is checked again."""
KILLING = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
"""Signals sent from outside; other signals mean a crash of the process."""
MAX_STDERR = 4000
"""Number of characters of the output of a dead worker that are stored."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalPool:
    """Processes on this machine.

    A task that raises an error, or whose process dies, fails alone; another process takes over. If
    memory is short, fewer tasks run at once, but always one.

    Args:
        workers: Maximum number of processes; one per processor if None.
        peak_mb: Largest known peak memory of a task.

    Example:
        >>> from offnominal.kinds import Cell, DataEntry
        >>> data = DataEntry(episodes=3, levels=())
        >>> with LocalPool(1) as pool:
        ...     for event in pool.run([Task(Cell("SAP-Goal0-v0", "KNN", "KNN", data=data))]):
        ...         print(type(event).__name__, event.worker)
        TaskStarted 1
        TaskEnded 1
    """

    def __init__(self, workers: int | None = None, *, peak_mb: float = 0.0) -> None:
        self.workers = processors() if workers is None else positive_integer("workers", workers)
        self.peak_mb = peak_mb
        self._hired: list[Worker] = []
        self._lifeline: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        self._lifeline = os.pipe()
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._hired:
            worker.stop()
        self._hired.clear()
        for end in self._lifeline or ():
            os.close(end)
        self._lifeline = None

    def processes_per_task(self, tasks: int) -> int:
        """Return how many processes each of some tasks can have if all of them run at once."""
        return max(1, self.workers // max(1, tasks))

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        """Run tasks in their order, and yield an event at each start and end."""
        if self._lifeline is None:
            raise InvalidState("the pool has not been started; use it in a `with` statement.")
        waiting = deque(tasks)
        while waiting or self._busy:
            while waiting and self._may_begin():
                worker = self._assigned(waiting[0])
                yield TaskStarted(waiting.popleft(), worker.name)
            for worker in self._answered():
                task, answer = worker.result()
                self.peak_mb = max(self.peak_mb, answer.peak_mb)
                if not worker.alive:
                    self._hired.remove(worker)
                yield TaskEnded(task, worker.name, answer)

    @property
    def _busy(self) -> list[Worker]:
        return [worker for worker in self._hired if worker.task is not None]

    def _may_begin(self) -> bool:
        busy = len(self._busy)
        return busy == 0 or (busy < self.workers and available_mb() > HEADROOM * self.peak_mb)

    def _assigned(self, task: Task) -> Worker:
        """Assign a task to a worker; a worker that died while idle is replaced."""
        while True:
            free = [worker for worker in self._hired if worker.task is None]
            worker = free[0] if free else self._start_worker()
            if worker.submit(task):
                return worker
            self._hired.remove(worker)

    def _start_worker(self) -> Worker:
        assert self._lifeline is not None
        taken = {worker.number for worker in self._hired}
        number = next(number for number in range(1, self.workers + 1) if number not in taken)
        self._hired.append(Worker(number, self._lifeline[0]))
        return self._hired[-1]

    def _answered(self) -> list[Worker]:
        owners = {worker.connection: worker for worker in self._busy}
        return [owners[connection] for connection in wait(list(owners), timeout=STOP_TIMEOUT)]  # type: ignore[index]


class Worker:
    """One process.

    Args:
        number: Number of the worker.
        lifeline: Descriptor that ends when this process does.
    """

    def __init__(self, number: int, lifeline: int) -> None:
        self.number = number
        self.task: Task | None = None
        self.alive = True
        self._kills_before = oom_kills()
        self._words = TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-m", "offnominal.studies.worker", str(theirs.fileno()), str(lifeline)]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=[theirs.fileno(), lifeline],
                env={**os.environ, **SINGLE_THREAD_ENVIRONMENT, "PYTHONPATH": python_path()},
            )
        self.connection = Connection(ours.detach())

    @property
    def name(self) -> str:
        """Name in messages."""
        return str(self.number)

    def submit(self, task: Task) -> bool:
        """Hand over a task; False if the worker is dead."""
        try:
            self.connection.send(task)
        except OSError:
            self.stop()
            return False
        self.task = task
        return True

    def result(self) -> tuple[Task, TaskResult]:
        """Return the result of the task, or the error of a dead worker."""
        assert self.task is not None
        task, self.task = self.task, None
        try:
            answer: TaskResult = self.connection.recv()
        except (EOFError, OSError):
            answer = self._error_of_dead_worker()
            self.stop()
        return task, answer

    def _error_of_dead_worker(self) -> TaskResult:
        """Return why the process is gone, and how much memory it held."""
        code, peak = self._buried()
        cause = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
        self._words.seek(0)
        words = self._words.read().decode(errors="replace")[-MAX_STDERR:]
        kills = oom_kills()
        if code == -signal.SIGKILL and kills is not None and kills > (self._kills_before or 0):
            message = out_of_memory(f"the system killed the process that did this cell by {signal.SIGKILL.name}", peak)
            return TaskResult(peak_mb=peak, error_info=ErrorInfo(OUT_OF_MEMORY, message, words, killed=True))
        killed = -code in KILLING
        message = f"the process that did this cell {cause}."
        return TaskResult(peak_mb=peak, error_info=ErrorInfo(KILLED if killed else DIED, message, words, killed=killed))

    def _buried(self) -> tuple[int, float]:
        """Return the exit code of the process and the most memory it held, in MiB."""
        try:
            _, status, usage = os.wait4(self._process.pid, 0)
        except ChildProcessError:
            return self._process.wait(), 0.0
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode, resident_mb(usage)

    def stop(self) -> None:
        """Kill the process. Results are written atomically, so none is left incomplete."""
        self.alive = False
        self.connection.close()
        self._process.kill()
        self._process.wait()
        self._words.close()


def python_path() -> str:
    """Return the module search path of this process, for its workers."""
    return os.pathsep.join(str(Path(place).absolute()) for place in sys.path)
