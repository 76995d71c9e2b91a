"""Row detectors are estimators of scikit-learn: cloned, searched, in pipelines, and checked by its own checks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from offnominal.core.errors import InvalidParameter, NotFitted, WrongArgument
from offnominal.detectors.rows import (
    ABOD,
    HBOS,
    KNN,
    LODA,
    LOF,
    IsolationForest,
    Mahalanobis,
    OneClassSVM,
    OutlierDetector,
    PIDForest,
)

pytestmark = pytest.mark.long

FAST = {"KNN": KNN(5), "HBOS": HBOS(), "Mahalanobis": Mahalanobis()}
OTHERS = {
    "ABOD": ABOD(5),
    "IsolationForest": IsolationForest(20),
    "LODA": LODA(n_random_cuts=20),
    "LOF": LOF(5),
    "OneClassSVM": OneClassSVM(),
    "PIDForest": PIDForest(5),
}
EXCLUDED = {
    "DeepSVDD": {
        "check_methods_subset_invariance": "float32 scores depend on the batch in the sixth digit; it allows 1e-7"
    }
}
"""Checks that do not apply, by detector, with the reason."""


def failures(name, detector):
    """Return the checks of scikit-learn that fail, with their errors."""
    results = check_estimator(
        OutlierDetector(detector), on_fail=None, on_skip=None, expected_failed_checks=EXCLUDED.get(name)
    )
    assert sum(result["status"] == "passed" for result in results) > 30  # versions differ in their number
    return {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(120, 3)) * [1.0, 10.0, 100.0]


@pytest.mark.parametrize("name", FAST)
def test_scikit_learns_checks_pass(name):
    assert failures(name, FAST[name]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_scikit_learns_checks_pass_for_the_slower_detectors(name):
    assert failures(name, OTHERS[name]) == {}


@pytest.mark.slow
def test_scikit_learns_checks_pass_for_a_deep_detector():
    pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.detectors.rows import DeepSVDD

    assert failures("DeepSVDD", DeepSVDD(max_iter=3, device="cpu")) == {}


@pytest.mark.parametrize("name", {**FAST, **OTHERS})
def test_a_detector_is_cloned_with_its_parameters_only(name, rows):
    detector = {**FAST, **OTHERS}[name]
    fitted = clone(detector).fit(rows)
    again = clone(fitted)
    assert not hasattr(again, "width_")
    assert again.get_params() == detector.get_params()
    np.testing.assert_array_equal(again.fit(rows).score_samples(rows), -fitted.decision_function(rows))


def test_a_deep_detector_is_cloned():
    pytest.importorskip("torch", reason="torch is not installed")
    from offnominal.detectors.rows import DeepSVDD

    detector = DeepSVDD(max_iter=3)
    assert clone(detector).get_params() == detector.get_params()


def test_detectors_work_in_pipelines_and_searches(rows):
    scaled = StandardScaler().fit_transform(rows)
    plain = make_pipeline(StandardScaler(), KNN(5)).fit(rows)
    np.testing.assert_array_equal(plain.decision_function(rows), KNN(5).fit(scaled).score(scaled))
    pipeline = make_pipeline(StandardScaler(), OutlierDetector(KNN(5), contamination=0.1)).fit(rows)
    assert (pipeline.predict(rows) == -1).sum() == 12
    search = GridSearchCV(
        OutlierDetector(KNN()),
        {"detector__n_neighbors": [1, 5], "contamination": [0.1, 0.2]},
        scoring=lambda estimator, X, y=None: estimator.decision_function(X).mean(),
        cv=2,
    ).fit(rows)
    assert set(search.best_params_) == {"detector__n_neighbors", "contamination"}


def test_set_params_checks_names_and_values():
    detector = KNN(2).set_params(n_neighbors=7, distance="gamma")
    assert detector.get_params() == {"n_neighbors": 7, "distance": "gamma", "algorithm": "kd_tree"}
    with pytest.raises(InvalidParameter, match=r"KNN has no parameter 'neighbors'\..* It has n_neighbors, distance"):
        detector.set_params(neighbors=3)
    with pytest.raises(InvalidParameter, match="n_neighbors is 0"):
        detector.set_params(n_neighbors=0)
    assert detector.n_neighbors == 7


@pytest.mark.parametrize(
    ("given", "said"), [({"contamination": 0.7}, "contamination is 0.7"), ({"detector": 3}, "a int")]
)
def test_wrong_parameters_are_refused_at_fit(given, said, rows):
    with pytest.raises(InvalidParameter, match=said):
        OutlierDetector(**given).fit(rows)


def test_errors_that_scikit_learn_prescribes_are_errors_of_this_package_too(rows):
    detector = OutlierDetector(KNN(5))
    with pytest.raises(NotFitted, match="not fitted yet") as unfitted:
        detector.predict(rows)
    assert isinstance(unfitted.value, NotFittedError)
    with pytest.raises(WrongArgument, match="Input X contains NaN") as wrong:
        detector.fit([[1.0], [np.nan]])
    assert isinstance(wrong.value, ValueError)
    with pytest.raises(WrongArgument, match="X has 2 features, but OutlierDetector is expecting 3"):
        detector.fit(rows).predict(rows[:, :2])
