"""Compare an agent with and without each fault of a world: `python examples/twins.py [folder]`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.agents.experts import scripted_expert
from offnominal.anomalies.fault import Fault
from offnominal.core.progress_bar import progress
from offnominal.core.types import Frame
from offnominal.reports.figures import TwinPanel, twin_figure
from offnominal.reports.tables import markdown, write_csv
from offnominal.rollouts.twin_rollouts import Twin, twins
from offnominal.worlds.catalogue import make_world

WORLD = "SAP-Goal1-v0"
VIEW = (-1.5, 1.5, -1.5, 1.5)
PATH = (4, 5)
SHOWN = ("observation/offset", "action/delay", "dynamics/force", "dynamics/mass")
PARAMETERS = {
    "observation/noise": 0.3,
    "observation/scaling": 0.5,
    "observation/offset": 0.26,
    "observation/drift": 0.05,
    "observation/temporal_noise": 0.3,
    "observation/quantisation": 0.5,
    "action/noise": 1.5,
    "action/scaling": 0.3,
    "action/offset": 0.6,
    "action/drift": 0.2,
    "action/temporal_noise": 1.5,
    "action/delay": 4.0,
    "dynamics/force": 3.0,
    "dynamics/mass": 4.5,
    "dynamics/moving_objects": 13.0,
    "dynamics/damping": 0.7,
}


def main(folder: Path, pairs: int = 100) -> None:
    """Run the scripted expert with and without each fault; write ``faults.csv`` and ``twins.png``."""
    folder.mkdir(parents=True, exist_ok=True)
    policy = scripted_expert(WORLD)
    rows, shown = [], []
    with progress("Faults", total=len(PARAMETERS)) as tick:
        for anomaly, parameter in PARAMETERS.items():
            fault = Fault(anomaly, parameter)
            both = twins(WORLD, policy, pairs, faults=fault)
            rows.append(_summary(fault, both))
            if anomaly in SHOWN:
                pair = _example(both)
                shown.append(TwinPanel(f"{anomaly}  {parameter:g}", pair, _scene(pair.nominal.seed), VIEW, PATH))
            tick(note=anomaly)
    write_csv(folder / "faults.csv", rows)
    twin_figure(folder / "twins.png", shown)
    print(markdown(rows))


def _summary(fault: Fault, both: Sequence[Twin]) -> dict[str, Any]:
    damage = np.array([pair.damage for pair in both])
    return {
        "fault": fault.id,
        "parameter": fault.strength,
        "faulty": float(np.mean([pair.faulty.active.any() for pair in both])),
        "return lost": float(damage.mean()),
        "±95%": float(1.96 * damage.std(ddof=1) / np.sqrt(len(damage))),
        "success": float(np.mean([pair.faulty.success for pair in both])),
        "nominal": float(np.mean([pair.nominal.success for pair in both])),
    }


def _example(both: Sequence[Twin]) -> Twin:
    """Return a pair with an early onset and the largest moderate divergence."""
    early = [pair for pair in both if pair.faulty.onset is not None and pair.faulty.onset <= 5]
    moderate = [pair for pair in early if pair.divergence().max(initial=0.0) < 1.5 and len(pair.faulty) > 10]
    return max(moderate or early or both, key=lambda pair: float(pair.divergence().max(initial=0.0)))


def _scene(seed: int) -> Frame:
    """Return the first frame of the episode of a seed."""
    world = make_world(WORLD, 1)
    row = np.zeros(1, np.int64)
    world.reset(row, row + seed, row)
    image: Frame = world.frames()[0]
    return image


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/twins"))
