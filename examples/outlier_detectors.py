"""Row detectors of this package beside those of PyOD and scikit-learn: one table, one pipeline, one loop.

PyOD is optional: its rows are left out if it is not installed (`pip install offnominal[bench]`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from offnominal.detectors.rows import HBOS, KNN, LOF, Mahalanobis, OutlierDetector

ROWS, OUTLIERS, COLUMNS = 900, 100, 6


def table(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of a correlated Gaussian with independent outliers, and their labels."""
    draw = np.random.default_rng(seed)
    mixing = draw.normal(size=(COLUMNS, COLUMNS))
    nominal = draw.normal(size=(ROWS, COLUMNS)) @ mixing
    outliers = draw.normal(size=(OUTLIERS, COLUMNS)) * nominal.std(axis=0) * 1.5
    return np.concatenate([nominal, outliers]), np.repeat([False, True], [ROWS, OUTLIERS])


def main() -> None:
    """Print the AUROC and the share of detected outliers of every detector."""
    rows, labels = table()
    ours = {
        f"offnominal {type(each).__name__}": OutlierDetector(each, contamination=0.1)
        for each in (KNN(10), LOF(20), HBOS(), Mahalanobis())
    }
    theirs = {"scikit-learn IsolationForest": SklearnForest(contamination=0.1, random_state=0)}
    print(f"{'detector':32} AUROC  detected")
    for name, detector in {**ours, **theirs, **of_pyod()}.items():
        pipeline = make_pipeline(StandardScaler(), detector).fit(rows)
        # PyOD's scores are higher for outliers, and its label of outliers is 1; those of scikit-learn are the opposite.
        sign = 1 if name.startswith("PyOD") else -1
        scores, found = sign * pipeline.decision_function(rows), pipeline.predict(rows) == sign
        print(f"{name:32} {roc_auc_score(labels, scores):5.3f}  {found[labels].mean():6.0%}")


def of_pyod() -> dict[str, Any]:
    """Return detectors of PyOD; none if it is not installed."""
    try:
        from pyod.models import hbos, knn
    except ModuleNotFoundError:
        print("PyOD is not installed; `pip install offnominal[bench]` adds its lines.")
        return {}
    return {f"PyOD {make.__name__}": make(contamination=0.1) for make in (knn.KNN, hbos.HBOS)}


if __name__ == "__main__":
    main()
