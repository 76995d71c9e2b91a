"""Support vector machines with three kernels are scikit-learn's."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM as SklearnSVM

from offnominal.detectors.rows.kernels import KERNELS, inner_products, kernel_of, rbf_similarities, similarities
from offnominal.detectors.rows.one_class_svm import OneClassSVM

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


@pytest.mark.parametrize("nu", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("kernel", KERNELS)
def test_scores_are_scikit_learns(kernel, nu):
    machine = SklearnSVM(kernel=kernel, nu=nu, gamma=0.3, degree=2, coef0=0.1).fit(ROWS)
    ours = OneClassSVM(kernel=kernel, nu=nu, gamma=0.3, degree=2, coef0=0.1).fit(ROWS).score(FRESH)
    np.testing.assert_allclose(ours, -machine.score_samples(FRESH), rtol=1e-9, atol=1e-9)


def test_radial_similarities_do_not_depend_on_how_they_are_computed():
    weights = np.random.default_rng(0).uniform(size=len(ROWS))
    kept = similarities(inner_products(FRESH, ROWS, "rbf"), weights, "rbf", 0.4)
    np.testing.assert_array_equal(rbf_similarities(FRESH, ROWS, weights, 0.4), kept)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_of_a_whole_kernel_give_the_same_similarity(kernel):
    products = inner_products(FRESH, ROWS, kernel)
    weights = np.random.default_rng(0).uniform(size=len(ROWS))
    expected = kernel_of(products, kernel, 0.4) @ weights
    np.testing.assert_allclose(similarities(products, weights, kernel, 0.4), expected, rtol=1e-12)


def test_a_kernel_too_steep_for_the_tolerance_stops_all_the_same():
    rows = np.random.default_rng(1).standard_cauchy(size=(80, 2))
    steep = OneClassSVM(kernel="poly", nu=0.5, gamma=50.0, max_iter=2000).fit(rows)
    assert np.isfinite(steep.score(rows)).all()
