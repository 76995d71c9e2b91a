"""Does SPTN converge? Test AUC by the number of gradient steps, beside a Gaussian mixture fitted by EM.

`python benchmarks/convergence.py` writes docs/measured/convergence.csv.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit, load_table, split_table
from offnominal.detectors.rows import SPTN

PATH = Path(__file__).parents[1] / "docs" / "measured" / "convergence.csv"
TABLES = ("breast-tissue", "iris", "wine", "ecoli", "haberman", "glass")
METHODS = ("EM", "SPTN")
SEEDS = (1, 2, 3)
STEPS = (500, 1000, 2000)
COMPONENTS, LEAST_VARIANCE = 4, 1e-3


def scores(method: str, steps: int, parts: TableSplit, seed: int) -> FloatArray:
    """Return the scores of the test points."""
    train, validation, test = parts.train.points, parts.validation.normal, parts.test.points
    if method == "EM":
        mixture = GaussianMixture(COMPONENTS, reg_covar=LEAST_VARIANCE, n_init=3, random_state=seed)
        return np.asarray(-mixture.fit(train).score_samples(test))
    detector = SPTN(n_components=COMPONENTS, max_iter=steps, device="cpu")
    return detector.fit(train, validation=validation, seed=seed).score(test)


def main() -> None:
    """Write the mean over the splits of AUC and of the nominal test score, the negative log-density of EM and SPTN."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = []
    for method in METHODS:
        for name in TABLES:
            table = load_table(name, drop_identifiers=False)
            splits = [(seed, split_table(table, seed, normalise="paper")) for seed in SEEDS]
            for steps in STEPS if method != "EM" else (0,):
                found = [(scores(method, steps, parts, seed), parts.test.anomalous) for seed, parts in splits]
                auc = np.mean([roc_auc_score(anomalous, score) for score, anomalous in found])
                nominal = np.mean([score[~anomalous].mean() for score, anomalous in found])
                rows.append([method, name, steps or "", f"{auc:.3f}", f"{nominal:.2f}"])
                print(*rows[-1], flush=True)
    with PATH.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["method", "table", "steps", "auc", "nominal"], *rows])


if __name__ == "__main__":
    main()
