"""Classical detectors beside PyOD, where that is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.comparison import ROWS, Row, parts, points, seconds
from offnominal.detectors.rows.abod import ABOD
from offnominal.detectors.rows.hbos import HBOS
from offnominal.detectors.rows.isolation_forest import IsolationForest
from offnominal.detectors.rows.knn import KNN
from offnominal.detectors.rows.loda import LODA
from offnominal.detectors.rows.lof import LOF
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of

FEW = 500
"""Rows that PyOD's ABOD gets, because it takes minutes for all."""
LOOPED = 10
TURNS = 3
SUBSAMPLE = 256
WAYS = {"kappa": "largest", "gamma": "mean", "delta": "median"}


def detectors() -> list[Row]:
    """Fit 10,000 rows of 20 numbers and score 10,000 others, on one thread: CPU seconds, taking turns. PyOD's `fit`
    also scores the rows that it is fitted on; the last ratio leaves its `fit` out, and ours in. PyOD's ABOD gets 500
    rows to fit and 500 to score, times 20: it takes minutes for all.
    """
    pairs: dict[str, tuple[RowDetector, str, dict[str, Any], int]] = {
        "ABOD, k = 50": (ABOD(50), "abod.ABOD", {"n_neighbors": 50}, FEW),
        "kNN, k = 21": (KNN(21, algorithm="brute"), "knn.KNN", {"n_neighbors": 21}, ROWS),
        "LOF, k = 20": (LOF(20), "lof.LOF", {"n_neighbors": 20}, ROWS),
        "isolation forest, 100 trees of 256 rows": (
            IsolationForest(100, max_samples=SUBSAMPLE, bootstrap=False, backend="numba"),
            "iforest.IForest",
            {"n_estimators": 100},
            ROWS,
        ),
        "HBOS, 10 bins": (HBOS(10), "hbos.HBOS", {"n_bins": 10}, ROWS),
        "LODA, 100 lines of 10 bins": (LODA(10), "loda.LODA", {"n_bins": 10}, ROWS),
        "OC-SVM, rbf, nu = 0.5": (OneClassSVM(gamma=0.05), "ocsvm.OCSVM", {"gamma": 0.05}, ROWS),
    }
    return [beside(name, *pair) for name, pair in pairs.items()]


def beside(name: str, detector: RowDetector, peer: str, options: dict[str, Any], rows: int) -> Row:
    learned, given = points()
    make = pyod(peer, **options)
    # Numba compiles functions on their first call, PyOD's among them.
    detector.fit(learned[:200]).score(given[:10])
    make().fit(learned[:200]).decision_function(given[:10])
    own, fit, score = np.inf, np.inf, np.inf
    fitted: list[Any] = []
    for _ in range(TURNS if rows == ROWS else 1):
        own = min(own, seconds(lambda: detector.fit(learned).score(given), 1))
        fit = min(fit, seconds(lambda: fitted.append(make().fit(learned[:rows])), 1) * ROWS / rows)
        score = min(score, seconds(lambda: fitted[-1].decision_function(given[:rows]), 1) * ROWS / rows)
    bar = ">= 50" if name.startswith("ABOD") else ">= 1"
    ratios = {"ratio": (fit + score) / own, "ratio without fit": score / own}
    return {"detector": name, "ours, s": own, "PyOD fit, s": fit, "PyOD score, s": score} | ratios | {"bar": bar}


def pyod(path: str, **options: Any) -> Callable[[], Any]:
    """Return what makes a detector of PyOD."""
    if importlib.util.find_spec("pyod") is None:
        raise SystemExit("this benchmark needs PyOD; install it with `pip install pyod`.")
    module, name = path.split(".")
    kind = getattr(importlib.import_module(f"pyod.models.{module}"), name)
    return lambda: kind(**options)


def searches() -> list[Row]:
    """100 configurations of kNN on one split of 10,400 rows of 20 numbers, beside a loop that fits PyOD's KNN and
    scores the two other parts, over 10 configurations, times 10: CPU seconds. PyOD has no distance to the mean of the
    neighbours, the median stands in.
    """
    configurations = sample_configurations(search_space_of("knn"), 100, seed=1)
    runner = runner_of("knn")
    runner.run(configurations[:2], parts(), seed=1)
    own = seconds(lambda: runner.run(configurations, parts(), seed=1), 2)

    def loop() -> None:
        for each in configurations[:LOOPED]:
            detector = pyod("knn.KNN", n_neighbors=each["k"], method=WAYS[each["distance"]])()
            detector.fit(parts().train.points)
            for part in (parts().validation, parts().test):
                detector.decision_function(part.points)

    other = seconds(loop, 1) * len(configurations) / LOOPED
    return [{"configurations": 100, "shared, s": own, "PyOD, s": other, "ratio": other / own, "bar": ">= 20"}]


SECTIONS = {"Classical detectors beside PyOD": detectors, "A search beside PyOD": searches}
