"""How work is measured: per CPU-second of the process, contenders taking turns to share the machine's moods."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

WINDOW = 0.6
TURNS = 5
CALLS = 1000


@dataclass(frozen=True)
class Rate:
    """Work per CPU-second and per second, the best window of several."""

    per_cpu_second: float
    per_second: float


@dataclass(frozen=True)
class Latency:
    """Time of a single call in milliseconds, each number from the best round of several: CPU time and wall time."""

    median: float = math.inf
    p99: float = math.inf
    wall_median: float = math.inf
    wall_p99: float = math.inf


def latencies(contenders: dict[str, Callable[[], int]], calls: int = CALLS, turns: int = TURNS) -> dict[str, Latency]:
    """Return how long a call of each contender takes, after one round to warm up, taking turns.

    CPU time does not count what waits for a neighbour on the same machine; wall time does.
    """
    best = {name: Latency() for name in contenders}
    for work in contenders.values():
        _round(work, calls)
    for _ in range(turns):
        for name, work in contenders.items():
            best[name] = Latency(*map(min, astuple(best[name]), astuple(_round(work, calls))))
    return best


def _round(work: Callable[[], int], calls: int) -> Latency:
    gc.collect()
    gc.disable()
    cpu, wall = [], []
    for _ in range(calls):
        begun, start = time.perf_counter(), time.process_time()
        work()
        cpu.append(1e3 * (time.process_time() - start))
        wall.append(1e3 * (time.perf_counter() - begun))
    gc.enable()
    return Latency(*(number for spent in (cpu, wall) for number in (statistics.median(spent), _p99(spent))))


def _p99(spent: list[float]) -> float:
    return statistics.quantiles(spent, n=100)[98]


def rates(contenders: dict[str, Callable[[], int]], window: float = WINDOW, turns: int = TURNS) -> dict[str, Rate]:
    """Return the rate of each contender; calling one does some work and returns how much."""
    best = {name: Rate(0.0, 0.0) for name in contenders}
    for work in contenders.values():
        work()
    for _ in range(turns):
        for name, work in contenders.items():
            best[name] = _better(best[name], _window(work, window))
    return best


def _window(work: Callable[[], int], length: float) -> Rate:
    gc.collect()
    gc.disable()
    done = 0
    cpu, wall = time.process_time(), time.perf_counter()
    while time.perf_counter() - wall < length:
        done += work()
    rate = Rate(done / (time.process_time() - cpu), done / (time.perf_counter() - wall))
    gc.enable()
    return rate


def _better(first: Rate, second: Rate) -> Rate:
    return Rate(max(first.per_cpu_second, second.per_cpu_second), max(first.per_second, second.per_second))
