"""Row detectors give the scores of scikit-learn."""

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf
from sklearn.ensemble import IsolationForest as SklearnForest
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import OneClassSVM as SklearnSVM

from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.rows import KNN, IsolationForest, Mahalanobis, OneClassSVM

pytestmark = pytest.mark.long

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(700, 5)) * [1.0, 2.0, 0.5, 1.0, 3.0]
FRESH = np.concatenate([RNG.normal(size=(80, 5)), 4.0 * RNG.normal(size=(40, 5)), ROWS[:10]])
ALL = [KNN(3), IsolationForest(20), OneClassSVM(nu=0.3), Mahalanobis()]


@pytest.mark.parametrize("k", [1, 4])
def test_nearest_neighbours_are_scikit_learns(k):
    expected = NearestNeighbors(n_neighbors=k).fit(ROWS).kneighbors(FRESH)[0][:, -1]
    np.testing.assert_allclose(KNN(k).fit(ROWS).score(FRESH), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("rows", [3, 120, 700])
def test_the_forest_is_scikit_learns(rows, bootstrap):
    forest = SklearnForest(n_estimators=50, max_samples=min(256, rows), bootstrap=bootstrap, random_state=7).fit(
        ROWS[:rows]
    )
    ours = IsolationForest(50, bootstrap=bootstrap).fit(ROWS[:rows], seed=7)
    np.testing.assert_allclose(ours.score(FRESH), -forest.score_samples(FRESH), rtol=1e-9)


@pytest.mark.parametrize("gamma", ["auto", "scale", 0.7])
def test_the_support_vector_machine_is_scikit_learns(gamma):
    machine = SklearnSVM(nu=0.5, gamma=gamma).fit(ROWS)
    ours = OneClassSVM(gamma=gamma).fit(ROWS)
    np.testing.assert_allclose(ours.score(FRESH), -machine.score_samples(FRESH), rtol=1e-9, atol=1e-9)


def test_the_mahalanobis_distance_is_scikit_learns_in_units_of_the_standard_deviations():
    mean, spread = ROWS.mean(0), ROWS.std(0)
    expected = np.sqrt(LedoitWolf().fit((ROWS - mean) / spread).mahalanobis((FRESH - mean) / spread))
    np.testing.assert_allclose(Mahalanobis().fit(ROWS).score(FRESH), expected, rtol=1e-9)


def test_the_mahalanobis_distance_does_not_depend_on_units():
    units = np.array([1e-3, 1.0, 1e6, 40.0, 1e-5])
    scores = Mahalanobis().fit(ROWS).score(FRESH)
    np.testing.assert_allclose(Mahalanobis().fit(ROWS * units + 2.0).score(FRESH * units + 2.0), scores, rtol=1e-6)


def test_the_mahalanobis_distance_of_an_outlier_in_a_small_column_is_large():
    rows = np.random.default_rng(1).normal(size=(2000, 2)) * [1e-3, 1.0]
    (score,) = Mahalanobis().fit(rows).score(np.array([[50e-3, 0.0]]))
    assert 45.0 < score < 55.0


def test_the_mahalanobis_distance_keeps_the_unit_of_a_constant_column():
    rows = np.column_stack([ROWS, np.full(len(ROWS), 7.0)])
    scores = Mahalanobis().fit(rows).score(np.array([[0.0] * 5 + [7.0], [0.0] * 5 + [8.0]]))
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


@pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)
def test_a_row_has_the_same_score_alone(detector):
    detector.fit(ROWS, seed=3)
    together = detector.score(FRESH)
    alone = [detector.score(row[None])[0] for row in FRESH]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)
def test_a_state_dict_can_be_loaded(detector):
    detector.fit(ROWS, seed=3)
    twin = type(detector)(**detector.get_params())
    twin.load_state_dict(detector.state_dict())
    np.testing.assert_array_equal(twin.score(FRESH), detector.score(FRESH))


@pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)
def test_bad_rows_are_named(detector):
    with pytest.raises(NotFitted, match="call fit first"):
        type(detector)(**detector.get_params()).score(FRESH)
    detector.fit(ROWS)
    with pytest.raises(InvalidParameter, match="4 columns; fit got 5"):
        detector.score(FRESH[:, :4])
    with pytest.raises(InvalidParameter, match="row 2 has a value that is not finite"):
        detector.fit(np.where(np.arange(len(ROWS))[:, None] == 2, np.nan, ROWS))
    with pytest.raises(InvalidParameter, match=r"shape \(5,\)"):
        detector.score(FRESH[0])
    with pytest.raises(InvalidParameter, match="expected numbers"):
        detector.score(np.array([["a"] * 5]))


@pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)
def test_a_row_with_an_invalid_value_has_the_largest_score_and_the_others_keep_theirs(detector):
    detector.fit(ROWS, seed=3)
    expected = detector.score(FRESH)
    for reading in (np.nan, -np.inf, 1e160):
        broken = FRESH.copy()
        broken[1, 2] = reading
        scores = detector.score(broken)
        assert scores[1] == MAX_SCORE
        np.testing.assert_array_equal(np.delete(scores, 1), np.delete(expected, 1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KNN(0), "n_neighbors is 0"),
        (lambda: KNN(9).fit(ROWS[:5]), "n_neighbors is 9, but there are 5 rows"),
        (lambda: OneClassSVM(nu=1.5), "nu is 1.5"),
        (lambda: IsolationForest(0), "n_estimators is 0"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


@pytest.mark.parametrize("detector", ALL, ids=lambda detector: type(detector).__name__)
def test_the_decision_function_is_the_score(detector):
    detector.fit(ROWS, None)
    np.testing.assert_array_equal(detector.decision_function(FRESH), detector.score(FRESH))
