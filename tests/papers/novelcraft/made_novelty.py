"""A made-up run on a NovelCraft set: a visual, a symbolic and a multimodal method."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from offnominal.studies.results import RunResults

DRAWS = np.array([-0.02, 0.0, 0.02])
METHODS = (("Visual", "", 0.7), ("Symbolic", "2", 0.6), ("Multimodal", "2", 0.8))


def novelty_results() -> RunResults:
    """Return the results of three methods on episodes with a fence or a thief."""
    rows = []
    for name, variant, auroc in METHODS:
        common = {"key": name, "world": "novelcraft", "name": name, "variant": variant, "seed": 0, "alarm": None}
        common |= {"auroc": auroc, "draws_auroc": list(auroc + DRAWS)}
        rows.append(common | {"task_name": "episodes", "split": "episodes", "row_name": None, "delay_at_tpr": 3.0})
        for novelty in ("fence", "thief"):
            named = {"task_name": "episodes by novelty", "split": f"episodes/{novelty}", "row_name": novelty}
            rows.append(common | named | {"mean_delay": 2.5, "detection_rate": 0.9})
    manifest = {"config": {"kind": "novelty"}}
    return RunResults("novelcraft", "Novelty", "", "smoke", manifest, pa.Table.from_pylist(rows), pa.table({}))
