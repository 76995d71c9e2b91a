"""A made-up diagnosis study: a detector that names the sensor, and one that does not."""

from __future__ import annotations

import pyarrow as pa

from offnominal.studies.results import RunResults

WORLD, SPLITS = "SAP-Goal1-v0", ("observation/offset@extreme", "observation", "all", "nominal")
HITS = {"Mahalanobis": 0.8, "Random": 0.1}


def rows() -> list[dict]:
    found = []
    for name, hit in HITS.items():
        for split in SPLITS:
            row = {
                "key": name,
                "world": WORLD,
                "policy": "expert",
                "name": name,
                "seed": 0,
                "split": split,
                "episodes": 20,
            }
            for number in ("found", "channel_hit", "onset_error", "onset_covered", "fault_hit"):
                row |= {number: hit, f"{number}_low": hit - 0.1, f"{number}_high": hit + 0.1}
            found.append(row | {"channel_random": 0.2, "fault_random": 0.5})
    return found


def diagnosis_results() -> RunResults:
    """Return the results of the study."""
    manifest = {"config": {"kind": "diagnosis"}}
    return RunResults("diagnosis", "Diagnosis", "Who is it?", "", manifest, pa.Table.from_pylist(rows()), pa.table({}))
