"""Compare the speed of the worlds with that of another checkout: `python tools/compare_speed.py ../before`.

Measured are the steps of the public vector API, with and without faults. Each checkout has a process of its own. The
two take turns of a few milliseconds, and the best turn of each counts, in CPU time: what else runs on the machine then
matters little. Processes are started anew a few times, because the same code may run some percent slower in another
one. Before the first comparison, compare a checkout with itself, which shows how much is noise.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parents[1]
WORLDS = ("SAP-Goal1-v0", "OOD-CartPole-v0", "MJC-CartpoleSwingup-v0", "CAR-LaneKeep-v0", "OOD-Pendulum-v0")
ROWS = (1, 64, 1024)
LEAST = 0.97
"""Ratio before / now below which something has become slower."""
TURN_SECONDS = 0.02
ACTIONS = 16
"""Actions of a cell, which are drawn before the clock starts."""


class Cell(NamedTuple):
    """What is measured: a world with some rows, each with one fault of each target, or without faults."""

    world: str
    rows: int
    faults: bool


Timer = Callable[[Cell], float]
"""Returns the CPU time of one step of all rows of a cell in microseconds."""


def main(arguments: list[str] | None = None) -> int:
    """Print the times of both checkouts and their ratios; return 1 if a ratio is below the least one."""
    parser = argparse.ArgumentParser(description="Compare the speed of the worlds with that of another checkout.")
    parser.add_argument("base", type=Path, help="folder of the other checkout, such as that of the last release")
    parser.add_argument("--worlds", nargs="+", default=WORLDS, metavar="ID")
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS, metavar="N")
    parser.add_argument("--turns", type=int, default=20, help="turns of each checkout per cell and process")
    parser.add_argument("--processes", type=int, default=3, help="how often the processes are started")
    given = parser.parse_args(arguments)
    if not (given.base / "src" / "offnominal").is_dir():
        parser.error(f"{given.base} has no src/offnominal; give the folder of a checkout")
    cells = [Cell(*each) for each in itertools.product(given.worlds, given.rows, (False, True))]
    best = dict.fromkeys(cells, (math.inf, math.inf))
    for _ in range(given.processes):
        with ExitStack() as stack:
            before, now = (stack.enter_context(StepTimes(folder)) for folder in (given.base, HERE))
            for cell in cells:
                times = take_turns(before, now, cell, given.turns)
                best[cell] = (min(best[cell][0], times[0]), min(best[cell][1], times[1]))
    print("\n".join(table(best)))
    return int(any(before / now < LEAST for before, now in best.values()))


def take_turns(before: Timer, now: Timer, cell: Cell, turns: int) -> tuple[float, float]:
    """Return the best times of two checkouts, which take turns and begin alternately."""
    best = [math.inf, math.inf]
    timers = (before, now)
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            best[which] = min(best[which], timers[which](cell))
    return best[0], best[1]


def table(best: dict[Cell, tuple[float, float]]) -> Iterable[str]:
    """Yield the lines of a Markdown table; cells that have become slower are marked."""
    yield "| world | rows | faults | before, µs | now, µs | before / now |"
    yield "|---|--:|---|--:|--:|--:|"
    for (world, rows, faults), (before, now) in best.items():
        ratio = f"{before / now:.3f}" if before / now >= LEAST else f"**{before / now:.3f}**"
        yield f"| {world} | {rows:,} | {'yes' if faults else 'no'} | {before:.2f} | {now:.2f} | {ratio} |"


class StepTimes:
    """Measures steps with the code of a checkout, in a process of its own that runs :func:`serve`.

    Args:
        folder: The checkout.
    """

    def __init__(self, folder: Path) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        path = [str(folder / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, __file__, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join(path)},
        )

    def __call__(self, cell: Cell) -> float:
        """Return the CPU time of one step of a cell, in microseconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(cell), file=self._process.stdin, flush=True)
        return float(json.loads(self._process.stdout.readline()))

    def __enter__(self) -> StepTimes:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def serve() -> None:
    """Answer each cell on the standard input with the time of its steps; the last cell is kept."""
    kept: tuple[Cell, Callable[[], None]] | None = None
    for line in sys.stdin:
        cell = Cell(*json.loads(line))
        if kept is None or kept[0] != cell:
            kept = cell, steps_of(cell)
            gc.collect()
            gc.disable()
        print(json.dumps(1e6 * measured(kept[1]) / ACTIONS), flush=True)


def measured(work: Callable[[], None]) -> float:
    """Return the mean CPU time of a call over one turn, after a call that warms up."""
    work()
    calls, spent, begun = 0, 0.0, time.process_time()
    while spent < TURN_SECONDS:
        work()
        calls, spent = calls + 1, time.process_time() - begun
    return spent / calls


def steps_of(cell: Cell) -> Callable[[], None]:
    """Return a function that steps a world with random actions."""
    import offnominal as off

    envs = off.make_vec(cell.world, cell.rows, faults=faults_of(cell.world, cell.rows) if cell.faults else None)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(ACTIONS)]

    def step() -> None:
        for each in actions:
            envs.step(each)

    return step


def faults_of(world: str, rows: int) -> list[Any]:
    """Return one fault of each target per row, cycling through all anomalies of a world."""
    import offnominal as off
    from offnominal.anomalies import make_anomaly
    from offnominal.laws import anomalies_of
    from offnominal.laws.anomaly import visible_parameter
    from offnominal.worlds.world_source import build_world

    built = build_world(world, 1)
    kinds: dict[str, list[off.Fault]] = {}
    for name in anomalies_of(world):
        anomaly = make_anomaly(name)
        kinds.setdefault(anomaly.target, []).append(off.Fault(anomaly, visible_parameter(anomaly, built)))
    return [tuple(each[row % len(each)] for each in kinds.values()) for row in range(rows)]


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        sys.exit(main())
