"""Contract of the row detectors: sign, independence of rows, state dict, named errors."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.rows.abod import ABOD
from offnominal.detectors.rows.dte_neighbours import DTENonParametric
from offnominal.detectors.rows.ecod import ECOD
from offnominal.detectors.rows.gaussian_mixture import GaussianMixture
from offnominal.detectors.rows.hbos import HBOS
from offnominal.detectors.rows.isolation_forest import IsolationForest
from offnominal.detectors.rows.kernel_density import KernelDensity
from offnominal.detectors.rows.knn import KNN
from offnominal.detectors.rows.loda import LODA
from offnominal.detectors.rows.lof import LOF
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.detectors.rows.pidforest import PIDForest

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long

ALL = [
    ABOD(5),
    HBOS(),
    ECOD(),
    ECOD(combine="columns"),
    ECOD(combine="means"),
    KernelDensity(),
    GaussianMixture(3),
    OneClassSVM(),
    OneClassSVM(kernel="sigmoid", gamma=0.1),
    OneClassSVM(kernel="poly", gamma=0.1, max_iter=100_000),
    LODA(n_random_cuts=20),
    LODA(10, n_random_cuts=20),
    LOF(5),
    KNN(5),
    KNN(5, algorithm="brute"),
    KNN(5, distance="gamma"),
    KNN(5, distance="delta"),
    KNN(5, distance="gamma", algorithm="brute"),
    KNN(5, distance="delta", algorithm="brute"),
    DTENonParametric(),
    DTENonParametric(5, algorithm="brute"),
    PIDForest(10),
    IsolationForest(20, max_samples=0.7, max_features=0.7),
    IsolationForest(20, max_samples=0.7, max_features=0.7, backend="numba"),
    IsolationForest(20, max_samples=0.7, max_features=0.7, bootstrap=False, backend="numba"),
]
each_detector = pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)


@pytest.mark.parametrize(
    "detector",
    [p for p in ALL if getattr(p, "kernel", "rbf") == "rbf"],
    ids=lambda detector: type(detector).__name__,
)
def test_distant_rows_have_high_scores(detector):
    rng = np.random.default_rng(2)
    nominal, strange = rng.normal(size=(300, 4)), np.array([8.0, -8.0, 8.0, -8.0]) + rng.normal(size=(20, 4))
    detector.fit(nominal[:200], seed=1)
    assert np.median(detector.score(nominal[200:])) < detector.score(strange).min()


@each_detector
def test_a_row_has_the_same_score_alone(detector):
    detector.fit(ROWS, seed=3)
    together = detector.score(FRESH)
    assert np.isfinite(together).all()
    np.testing.assert_array_equal(together, [detector.score(row[None])[0] for row in FRESH])


@each_detector
def test_a_seed_fixes_the_scores(detector):
    scores = [type(detector)(**detector.get_params()).fit(ROWS, seed=4).score(FRESH) for _ in range(2)]
    np.testing.assert_array_equal(*scores)


@each_detector
def test_a_state_dict_can_be_loaded(detector):
    detector.fit(ROWS, seed=3)
    twin = type(detector)(**detector.get_params())
    state = {name: np.array(values) for name, values in detector.state_dict().items()}
    assert all(values.dtype.kind in "fi" for values in state.values())
    twin.load_state_dict(state)
    np.testing.assert_array_equal(twin.score(FRESH), detector.score(FRESH))


@each_detector
def test_the_state_does_not_change_with_the_given_rows(detector):
    rows = ROWS.copy()
    detector.fit(rows, seed=3)
    before = detector.score(FRESH)
    rows[:] = 0.0
    np.testing.assert_array_equal(detector.score(FRESH), before)


@each_detector
def test_a_constant_column_gives_finite_scores(detector):
    rows, fresh = ROWS.copy(), FRESH.copy()
    rows[:, 1], fresh[:10, 1] = 3.0, 3.0
    assert np.isfinite(detector.fit(rows, seed=3).score(fresh)).all()


@each_detector
def test_bad_rows_are_named(detector):
    with pytest.raises(NotFitted, match="call fit first"):
        type(detector)(**detector.get_params()).score(FRESH)
    detector.fit(ROWS)
    with pytest.raises(InvalidParameter, match="2 columns; fit got 3"):
        detector.score(FRESH[:, :2])
    with pytest.raises(InvalidParameter, match="row 2 has a value that is not finite"):
        detector.fit(np.where(np.arange(len(ROWS))[:, None] == 2, np.nan, ROWS))
    with pytest.raises(InvalidParameter, match="expected numbers"):
        detector.fit(np.array([["a"] * 3]))


@each_detector
@pytest.mark.parametrize("reading", [np.nan, np.inf, -np.inf, 1e160])
def test_a_row_with_an_invalid_value_has_the_largest_score_and_the_others_keep_theirs(detector, reading):
    detector.fit(ROWS, seed=3)
    broken = FRESH.copy()
    broken[7, 1] = reading
    expected = detector.score(FRESH)
    expected[7] = MAX_SCORE
    np.testing.assert_array_equal(detector.score(broken), expected)


@each_detector
def test_scores_of_extreme_rows_are_finite_and_at_most_the_largest(detector):
    scores = detector.fit(ROWS, seed=3).score(np.outer([1e29, 1e25, -1e20, 1e12], [1.0, -1.0, 1.0]))
    assert np.isfinite(scores).all()
    assert (scores <= MAX_SCORE).all()


@each_detector
def test_a_failed_fit_keeps_the_previous_state(detector):
    detector.fit(ROWS, seed=3)
    before = detector.score(FRESH)
    with pytest.raises(InvalidParameter):
        detector.fit(np.full((50, 3), np.nan))
    np.testing.assert_array_equal(detector.score(FRESH), before)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ABOD(2), "n_neighbors is 2; expected an integer of at least 3"),
        (lambda: ABOD(5).fit(np.repeat(ROWS[:5], 4, axis=0)), "only 5 of the 20 rows are distinct"),
        (lambda: HBOS(0), "n_bins is 0"),
        (lambda: ECOD(combine="max"), "combine is 'max'"),
        (lambda: KernelDensity(0.0), "bandwidth is 0.0"),
        (lambda: KernelDensity("silverman"), "expected a positive number or 'scott'"),
        (lambda: GaussianMixture(0), "n_components is 0"),
        (lambda: GaussianMixture("aic"), "expected a positive integer or 'bic'"),
        (lambda: HBOS(alpha=0.0), "alpha is 0.0"),
        (lambda: HBOS(tol=-1.0), "tol is -1.0"),
        (lambda: OneClassSVM(kernel="linear"), "kernel is 'linear'; expected one of 'rbf', 'sigmoid', 'poly'"),
        (lambda: OneClassSVM(nu=0.0), "nu is 0.0"),
        (lambda: OneClassSVM(gamma="wide"), "gamma is 'wide'"),
        (lambda: OneClassSVM(gamma=-1.0), "gamma is -1.0"),
        (lambda: LODA("many"), "n_bins is 'many'"),
        (lambda: LODA(n_random_cuts=0), "n_random_cuts is 0"),
        (lambda: LOF(0), "n_neighbors is 0"),
        (lambda: LOF(5).fit(ROWS[:5]), "n_neighbors is 5, but there are 5 rows, each with 4 neighbours"),
        (lambda: KNN(1, distance="mean"), "distance is 'mean'; expected one of 'kappa', 'gamma', 'delta'"),
        (lambda: KNN(9).fit(ROWS[:5]), "n_neighbors is 9, but there are 5 rows"),
        (lambda: PIDForest(max_buckets=1), "max_buckets is 1"),
        (lambda: PIDForest(percentile=101), "percentile is 101"),
        (lambda: PIDForest().fit(np.ones((9, 2))), "all 9 rows are equal"),
        (lambda: IsolationForest(max_samples=0.0), "max_samples is 0.0; expected a number in .0, 1"),
        (lambda: IsolationForest(max_features=1.5), "max_features is 1.5; expected a number in .0, 1"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()
