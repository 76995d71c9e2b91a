"""Draw what alarms guaranteed and what happened in new nominal episodes: `python examples/guarantees.py [folder]`.

Every detector and alarm has one calibration of 200 episodes, and is tested on 5,000 others.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import offnominal as off
from offnominal.reports.guarantees import guarantee_lines

WORLD = "SAP-Goal0-v0"
DETECTORS = ["Mahalanobis", "IsolationForest", "LODA", "Time", "Random"]
ALARMS = ["EpisodeMaximum", "PacEpisodeMaximum", "Quantile"]
SPLITS = {"train": 50, "validation": 200, "test": 5000}
"""Nominal episodes of each split."""


def main(folder: Path) -> None:
    """Write guarantees.png, and print a sentence per guarantee."""
    policy = off.expert(WORLD)
    nominal = off.collect(WORLD, policy, sum(SPLITS.values()))
    data = {}
    for name, size in SPLITS.items():
        data[name], nominal = nominal[:size], nominal[size:]
    fault = off.Fault("observation/noise", 0.1, schedule=5)
    data["faulty"] = off.collect(WORLD, policy, 20, seed=100_000, faults=fault)
    comparison = off.compare(DETECTORS, data, alarms=ALARMS, replicates=100)
    print(*guarantee_lines(comparison.results()), sep="\n")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as report:
        comparison.write_report(report)
        shutil.copy(Path(report, "figures", "guarantees.png"), folder / "guarantees.png")
    print(f"Written: {folder / 'guarantees.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
