"""Classical and deep detectors, and searches over their parameters, beside scikit-learn and plain loops."""

from __future__ import annotations

import gc
import importlib.util
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import Table, TableSplit, split_table
from offnominal.detectors.rows.abod import ABOD
from offnominal.detectors.rows.hbos import HBOS
from offnominal.detectors.rows.isolation_forest import IsolationForest as Forest
from offnominal.detectors.rows.knn import KNN
from offnominal.detectors.rows.loda import LODA
from offnominal.detectors.rows.lof import LOF
from offnominal.detectors.rows.pidforest import PIDForest
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, runner_of
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of

ROWS, WIDTH, FEW = 10_000, 20, 40
FITS = 5
DEEP = ("aae", "avae", "dsvd", "fmgn", "gan", "gano", "maf", "mgal", "rnvp", "sptn", "vae", "vaek", "vaeo", "wae")
Row = dict[str, Any]
Work = Callable[[], Any]


@cache
def points() -> tuple[FloatArray, FloatArray]:
    """Return rows of three clusters, and as many others with one in twenty spread evenly."""
    rng = np.random.default_rng(0)
    centres = 3.0 * rng.normal(size=(3, WIDTH))
    learned, given = (centres[rng.integers(0, 3, ROWS)] + rng.normal(size=(ROWS, WIDTH)) for _ in range(2))
    given[: ROWS // 20] = rng.uniform(-9.0, 9.0, size=(ROWS // 20, WIDTH))
    return learned, given


def seconds(work: Work, turns: int = 3) -> float:
    """Return the CPU seconds of a call, the best of some."""
    best = np.inf
    for _ in range(turns):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best)


def ours(detector: RowDetector) -> float:
    learned, given = points()
    detector.fit(learned[:200]).score(given[:10])
    return seconds(lambda: detector.fit(learned).score(given))


def detectors() -> list[Row]:
    """Fit 10,000 rows of 20 numbers and score 10,000 others, on one thread: CPU seconds. Detectors that scikit-learn
    does not have stand alone; PyOD is a peer where it is installed.
    """
    learned, given = points()
    peers: dict[str, tuple[RowDetector, str, Work | None]] = {
        "kNN, k = 21": (
            KNN(21, algorithm="brute"),
            "scikit-learn NearestNeighbors",
            lambda: NearestNeighbors(n_neighbors=21).fit(learned).kneighbors(given),
        ),
        "LOF, k = 20": (
            LOF(20),
            "scikit-learn LocalOutlierFactor",
            lambda: LocalOutlierFactor(20, novelty=True).fit(learned).score_samples(given),
        ),
        "isolation forest, 100 trees, all rows": (
            Forest(100, max_samples=1.0, bootstrap=False, backend="numba"),
            "scikit-learn IsolationForest",
            lambda: IsolationForest(n_estimators=100, max_samples=1.0).fit(learned).score_samples(given),
        ),
        "HBOS": (HBOS(), "PyOD HBOS", pyod("hbos", "HBOS")),
        "LODA, 100 lines of 10 bins": (LODA(10), "PyOD LODA", pyod("loda", "LODA")),
        "LODA, 100 lines, bins chosen": (LODA(), "", None),
        "PIDForest, 50 trees": (PIDForest(), "", None),
    }
    rows = []
    for name, (detector, peer, work) in peers.items():
        own, other = ours(detector), seconds(work) if work else None
        ratio = other / own if other else None
        rows.append({"detector": name, "ours, s": own, "peer": peer if work else "", "peer, s": other, "ratio": ratio})
    return rows


def pyod(module: str, name: str) -> Work | None:
    """Return what fits and scores a detector of PyOD, if that is installed."""
    if importlib.util.find_spec("pyod") is None:
        return None
    learned, given = points()
    kind = getattr(importlib.import_module(f"pyod.models.{module}"), name)
    return lambda: kind().fit(learned).decision_function(given)


def angles() -> list[Row]:
    """ABOD with 50 neighbours on 10,000 rows of 20 numbers, and the same scores from a loop over pairs in Python, as
    PyOD makes them: for 40 rows, times 250.
    """
    learned, given = points()
    detector = ABOD(50).fit(learned)
    own = ours(ABOD(50))
    near = NearestNeighbors(n_neighbors=50).fit(learned).kneighbors(given[:FEW], return_distance=False)

    def loop() -> list[float]:
        return [-pairwise_variance(given[i], learned[near[i]]) for i in range(FEW)]

    other = seconds(loop, 1) * ROWS / FEW
    apart = float(np.abs(detector.score(given[:FEW]) - loop()).max())
    row = {"ours, s": own, "a loop over pairs, s": other, "ratio": other / own, "largest difference": apart}
    return [row | {"bar": ">= 50"}]


