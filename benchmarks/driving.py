"""The towns of the driving world: ticks of the simulation, and frames with all outputs of a camera and a lidar."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice

from benchmarks.worlds import Row
from offnominal.worlds.road.rigs import rig
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.scenes import ScenarioRun
from offnominal.worlds.road.town import town_names

VEHICLES, PEDESTRIANS = 100, 100
FRAMES, WINDOW = 60, 10


def _run(town: str, weather: str) -> ScenarioRun:
    scenario = Scenario("benchmark", town, weather, seed=1, vehicles=VEHICLES, pedestrians=PEDESTRIANS)
    return ScenarioRun(scenario, rig=replace(rig("mono"), width=512, height=384))


def _tick_ms(run: ScenarioRun) -> float:
    """Return the CPU time of a tick of the whole scenario, the better of two runs."""
    spent = []
    for _ in range(2):
        start = time.process_time()
        ticks = sum(1 for _ in run.states())
        spent.append((time.process_time() - start) / ticks)
    return 1e3 * min(spent)


def _frame_seconds(run: ScenarioRun) -> tuple[float, float]:
    """Return the CPU time of a frame: that of the best window of frames, and the mean."""
    frames = iter(run)
    next(frames)
    windows = []
    for _ in range(FRAMES // WINDOW):
        start = time.process_time()
        for _frame in islice(frames, WINDOW):
            pass
        windows.append((time.process_time() - start) / WINDOW)
    return min(windows), sum(windows) / len(windows)


def towns() -> list[Row]:
    """Towns with 100 vehicles and 100 pedestrians: a tick of the simulation, and a frame of 512 x 384 pixels with
    colours, depth, labels, instances and shadows plus a lidar of 64 x 1,024, simulation included, files not.
    """
    rows: list[Row] = []
    for town in town_names():
        for weather in ("CLEAR_NOON", "HARD_RAIN_NOON"):
            run = _run(town, weather)
            best, mean = _frame_seconds(run)
            rows.append(
                {
                    "task": f"{town}, {weather}",
                    "ms per tick": round(_tick_ms(run), 2),
                    "bar, ms": "<= 5",
                    "CPU-s per frame, best": round(best, 3),
                    "CPU-s per frame, mean": round(mean, 3),
                    "bar, CPU-s": "<= 0.25 with files",
                }
            )
    return rows


SECTIONS = {"Towns": towns}
