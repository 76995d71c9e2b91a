"""Learning curves of the policies without demonstrations: `python docs/policy_training.py FOLDER` adds trainings.

FOLDER has the files ``*.curves.json`` of `offnominal train-seeds`. The curves go to the table
``docs/measured/policy_training.csv`` and are drawn; without a folder they are only drawn.
"""

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import INK, RULE, SERIES, STYLE, pyplot

DOCS = Path(__file__).parent
CURVES, PUBLISHED = DOCS / "measured" / "policy_training.csv", DOCS / "measured" / "published_returns.csv"
FIGURE = DOCS / "studies" / "anomaly-gym" / "policy_training.png"
COLUMNS = ("world", "seed", "steps", "seconds", "mean_return", "success")


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows_of(file: Path) -> Iterator[dict[str, str]]:
    """Yield a row per evaluation of a training."""
    found = json.loads(file.read_text(encoding="utf-8"))
    for seed, curve in found["curves"].items():
        for each in curve:
            yield {
                "world": found["world"],
                "seed": seed,
                "steps": str(each["steps"]),
                "seconds": f"{each['seconds']:.0f}",
                "mean_return": f"{each['mean_return']:.2f}",
                "success": f"{each['success']:.3f}",
            }


def add(folder: Path) -> None:
    """Add the curves of a folder; those of the same worlds are replaced."""
    new = [row for file in sorted(folder.glob("*.curves.json")) for row in rows_of(file)]
    worlds = {row["world"] for row in new}
    kept = [row for row in read(CURVES) if row["world"] not in worlds]
    with CURVES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept + new, key=lambda row: (row["world"], int(row["seed"]), int(row["steps"]))))


def draw(plt: Any) -> Any:
    """Return a panel per world: the curve of each seed, the published return and its standard deviation."""
    published = read(PUBLISHED)
    figure, panels = plt.subplots(2, 5, figsize=(13.0, 5.0), layout="constrained")
    for axes, row in zip(panels.flat, published, strict=True):
        mean, deviation = float(row["mean"]), float(row["deviation"])
        axes.axhspan(mean - deviation, mean + deviation, color=RULE, alpha=0.5, lw=0)
        axes.axhline(mean, color=INK, lw=1.0, ls="--", label="published, band of one standard deviation")
        mine = [each for each in read(CURVES) if each["world"] == row["world"]]
        for seed, colour in zip(sorted({each["seed"] for each in mine}, key=int), SERIES, strict=False):
            points = [(int(each["steps"]) / 1e6, float(each["mean_return"])) for each in mine if each["seed"] == seed]
            axes.plot(*zip(*points, strict=True), color=colour, lw=1.2, label=f"seed {seed}")
        axes.set_title(row["world"].removesuffix("-v0"))
        axes.set_xlabel("million transitions")
    panels[0, 0].set_ylabel("mean return")
    panels[1, 0].set_ylabel("mean return")
    handles, labels = panels[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        add(Path(folder))
    plt = pyplot()
    with plt.rc_context(STYLE):
        draw(plt).savefig(FIGURE, dpi=110)
