"""Take tables and figures of the study of streams from a report: `python docs/streams.py runs/streams-laptop`.

Tables go to docs/measured, figures to docs/studies/streams. `python docs/tables.py` then updates the pages.
"""

import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
TABLES = {name: f"streams_{name}.csv" for name in ("alarms", "conditions", "promises", "outcomes", "nulls", "faults")}
FIGURES = ("alarms.png", "stream.png")


def main(folder: str) -> None:
    """Copy the files of a report."""
    report, pictures = Path(folder), DOCS / "studies" / "streams"
    pictures.mkdir(parents=True, exist_ok=True)
    for name, file in TABLES.items():
        shutil.copyfile(report / "tables" / f"{name}.csv", DOCS / "measured" / file)
    for figure in FIGURES:
        shutil.copyfile(report / "figures" / figure, pictures / figure)


if __name__ == "__main__":
    main(sys.argv[1])
