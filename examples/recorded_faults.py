"""Detection over the size of a fault, in a recording without labels: `python examples/recorded_faults.py [log.csv]`.

Offsets of a tenth to two standard deviations are written into each channel of the latest episodes of the log. Without a
file, a pump is simulated. The table shows the AUROC of each detector: steps of the fault against steps before it.
"""

import sys

import numpy as np

import offnominal as off
from offnominal.datasets import split_log
from offnominal.detectors import make_detector

DETECTORS = ["Mahalanobis", "KNN", "IsolationForest"]
OFFSETS = [0.1, 0.2, 0.5, 1.0, 2.0]
WINDOW = 100
ONSET = 50


def pump(steps: int = 10_000) -> dict[str, np.ndarray]:
    """Return a recording of a pump: flow, pressure and current follow a command."""
    random = np.random.default_rng(0)
    command = 0.6 + 0.2 * np.sin(np.arange(steps) / 80.0)
    noise = random.normal(size=(3, steps))
    columns = {"flow": command, "pressure": 2.0 * command, "current": 1.5 * command}
    return {name: values + 0.03 * each for (name, values), each in zip(columns.items(), noise, strict=True)}


def main(source: object) -> None:
    """Print one row per channel and offset."""
    data = split_log(off.episodes_from(source, window=WINDOW))
    fitted = {name: make_detector(name).fit(data["train"]) for name in DETECTORS}
    print(f"{'channel':20}{'offset':>8}", *(f"{name:>16}" for name in DETECTORS))
    for channel in data["test"].roles.observations:
        for offset in OFFSETS:
            fault = off.Fault("observation/offset", offset, ONSET, [channel])
            faulty = off.inject_log(data["test"], faults=fault, unit="deviation")
            found = [
                off.evaluate(detector, {"test": data["test"], "faulty": faulty}, replicates=10)["faulty"]
                for detector in fitted.values()
            ]
            row = "".join(f"{each.numbers['auroc'].value:17.3f}" for each in found)
            print(f"{channel:20}{offset:8.1f}{row}")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else pump())
