"""A made-up transfer study: a detector that transfers, and one that does not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from offnominal.alarms.guarantee_check import GuaranteeCheck
from offnominal.studies.results import RunResults

SIMULATION, ROBOT = "URM-Reach-v0", "URR-Reach-v0"
FAULTS = {SIMULATION: ("action/offset@strong",), ROBOT: ("action/offset@strong", "dynamics/control_latency@strong")}
EPISODES = 20
ALARM = "episode maximum"
DRAWS = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])


def auroc(name: str, train: str, world: str, split: str) -> float:
    """KNN loses 0.3 by transfer, Mahalanobis nothing."""
    lost = 0.3 if name == "KNN" and train != world else 0.0
    return 0.9 - lost - (0.2 if split.startswith("dynamics") else 0.0)


def rows() -> list[dict]:
    found = []
    for name in ("KNN", "Mahalanobis"):
        for train in (SIMULATION, ROBOT):
            for seed in (0, 1):
                for world, splits in FAULTS.items():
                    for split in splits:
                        found += _rows(name, train, seed, world, split)
    return found


def _rows(name: str, train: str, seed: int, world: str, split: str) -> list[dict]:
    anomaly, _, level = split.partition("@")
    common = {"key": f"{name}{train}{seed}", "world": world, "policy": "scripted", "name": name, "seed": seed}
    common |= {"train_world_name": train, "split": split, "anomaly": anomaly, "kind": anomaly.partition("/")[0]}
    common |= {"level": level, "variant": level, "episodes": EPISODES, "false_alarm_episodes": None}
    common |= dict.fromkeys(_guarantee(0.0))
    value = auroc(name, train, world, split)
    found = [common | {"alarm": None, "matched_auroc": value, "draws_matched_auroc": list(value + DRAWS)}]
    rate = 1.0 if train != world else 0.05
    found.append(common | {"alarm": ALARM, "false_alarm_episodes": rate, **_guarantee(rate)})
    if train != world:
        found.append(common | {"alarm": f"{ALARM} (recalibrated)", "false_alarm_episodes": 0.1 * seed})
        found[-1] |= _guarantee(0.1 * seed)
    return found


def _guarantee(rate: float) -> dict:
    error = float(np.sqrt(rate * (1.0 - rate) / EPISODES))
    text = "a false alarm in at most 10% of nominal episodes, on average over calibrations"
    return GuaranteeCheck(text, "episodes", 0.1, rate, error, 0.0, EPISODES).row()


def transfer_results(title: str = "From simulation to the robot") -> RunResults:
    """Return the results of the study."""
    manifest = {"config": {"kind": "transfer"}}
    return RunResults("transfer", title, "Does it hold?", "", manifest, pa.Table.from_pylist(rows()), pa.table({}))
