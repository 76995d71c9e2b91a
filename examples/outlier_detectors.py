"""Row detectors of this package beside those of PyOD and scikit-learn, on one table and with one interface.

PyOD is optional: its rows are left out if it is not installed.
"""

from __future__ import annotations

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
    rows, _ = table()
    print(f"{'detector':32} AUROC  detected")
    for detector in (KNN(10), LOF(20), HBOS(), Mahalanobis()):
        pipeline = make_pipeline(StandardScaler(), OutlierDetector(detector, contamination=0.1)).fit(rows)
        show(f"offnominal {type(detector).__name__}", -pipeline.decision_function(rows), pipeline.predict(rows) == -1)
    forest = make_pipeline(StandardScaler(), SklearnForest(contamination=0.1, random_state=0)).fit(rows)
    show("scikit-learn IsolationForest", -forest.decision_function(rows), forest.predict(rows) == -1)
    for name, scores, found in of_pyod(rows):
        show(name, scores, found)


def show(name: str, scores: np.ndarray, found: np.ndarray) -> None:
    """Print one line of the table."""
    _, labels = table()
    print(f"{name:32} {roc_auc_score(labels, scores):5.3f}  {found[labels].mean():6.0%}")


def of_pyod(rows: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return name, scores and found outliers of detectors of PyOD; none if it is not installed."""
    try:
        from pyod.models import hbos, knn
    except ModuleNotFoundError:
        print("PyOD is not installed; `pip install pyod` adds its lines.")
        return []
    scaled = StandardScaler().fit_transform(rows)
    fitted = [make(contamination=0.1).fit(scaled) for make in (knn.KNN, hbos.HBOS)]
    return [
        (f"PyOD {type(each).__name__}", each.decision_function(scaled), each.predict(scaled) == 1) for each in fitted
    ]


if __name__ == "__main__":
    main()