def pairwise_variance(row: FloatArray, neighbours: FloatArray) -> float:
    angles = []
    for a, b in combinations(neighbours, 2):
        first, second = a - row, b - row
        angles.append(np.dot(first, second) / np.linalg.norm(first) ** 2 / np.linalg.norm(second) ** 2)
    return float(np.var(angles))


@cache
def parts() -> TableSplit:
    """Return a split with 6,000 training, 2,000 validation and 2,000 test rows, a tenth of these anomalous."""
    learned, given = points()
    return split_table(Table("clusters", learned[: ROWS - 100], given[: ROWS // 20]), seed=1)


def searches() -> list[Row]:
    """100 configurations (61 of OC-SVM-rbf) on one split of 10,400 rows of 20 numbers: CPU seconds with shared work
    beside one fit after the other. The first row's peer is a loop of scikit-learn's NearestNeighbors, fitted and asked
    anew for each configuration, as PyOD does. The slower loops run over 10 configurations and are scaled up.
    """
    rows = []
    for name, peer in (("knn", scikit_neighbours), ("knn", None), ("lof", None), ("abod", None), ("hbos", None)):
        rows.append(search(name, peer))
    return rows


def search(name: str, peer: Callable[[list[Row]], Any] | None, looped: int = 10) -> Row:
    configurations = sample_configurations(search_space_of(name), 100, seed=1)
    runner = runner_of(name)
    runner.run(configurations[:2], parts(), seed=1)
    own = seconds(lambda: runner.run(configurations, parts(), seed=1), 1)
    few = configurations[:looped]
    alone = peer or (lambda these: ConfigurationRunner(name, runner.make).run(these, parts(), seed=1))
    other = seconds(lambda: alone(few), 1) * len(configurations) / len(few)
    return {
        "method": search_space_of(name).title,
        "configurations": len(configurations),
        "shared, s": own,
        "peer": "scikit-learn, a loop" if peer else "ours, a loop",
        "peer, s": other,
        "ratio": other / own,
        "bar": ">= 20" if peer else "",
    }


def scikit_neighbours(configurations: list[Row]) -> None:
    train = parts().train.points
    for configuration in configurations:
        asked = NearestNeighbors(n_neighbors=configuration["n_neighbors"]).fit(train)
        for part in (parts().validation.points, parts().test.points):
            asked.kneighbors(part)


def deep_fits() -> list[Row]:
    """Five configurations of each deep method with 200 gradient steps (DeepSVDD: 200 more before) on the split of the
    searches. Seconds per fit and score on one thread of the CPU; on a GPU, where there is one, with every kernel
    launched by itself, and with captured updates that are replayed.
    """
    import torch

    rows = []
    for name in DEEP:
        row: Row = {"method": search_space_of(name).title, "CPU, s": deep_fit(name, "cpu")}
        if torch.cuda.is_available():
            plain, replayed = (deep_fit(name, "cuda", replayable=replayable) for replayable in (False, True))
            row |= {"GPU, s": plain, "GPU replayed, s": replayed, "ratio": plain / replayed}
        rows.append(row)
    return rows


def deep_fit(name: str, device: str, *, replayable: bool = True) -> float:
    """Return the seconds of a fit and its scores, the mean over a few configurations."""
    runner, chosen = runner_of(name), {"max_iter": 200, "device": device}
    if name == "dsvd":
        chosen["pretrain_iter"] = 200
    configurations = [
        each | chosen for each in sample_configurations(search_space_of(name), FITS, seed=0, accept=runner.accept)
    ]
    kind: Any = runner.make
    runner.make = type(kind.__name__, (kind,), {"replayable": replayable})
    runner.run(configurations[:1], parts(), seed=1)
    start = time.perf_counter()
    results = runner.run(configurations, parts(), seed=1)
    spent = time.perf_counter() - start if device == "cuda" else sum(each.fit_s + each.score_s for each in results)
    return spent / FITS


SECTIONS = {
    "Classical detectors": detectors,
    "Angles between neighbours": angles,
    "Searches over parameters": searches,
    "Fits of deep methods": deep_fits,
}
