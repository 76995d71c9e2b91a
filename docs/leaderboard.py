"""Write the leaderboard of a run: `python docs/leaderboard.py runs/quickstart`.

It goes to docs/measured/quickstart.csv, that of Anomaly-Gym to docs/measured/leaderboard.csv. `python docs/tables.py`
then updates README.md and the documentation.
"""

import csv
import sys
from pathlib import Path

from offnominal.evaluation.metrics import METRICS
from offnominal.reports.leaderboard import leaderboard_rows
from offnominal.studies import open_run

MEASURED = Path(__file__).parent / "measured"
FILES = {"anomaly-gym": "leaderboard.csv"}
SHOWN = ("net_detection", "matched_auroc", "net_delay", "auroc")


def main(folder: str) -> None:
    """Write the leaderboard with the number of worlds and faults, the scale, and the version of the experts."""
    run = open_run(folder)
    faults = len(set(zip(run.table["world"].to_pylist(), run.table["split"].to_pylist(), strict=True)))
    about = {"worlds": len(set(run.table["world"].to_pylist())), "faults": faults, "scale": run.scale}
    about["experts"] = run.manifest["versions"].get("experts", "1")
    columns = {name: name for name in ("rank", "detector", "ties")}
    columns |= {METRICS[name].label: METRICS[name].heading for name in SHOWN}
    with (MEASURED / FILES.get(run.name, f"{run.name}.csv")).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*columns.values(), *about], lineterminator="\n")
        writer.writeheader()
        writer.writerows({shown: row[name] for name, shown in columns.items()} | about for row in leaderboard_rows(run))


if __name__ == "__main__":
    main(sys.argv[1])
