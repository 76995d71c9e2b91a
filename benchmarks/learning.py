"""Which detectors learn? AUROCs of every trained detector on the reference data of the law of learning.

`python benchmarks/learning.py` writes docs/measured/learning.csv; with names of detectors, their rows are measured and
the others stay; `--missing` measures what has no row. `--workers 8` measures several cases at once. Networks on rows
have 1,000 gradient steps, those of pre-training included; those on images are small and have about as many, encoders
200. Others have their defaults.
"""

from __future__ import annotations

import csv
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from offnominal.detectors import make_detector
from offnominal.laws.learning import REFERENCES, learning_data, measure_learning, trained_detectors

PATH = Path(__file__).parents[1] / "docs" / "measured" / "learning.csv"
STEPS = 1000
FRAMES: dict[str, Any] = {"channels": 8, "learning_rate": 1e-3, "n_epochs": 33, "patience": 33, "batch_size": 16}
SEQUENCES: dict[str, Any] = FRAMES | {"sequence_length": 10, "n_epochs": 83, "patience": 83, "batch_size": 4}
WORLD_MODEL = {"stochastic": 16, "deterministic": 64, "hidden": 64, "belief": 32, "embedding": 64}
ENCODERS: dict[str, Any] = {"batch_size": 16, "n_epochs": 33, "max_updates": 200}
IMAGES: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("LDM", "PredAE"), FRAMES | {"latent": 32}),
    "LRDM": SEQUENCES | {"latent": 32, "recurrent_size": 64},
    "PredNet": SEQUENCES | {"layers": 3},
    "RSSM-PPM": SEQUENCES | WORLD_MODEL,
    **dict.fromkeys(("KNN-ResNet", "CLIP-Sim", "DINO-Patch", "Feature-Mahalanobis"), ENCODERS),
}
"""Parameters of detectors of images, small for small images: about 1,000 updates on 480 frames, 200 of encoders."""
COLUMNS = ("detector", "data", "trained", "untrained", "gaussian", "learned")


def budget_of(name: str) -> dict[str, Any]:
    """Return the parameters of a detector for this measurement."""
    given = make_detector(name).get_params()
    if name in IMAGES:
        return IMAGES[name] | {"device": "cpu"}
    if "pretrain_iter" in given:
        return {"max_iter": STEPS // 2, "pretrain_iter": STEPS // 2, "device": "cpu"}
    return ({"max_iter": STEPS} if "max_iter" in given else {}) | {"device": "cpu"}


Case = tuple[str, str]


def measured(case: Case) -> list[str]:
    """Return the row of a detector on one of its reference data."""
    name, data = case
    found = measure_learning(make_detector(name, **budget_of(name)), data)
    values = (found.trained, found.untrained, found.gaussian)
    return [name, data, *(f"{value:.3f}" for value in values), "yes" if found.learned else "no"]


def known_rows() -> dict[Case, list[str]]:
    """Return the rows of the file."""
    with PATH.open(encoding="utf-8") as file:
        return {(row[0], row[1]): row for row in list(csv.reader(file))[1:]}


def keep(row: list[str]) -> None:
    """Write a row at once, so that an interrupted measurement keeps those that are done."""
    rows = known_rows() | {(row[0], row[1]): row}
    ordered = [rows[case] for case in product(trained_detectors(), REFERENCES) if case in rows]
    with PATH.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *ordered])


def main() -> None:
    """Measure, print and write."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="detectors; all trained ones if none are named")
    parser.add_argument("--missing", action="store_true", help="only what is not in the file")
    parser.add_argument("--workers", type=int, default=1, help="cases at once")
    options = parser.parse_args()
    names = options.names or trained_detectors()
    cases = [(name, data) for name in names for data in learning_data(make_detector(name))]
    if options.missing:
        cases = [case for case in cases if case not in known_rows()]
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        for row in pool.map(measured, cases):
            print(*row, flush=True)
            keep(row)


if __name__ == "__main__":
    main()
