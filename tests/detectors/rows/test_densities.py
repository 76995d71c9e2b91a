"""Kernel density and mixture of Gaussians, by densities of SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.detectors.rows.gaussian_mixture import GaussianMixture
from offnominal.detectors.rows.kernel_density import KernelDensity

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long
UNITS = np.array([1.0, 0.1, 5.0])
NOMINAL, OTHER = ROWS * UNITS, FRESH * UNITS


def test_kernel_density_is_the_mean_of_gaussians():
    deviation = 0.3 * NOMINAL.std(axis=0)
    logs = [multivariate_normal(row, np.diag(deviation**2)).logpdf(OTHER) for row in NOMINAL]
    expected = np.log(len(NOMINAL)) - logsumexp(logs, axis=0)
    np.testing.assert_allclose(KernelDensity(0.3).fit(NOMINAL).score(OTHER), expected, rtol=1e-9)


def test_scott_bandwidth_follows_the_number_of_rows_and_columns():
    by_name = KernelDensity().fit(NOMINAL).score(OTHER)
    np.testing.assert_allclose(by_name, KernelDensity(len(NOMINAL) ** (-1 / 7)).fit(NOMINAL).score(OTHER))


def test_far_rows_do_not_underflow_to_the_same_score():
    near, far = KernelDensity(0.1).fit(ROWS).score(np.array([[1e3] * 3, [1e4] * 3]))
    assert near < far < np.inf


def test_a_mixture_is_the_sum_of_its_gaussians():
    detector = GaussianMixture(3).fit(NOMINAL)
    scale, mean = detector.units_.scale, detector.units_.mean
    parts = []
    for weight, centre, factor in zip(detector.weights_, detector.means_, detector.factors_, strict=True):
        covariance = np.linalg.inv(factor @ factor.T) * np.outer(scale, scale)
        parts.append(np.log(weight) + multivariate_normal(mean + scale * centre, covariance).logpdf(OTHER))
    np.testing.assert_allclose(detector.score(OTHER), -logsumexp(parts, axis=0), rtol=1e-6)


@pytest.mark.parametrize("groups", [1, 4])
def test_bic_finds_the_number_of_groups(groups):
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(400, 2)) + 12.0 * draw.integers(groups, size=(400, 1)) * [1.0, -1.0]
    assert len(GaussianMixture().fit(rows).weights_) == groups


def test_more_components_than_rows_are_refused_and_not_tried():
    with pytest.raises(InvalidParameter, match="n_components is 9, but there are 4 rows"):
        GaussianMixture(9).fit(NOMINAL[:4])
    with pytest.raises(InvalidParameter, match="there is 1 row"):
        GaussianMixture().fit(NOMINAL[:1])
    assert len(GaussianMixture().fit(NOMINAL[:4]).weights_) <= 4


def test_a_file_with_another_triangle_is_refused():
    state = GaussianMixture(2).fit(NOMINAL).state_dict()
    state["factors"] = state["factors"].transpose(0, 2, 1).copy()
    with pytest.raises(DamagedFile, match="upper triangular"):
        GaussianMixture(2).load_state_dict(state)
