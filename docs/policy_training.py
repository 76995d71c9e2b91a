"""Learning curves of the policies without demonstrations: `python docs/policy_training.py FOLDER` adds trainings.

FOLDER has the files ``*.curves.json`` of `offnominal train-seeds`. The curves go to the table
``docs/measured/policy_training.csv`` and are drawn; without a folder they are only drawn. ``policy_retraining.csv``
has the same columns, and `training`: the first and the second training of the worlds that were trained again.
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
ALGORITHMS = FIGURE.with_name("policy_training_algorithms.png")
RETRAINING = DOCS / "measured" / "policy_retraining.csv"
AGAIN = FIGURE.with_name("policy_retraining.png")
ORDER = ("tqc", "sac", "td3", "ppo")
COLUMNS = ("world", "algorithm", "seed", "steps", "seconds", "mean_return", "success")


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
                "algorithm": found["settings"]["algorithm"],
                "seed": seed,
                "steps": str(each["steps"]),
                "seconds": f"{each['seconds']:.0f}",
                "mean_return": f"{each['mean_return']:.2f}",
                "success": f"{each['success']:.3f}",
            }


def add(folder: Path) -> None:
    """Add the curves of a folder; those of the same worlds and algorithms are replaced."""
    new = [row for file in sorted(folder.glob("*.curves.json")) for row in rows_of(file)]
    replaced = {(row["world"], row["algorithm"]) for row in new}
    kept = [row for row in read(CURVES) if (row["world"], row["algorithm"]) not in replaced]
    rows = sorted(kept + new, key=_order)
    with CURVES.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _order(row: dict[str, str]) -> tuple[str, bool, str, int, int]:
    """Return the place of a row in the table: TQC is the first algorithm of a world."""
    return row["world"], row["algorithm"] != "tqc", row["algorithm"], int(row["seed"]), int(row["steps"])


def draw(plt: Any) -> Any:
    """Return a panel per world with a curve per seed of TQC."""
    figure, panels = plt.subplots(2, 5, figsize=(13.0, 5.0), layout="constrained")
    curves = read(CURVES)
    for axes, row in zip(panels.flat, read(PUBLISHED), strict=True):
        draw_published(axes, row)
        mine = [each for each in curves if (each["world"], each["algorithm"]) == (row["world"], "tqc")]
        for seed, colour in zip(sorted({each["seed"] for each in mine}, key=int), SERIES, strict=False):
            axes.plot(*points(mine, "tqc", seed), color=colour, lw=1.2, label=f"seed {seed}")
    panels[0, 0].set_ylabel("mean return")
    panels[1, 0].set_ylabel("mean return")
    add_legend(figure, panels[0, 1])
    return figure


def draw_algorithms(plt: Any, curves: list[dict[str, str]]) -> Any:
    """Return a panel per world where other algorithms were trained: the curve of each seed, coloured by algorithm."""
    trained = {each["world"] for each in curves if each["algorithm"] != "tqc"}
    published = [row for row in read(PUBLISHED) if row["world"] in trained]
    figure, panels = plt.subplots(
        1, len(published), figsize=(3.2 * len(published), 3.2), layout="constrained", squeeze=False
    )
    for axes, row in zip(panels[0], published, strict=True):
        draw_published(axes, row)
        mine = [each for each in curves if each["world"] == row["world"]]
        found = sorted({(each["algorithm"], int(each["seed"])) for each in mine}, key=lambda pair: ORDER.index(pair[0]))
        for algorithm, seed in found:
            first = seed == min(number for name, number in found if name == algorithm)
            colour = SERIES[ORDER.index(algorithm)]
            label = algorithm.upper() if first else None
            axes.plot(*points(mine, algorithm, str(seed)), color=colour, lw=1.0, label=label)
    panels[0, 0].set_ylabel("mean return")
    add_legend(figure, panels[0, 0])
    return figure


def draw_retraining(plt: Any) -> Any:
    """Return a panel per world that was trained again: the curve of each seed, coloured by training."""
    curves = read(RETRAINING)
    published = [row for row in read(PUBLISHED) if row["world"] in {each["world"] for each in curves}]
    figure, panels = plt.subplots(1, len(published), figsize=(4.6 * len(published), 3.4), layout="constrained")
    trainings = list(dict.fromkeys(each["training"] for each in curves))
    for axes, row in zip(panels, published, strict=True):
        draw_published(axes, row)
        mine = [each for each in curves if each["world"] == row["world"]]
        for training, seed in dict.fromkeys((each["training"], each["seed"]) for each in mine):
            colour = SERIES[trainings.index(training)]
            rows = [each for each in mine if each["training"] == training]
            label = training if seed == "0" else None
            axes.plot(*points(rows, "tqc", seed), color=colour, lw=1.0, label=label)
    panels[0].set_ylabel("mean return")
    add_legend(figure, panels[-1])
    return figure


def draw_published(axes: Any, row: dict[str, str]) -> None:
    """Draw the published return and its standard deviation."""
    mean, deviation = float(row["mean"]), float(row["deviation"])
    axes.axhspan(mean - deviation, mean + deviation, color=RULE, alpha=0.5, lw=0)
    axes.axhline(mean, color=INK, lw=1.0, ls="--", label="published, band of one standard deviation")
    axes.set_title(row["world"].removesuffix("-v0"))
    axes.set_xlabel("million transitions")


def points(rows: list[dict[str, str]], algorithm: str, seed: str) -> tuple[list[float], list[float]]:
    """Return million transitions and mean returns of a training."""
    mine = [each for each in rows if (each["algorithm"], each["seed"]) == (algorithm, seed)]
    return [int(each["steps"]) / 1e6 for each in mine], [float(each["mean_return"]) for each in mine]


def add_legend(figure: Any, axes: Any) -> None:
    """Add the legend of a panel below the figure."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        add(Path(folder))
    plt = pyplot()
    with plt.rc_context(STYLE):
        draw(plt).savefig(FIGURE, dpi=110)
        draw_retraining(plt).savefig(AGAIN, dpi=110)
        if any(each["algorithm"] != "tqc" for each in read(CURVES)):
            draw_algorithms(plt, read(CURVES)).savefig(ALGORITHMS, dpi=110)
