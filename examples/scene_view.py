"""Draw the contact sheet of the guide on driving scenes: `python examples/scene_view.py [file]`."""

import sys
from dataclasses import replace
from pathlib import Path

from offnominal.detectors.scenes import HeightAboveRoad
from offnominal.reports.scene_view import view_scene
from offnominal.reports.scene_view.sources import SimulatedSource
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario
from offnominal.worlds.road.scenes import ScenarioRun

STREET = Scenario("cow", town="residential", weather="CLEAR_NOON", seed=8, vehicles=60, pedestrians=40)
TRAINING_SEEDS = (1, 2, 3)
EVERY = 10


def main(path: Path) -> None:
    """Fit a detector on normal drives through the same town, and draw a drive with a cow on the road."""
    rig = replace(RIGS["mono"], width=384, height=256)
    drives = [ScenarioRun(STREET.replace(id=f"normal-{seed}", seed=seed), rig=rig) for seed in TRAINING_SEEDS]
    normal = [list(drive.frames(numbers=range(0, len(drive), EVERY))) for drive in drives]
    detector = HeightAboveRoad().fit(normal)
    cow = STREET.replace(anomaly=ContentAnomaly("cow", distance=80.0, yaw=80.0))
    source = SimulatedSource(cow, rig)
    view_scene(source, path, frames=(85, 96), detectors={"HeightAboveRoad": detector}, height=150)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/assets/road/scene-view.png"))
