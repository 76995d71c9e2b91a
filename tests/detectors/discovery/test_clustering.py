"""Semi-supervised clustering: known classes stay together, new ones are found."""

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.detectors.discovery import SSGMM, SSKM, Matching, estimate_n_clusters
from offnominal.detectors.discovery.partly_labelled import PartlyLabelled, seeded_centres

DRAW = np.random.default_rng(1)
CENTRES = 6.0 * np.eye(6)[:, :5]
TRUE = np.repeat(np.arange(6), 30)
ROWS = CENTRES[TRUE] + DRAW.normal(size=(180, 5)) + 40.0
LABELS = np.where((TRUE < 3) & (np.arange(180) % 2 == 0), TRUE + 10, -1)


def lloyd(data, centres, n_iter):
    """Semi-supervised k-means, one row and one centre at a time."""
    for _ in range(n_iter):
        members = [
            [row for row, number in zip(data.labelled, data.numbers, strict=True) if number == k] for k in range(6)
        ]
        for row in data.unlabelled:
            members[min(range(6), key=lambda k, row=row: ((row - centres[k]) ** 2).sum())].append(row)
        centres = np.array([np.mean(each, axis=0) for each in members])
    return centres


def test_iterations_equal_those_of_a_loop():
    data = PartlyLabelled.of(ROWS, LABELS, 6)
    start = seeded_centres(data, 6, np.random.default_rng(0))
    for n_iter in (1, 2):
        _, centres, _, _ = SSKM(6, max_iter=n_iter, tol=0.0)._run(data, start, 0.0)
        np.testing.assert_allclose(centres, lloyd(data, start, n_iter), atol=1e-10)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("method", [SSKM, SSGMM])
def test_known_classes_are_the_first_clusters_and_new_ones_are_found(method, balanced):
    found = method(6, n_init=5, balanced=balanced).fit(ROWS, LABELS)
    known = LABELS >= 0
    assert found.classes_.tolist() == [10, 11, 12]
    assert (found.labels_[known] == TRUE[known]).all(), "labelled rows keep their class"
    assert Matching.of(TRUE[~known], found.labels_[~known]).accuracy() > 0.97
    assert (found.predict(ROWS[~known]) == found.labels_[~known]).all()
    again = method(6, n_init=5, balanced=balanced).fit(ROWS, LABELS)
    assert (again.labels_ == found.labels_).all()


def test_an_outlying_labelled_row_stays_in_its_class():
    rows, labels = ROWS.copy(), LABELS.copy()
    rows[0] = rows[179]
    for method in (SSKM, SSGMM):
        assert method(6).fit(rows, labels).labels_[0] == 0


def test_without_labels_the_mixture_is_that_of_scikit_learn():
    ours = SSGMM(6, n_init=10, tol=1e-6, max_iter=500).fit(ROWS, np.full(180, -1))
    start = {"means_init": ours.means_, "tol": 1e-6, "max_iter": 500}
    theirs = GaussianMixture(6, covariance_type="spherical", random_state=0, **start).fit(ROWS)
    assert ours.log_likelihood_ == pytest.approx(theirs.score(ROWS), abs=1e-4)
    np.testing.assert_allclose(ours.variances_, theirs.covariances_, rtol=0.02)


@pytest.mark.parametrize("search", ["brent", "all"])
def test_the_number_of_clusters_is_estimated(search):
    labels = np.where(TRUE < 4, TRUE, -1)
    assert abs(estimate_n_clusters(ROWS, labels, 14, search=search) - 6) <= 1


def test_a_cluster_that_loses_its_rows_gets_the_farthest_one():
    rows = np.array([[0.0], [0.1], [0.2], [50.0]])
    found = SSKM(3, n_init=1).fit(rows, np.array([0, -1, -1, -1]))
    assert len(np.unique(found.labels_)) == 3


@pytest.mark.parametrize(
    ("rows", "labels", "k", "message"),
    [
        (ROWS[:, 0], LABELS, 6, "shape"),
        (np.full((180, 2), np.nan), LABELS, 6, "finite"),
        (ROWS, LABELS[:9], 6, "180 integers"),
        (ROWS, LABELS.astype(float), 6, "180 integers"),
        (ROWS, np.full(180, -2), 6, "-1 for rows"),
        (ROWS, LABELS, 2, "2 clusters for 3 known classes"),
        (ROWS, TRUE, 6, "nothing to cluster"),
        (ROWS, LABELS, 0, "n_clusters"),
    ],
)
@pytest.mark.parametrize("method", [SSKM, SSGMM])
def test_invalid_input_is_named(method, rows, labels, k, message):
    with pytest.raises(InvalidParameter, match=message):
        method(k).fit(rows, labels)


def test_prediction_needs_a_fit_and_the_same_columns():
    for method in (SSKM, SSGMM):
        with pytest.raises(NotFitted):
            method(3).predict(ROWS)
        with pytest.raises(InvalidParameter, match="expected \\(n, 5\\)"):
            method(6).fit(ROWS, LABELS).predict(ROWS[:, :2])
    with pytest.raises(InvalidParameter, match="no row has a class"):
        estimate_n_clusters(ROWS, np.full(180, -1), 9)
