"""Write the local AUROC of a run without its faults: `python docs/nulls.py runs/anomaly-gym-smoke`.

It goes to docs/measured/nulls.csv: the null of every detector in each world, with its interval. All faults of a world
have the same onsets, and so the same null. `python docs/findings.py` then draws it.
"""

import csv
import sys
from pathlib import Path

from offnominal.studies import open_run

FILE = Path(__file__).parent / "measured" / "nulls.csv"
NUMBERS = ("null_auroc", "null_auroc_low", "null_auroc_high")


def main(folder: str) -> None:
    """Write the null of each world and detector."""
    run = open_run(folder)
    found: dict[tuple[str, str], list[str]] = {}
    for row in run.table.select(["world", "name", "split", *NUMBERS]).to_pylist():
        if row["null_auroc"] is not None:
            numbers = [f"{row[name]:.6g}" for name in NUMBERS]
            if found.setdefault((row["world"], row["name"]), numbers) != numbers:
                raise SystemExit(f"{row['name']} has another null at {row['split']} of {row['world']}")
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("world", "detector", "null", "low", "high", "scale"))
        writer.writerows([*place, *numbers, run.scale] for place, numbers in sorted(found.items()))


if __name__ == "__main__":
    main(sys.argv[1])
