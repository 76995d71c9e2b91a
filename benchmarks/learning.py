"""Which detectors learn? AUROCs of every trained detector on the reference data of the law of learning.

`python benchmarks/learning.py` writes docs/measured/learning.csv. With names of detectors as arguments it only prints.
Networks on rows have 1,000 gradient steps, those of pre-training included; others have their defaults.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from offnominal.detectors import detectors, make_detector
from offnominal.detectors.catalogue import UNTRAINED
from offnominal.laws.learning import measure_learning
from offnominal.laws.reference_data import REFERENCE_TABLES, REFERENCE_WORLDS
from offnominal.laws.report import SkipLaw

PATH = Path(__file__).parents[1] / "docs" / "measured" / "learning.csv"
STEPS = 1000
COLUMNS = ("detector", "data", "trained", "untrained", "gaussian", "learned")


def budget_of(name: str) -> dict[str, Any]:
    """Return the parameters of a detector for this measurement."""
    given = make_detector(name).get_params()
    if "pretrain_iter" in given:
        return {"max_iter": STEPS // 2, "pretrain_iter": STEPS // 2, "device": "cpu"}
    return ({"max_iter": STEPS} if "max_iter" in given else {}) | {"device": "cpu"}


def measured(name: str) -> Iterator[list[str]]:
    """Yield a row for each of the reference data to which the law applies."""
    for data in (*REFERENCE_TABLES, *REFERENCE_WORLDS):
        try:
            found = measure_learning(make_detector(name, **budget_of(name)), data)
        except SkipLaw:
            continue
        values = (found.trained, found.untrained, found.gaussian)
        yield [name, data, *(f"{value:.3f}" for value in values), "yes" if found.learned else "no"]


def main() -> None:
    """Measure and print; write if no detectors are named."""
    chosen = sys.argv[1:] or [name for name in detectors.ids() if f"{name}{UNTRAINED}" in detectors]
    rows = []
    for name in chosen:
        for row in measured(name):
            print(*row, flush=True)
            rows.append(row)
    if len(sys.argv) == 1:
        with PATH.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
