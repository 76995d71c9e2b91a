"""Cost of a computation: CPU time by purpose, wall time and peak memory."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEGABYTE = 2**20
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_MEMORY = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_COUNTERS = Path("/proc/vmstat")


class ResourceMeter:
    """Measures from its creation on.

    Where the system can, the peak of memory is that since the making; elsewhere it is that of the whole process.

    Example:
        >>> meter = ResourceMeter()
        >>> with meter("fit"):
        ...     total = sum(range(1000))
        >>> meter.cpu["fit"] >= 0.0, meter.wall > 0.0, meter.peak_mb() > 1.0
        (True, True, True)

    Attributes:
        cpu: Processor time in seconds by purpose.
        steps: Number of scored steps, frames or rows; added by the code that scores them.
    """

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.steps = 0
        self._begun = time.perf_counter()
        _forget_peak()

    @contextmanager
    def __call__(self, purpose: str) -> Iterator[None]:
        """Add the processor time of the block, all threads of this process together, to a purpose."""
        begun = time.process_time()
        try:
            yield
        finally:
            self.cpu[purpose] = self.cpu.get(purpose, 0.0) + time.process_time() - begun

    @property
    def wall(self) -> float:
        """Seconds since the making."""
        return time.perf_counter() - self._begun

    def peak_mb(self) -> float:
        """Return the most memory that was held, in MiB."""
        return peak_mb()

    def cost(self) -> dict[str, float]:
        """Return the columns of the cost of a cell; of purposes, ``fit``, ``score`` and ``evaluate`` count."""
        cpu = {f"{purpose}_cpu_s": self.cpu.get(purpose, 0.0) for purpose in ("fit", "score", "evaluate")}
        return cpu | {"wall_s": self.wall, "peak_mb": self.peak_mb(), "steps_scored": self.steps}


def peak_mb() -> float:
    """Return the most memory that this process held since the last meter was made, in MiB."""
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        return resident_mb(resource.getrusage(resource.RUSAGE_SELF))


def resident_mb(usage: resource.struct_rusage) -> float:
    """Return the most memory that a process held in its life, in MiB."""
    return usage.ru_maxrss / (MEGABYTE if sys.platform == "darwin" else 1024)


def oom_kills() -> int | None:
    """Return how many processes this machine or container has killed for want of memory; None if it does not say."""
    counts = []
    for path in (_COUNTERS, _CGROUP / "memory.events", _CGROUP / "memory" / "memory.oom_control"):
        try:
            lines = path.read_text(encoding="ascii").splitlines()
            counts += [int(line.split()[1]) for line in lines if line.startswith("oom_kill ")]
        except (OSError, ValueError):
            continue
    return sum(counts) if counts else None


def _forget_peak() -> None:
    try:
        _CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return


def available_mb() -> float:
    """Return how much memory could be taken without anything being pushed out, in MiB; infinite if unknown."""
    free = [float("inf")]
    try:
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
        free += [int(line.split()[1]) / 1024 for line in lines if line.startswith("MemAvailable:")]
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        if limit != "max":
            used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
            free.append((int(limit) - used) / MEGABYTE)
    except (OSError, ValueError):
        pass
    return min(free)
