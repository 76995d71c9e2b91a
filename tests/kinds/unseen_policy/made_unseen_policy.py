"""A made-up study of unseen policies: a detector that holds, and one that does not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from offnominal.studies.results import RunResults

WORLDS = ("SAP-Goal0-v0", "SAP-Goal1-v0")
POLICIES = ("tqc-0", "tqc-1", "tqc-2")
SPLITS = ("action/offset@strong", "dynamics/mass@strong")
ALARM = "episode maximum"
EPISODES = 20
DRAWS = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])


def auroc(name: str, train: str, tested: str, split: str) -> float:
    """KNN loses 0.2 with unseen policies, Mahalanobis nothing."""
    lost = 0.2 if name == "KNN" and train != tested else 0.0
    return 0.9 - lost - (0.2 if split.startswith("dynamics") else 0.0)


def rows() -> list[dict]:
    return [
        row
        for world in WORLDS
        for name in ("KNN", "Mahalanobis")
        for train in POLICIES
        for seed in (0, 1)
        for tested in POLICIES
        for split in SPLITS
        for row in _rows(world, name, train, seed, tested, split)
    ]


def _rows(world: str, name: str, train: str, seed: int, tested: str, split: str) -> list[dict]:
    anomaly, _, level = split.partition("@")
    common = {"key": f"{world}{name}{train}{seed}", "world": world, "policy": tested, "name": name, "seed": seed}
    common |= {"train_policy_name": train, "split": split, "anomaly": anomaly, "kind": anomaly.partition("/")[0]}
    common |= {"level": level, "variant": level, "episodes": EPISODES, "nominal_episodes": EPISODES}
    common |= {"false_alarm_episodes": None}
    value = auroc(name, train, tested, split)
    found = [common | {"alarm": None, "matched_auroc": value, "draws_matched_auroc": list(value + DRAWS)}]
    found.append(common | {"alarm": ALARM, "false_alarm_episodes": 0.05 if train == tested else 0.5})
    if train != tested:
        found.append(common | {"alarm": f"{ALARM} (recalibrated)", "false_alarm_episodes": 0.1 * seed})
    return found


def unseen_policy_results(title: str = "Unseen policies") -> RunResults:
    """Return the results of the study."""
    manifest = {"config": {"kind": "unseen-policy"}}
    return RunResults("unseen", title, "Does it hold?", "", manifest, pa.Table.from_pylist(rows()), pa.table({}))
