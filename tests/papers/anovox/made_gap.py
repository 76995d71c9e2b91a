"""A made-up run between simulated scenes and photographs."""

from __future__ import annotations

import pyarrow as pa

from offnominal.studies.result_rows import table_of
from offnominal.studies.results import RunResults

VALUES = {("simulated", "simulated"): 0.9, ("simulated", "fishyscapes"): 0.6, ("fishyscapes", "simulated"): 0.55}


def gap_results() -> RunResults:
    """Return the results of PatchKNN, which loses most between domains."""
    rows = []
    for seed in (0, 1):
        for (trained, tested), value in VALUES.items():
            rows.append(
                {
                    "key": f"PatchKNN{seed}",
                    "world": "domain-gap",
                    "policy": "mono",
                    "name": "PatchKNN",
                    "detector": "PatchKNN",
                    "seed": seed,
                    "split": f"{trained}/{tested}",
                    "alarm": None,
                    "trained_on_name": trained,
                    "tested_on_name": tested,
                    "images": 20,
                    "auroc": value + 0.02 * seed,
                    "aupr": 0.3,
                    "fpr95": 0.5,
                }
            )
    manifest = {"config": {"kind": "domain-gap"}}
    return RunResults("anovox-gap", "Gap", "", "smoke", manifest, table_of(rows), pa.table({}))
