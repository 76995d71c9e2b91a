"""Is the published PIDForest due to the errors of its public code? Test AUC without them and with them.

`python benchmarks/pidforest.py` writes docs/measured/pidforest.csv: the 100 configurations of the study on some tables,
in the paper's protocol: five splits, the configuration with the best mean validation AUC.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit, load_table, split_table
from offnominal.datasets.tables.table_split import TablePart
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of

PATH = Path(__file__).parents[1] / "docs" / "measured" / "pidforest.csv"
TABLES = ("breast-tissue", "iris", "wine", "glass", "ecoli", "haberman", "parkinsons")
METHODS = ("pidf", "pidp")
SEEDS = (1, 2, 3, 4, 5)
CONFIGURATIONS = 100


def aucs(method: str, parts: TableSplit, seed: int) -> FloatArray:
    """Return validation AUC and test AUC of every configuration, (2, configurations)."""
    configurations = sample_configurations(search_space_of("pidf"), CONFIGURATIONS, seed=0)
    found = runner_of(method).run(configurations, parts, seed)
    return np.array(
        [[_auc(parts.validation, each.validation) for each in found], [_auc(parts.test, each.test) for each in found]]
    )


def _auc(part: TablePart, scores: FloatArray | None) -> float:
    return float("nan") if scores is None else float(roc_auc_score(part.anomalous, scores))


def selected(method: str, name: str) -> float:
    """Return the mean test AUC of the configuration with the best mean validation AUC."""
    table = load_table(name, drop_identifiers=False)
    splits = [(split_table(table, seed, normalise="paper"), seed) for seed in SEEDS]
    validation, test = np.mean([aucs(method, parts, seed) for parts, seed in splits], axis=0)
    return float(test[np.nanargmax(validation)])


def main() -> None:
    """Measure and write."""
    rows = []
    for name in TABLES:
        rows.append([name, *(f"{selected(method, name):.3f}" for method in METHODS)])
        print(*rows[-1], flush=True)
    with PATH.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["table", "right", "with_errors"], *rows])


if __name__ == "__main__":
    main()
