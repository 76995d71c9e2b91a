"""How work is measured: per CPU-second of the process, contenders taking turns to share the machine's moods."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

WINDOW = 0.6
TURNS = 5


@dataclass(frozen=True)
class Rate:
    """Work per CPU-second and per second, the best window of several."""

    per_cpu_second: float
    per_second: float


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
