"""Measure in which share of frames anomalies are visible: `python tools/measure_visibility.py --scenes 60`.

The scenes of each preset are those of its sets with the seeds 1, 2, and so on, each set in a random order. About 20
evenly spaced frames of each scene count. The result is docs/measured/scene_visibility.csv, one line per scene, which
`python docs/tables.py` shows in docs/guide/driving-scenes.md. An interrupted run resumes; more scenes are added to
those in the file.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import numpy as np

from offnominal.worlds.road.scenarios import Scenario, ScenarioPreset, make_scenarios, scenario_presets
from offnominal.worlds.road.scenes.visibility import count_visible

FILE = Path(__file__).parents[1] / "docs" / "measured" / "scene_visibility.csv"
COLUMNS = ("preset", "type", "scenario", "label", "cameras", "frames", "camera", "lidar")
"""Without a label, the published rules discard the scenario."""
TYPES = ("content", "temporal")
FRAMES = 20


def scenarios_of(preset: ScenarioPreset, type_: str) -> Iterator[Scenario]:
    """Yield the scenarios of a type, set by set, each set in a random order."""
    for seed in count(1):
        made = [each for each in make_scenarios(preset, seed=seed) if each.type == type_]
        for k in np.random.default_rng(seed).permutation(len(made)):
            yield made[k]


def measured() -> list[dict[str, str]]:
    """Return the lines of the file; none if there is none."""
    if not FILE.is_file():
        return []
    with FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure(preset: ScenarioPreset, type_: str, scenario: Scenario) -> dict[str, object]:
    """Return the line of a scenario."""
    every = max(1, preset.timing.frames // FRAMES) if type_ == "content" else 1
    found = count_visible(scenario, every)
    line: dict[str, object] = {"preset": preset.name, "type": type_, "scenario": scenario.id}
    if found is not None:
        line |= {"label": found.label.name, "cameras": found.cameras, "frames": found.frames}
        line |= {"camera": found.camera, "lidar": found.lidar}
    return line


class Measurement:
    """The lines of the file, and the scenarios that follow."""

    def __init__(self) -> None:
        lines = measured()
        self.known = {(each["preset"], each["scenario"]) for each in lines}
        self.accepted = Counter((each["preset"], each["type"]) for each in lines if each["label"])
        self.presets = [each for each in scenario_presets() if set(TYPES) & set(each.types)]
        self.sources = {(each.name, type_): scenarios_of(each, type_) for each in self.presets for type_ in TYPES}

    def until(self, scenes: int) -> Iterator[None]:
        """Measure presets and types in turn until each has some accepted scenes; yield after each scene."""
        for wanted in range(1, scenes + 1):
            for preset in self.presets:
                for type_ in TYPES:
                    while self.accepted[preset.name, type_] < wanted:
                        self.add(preset, type_)
                        yield None

    def add(self, preset: ScenarioPreset, type_: str) -> None:
        """Measure the next scenario and add its line to the file."""
        source = self.sources[preset.name, type_]
        scenario = next(each for each in source if (preset.name, each.id) not in self.known)
        line = measure(preset, type_, scenario)
        is_new = not FILE.is_file()
        with FILE.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(line)
        self.known.add((preset.name, scenario.id))
        self.accepted[preset.name, type_] += "label" in line


def main() -> None:
    """Measure scenes until every preset has enough of each type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=60, help="accepted scenes of each preset and type")
    parser.add_argument("--limit", type=int, default=None, help="at most so many scenes in this run")
    options = parser.parse_args()
    for _ in islice(Measurement().until(options.scenes), options.limit):
        pass


if __name__ == "__main__":
    main()
