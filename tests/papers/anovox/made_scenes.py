"""A made-up run on driving scenes: a detector of objects and one of motion."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from offnominal.studies.results import RunResults

DRAWS = np.array([-0.02, 0.0, 0.02])
ROWS = [("published", "default"), ("published", "+norm"), ("published", "medium"), ("noticed", "frame")]


def scene_results() -> RunResults:
    """Return the results of RbA, which finds objects, and of Motion, which finds braking cars."""
    rows = []
    for name in ("RbA", "Motion"):
        for group, row in ROWS:
            value = 0.9 if (name == "Motion") == (group == "noticed") else 0.6
            rows.append(
                {
                    "key": name,
                    "world": "scenes",
                    "policy": "mono",
                    "name": name,
                    "seed": 0,
                    "split": f"voxel/{group}/{row}",
                    "unit_name": "voxel",
                    "group_name": group,
                    "row_name": row,
                    "alarm": None,
                    "auroc": value,
                    "draws_auroc": list(value + DRAWS),
                    "fpr95": 0.4,
                    "as_published_fpr95": 1.0,
                    "f1": 0.3,
                    "f1_low": 0.2,
                    "f1_high": 0.4,
                }
            )
    manifest = {"config": {"kind": "scenes"}}
    return RunResults("anovox", "Scenes", "", "smoke", manifest, pa.Table.from_pylist(rows), pa.table({}))
