"""How work is measured: per CPU-second of the process, contenders taking turns to share the machine's moods."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

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
    """CPU time of a single call in milliseconds, the best round of several."""

    median: float
    p99: float


def latencies(contenders: dict[str, Callable[[], int]], calls: int = CALLS, turns: int = TURNS) -> dict[str, Latency]:
    """Return how long a call of each contender takes. CPU time: what waits for a neighbour is not counted."""
    best = {name: Latency(math.inf, math.inf) for name in contenders}
    for work in contenders.values():
        work()
    for _ in range(turns):
        for name, work in contenders.items():
            spent = _round(work, calls)
            best[name] = Latency(*map(min, (best[name].median, best[name].p99), (spent.median, spent.p99)))
    return best


def _round(work: Callable[[], int], calls: int) -> Latency:
    gc.collect()
    gc.disable()
    spent = []
    for _ in range(calls):
        start = time.process_time()
        work()
        spent.append(1e3 * (time.process_time() - start))
    gc.enable()
    return Latency(statistics.median(spent), statistics.quantiles(spent, n=100)[98])


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
