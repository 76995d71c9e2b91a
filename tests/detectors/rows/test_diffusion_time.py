"""DTE-NP is a nearest-neighbour rule in closed form; DTE-C estimates the step of known noise."""

import numpy as np
import pytest
from scipy.stats import invgamma

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.detectors.random_numbers import CPU, RandomNumbers  # noqa: E402
from offnominal.detectors.rows.dte import (  # noqa: E402
    LARGEST_BETA,
    LEAST_BETA,
    DTECategorical,
    TimeClassifier,
    bin_loss,
    noise_variances,
)
from offnominal.detectors.rows.dte_neighbours import DTENonParametric  # noqa: E402
from offnominal.detectors.rows.knn import KNN  # noqa: E402

DRAW = np.random.default_rng(0)
KNOWN, FRESH = DRAW.normal(size=(200, 6)), 2.0 * DRAW.normal(size=(40, 6))


def squared_distances(k):
    return np.sort(np.square(FRESH[:, None] - KNOWN).sum(axis=2), axis=1)[:, :k]


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
@pytest.mark.parametrize("k", [1, 5])
def test_the_score_is_the_mean_squared_distance_to_the_neighbours_by_column(algorithm, k):
    found = DTENonParametric(k, algorithm=algorithm).fit(KNOWN).score(FRESH)
    np.testing.assert_allclose(found, squared_distances(k).mean(axis=1) / 6, rtol=1e-12)


def test_the_score_is_the_mode_of_the_inverse_gamma_posterior_of_the_variance():
    scores = DTENonParametric(5).fit(KNOWN).score(FRESH)
    grid = np.linspace(1e-3, scores.max() * 1.5, 20_001)
    scale = squared_distances(5).mean(axis=1) / 2
    modes = [grid[invgamma.pdf(grid, a=6 / 2 - 1, scale=each).argmax()] for each in scale]
    np.testing.assert_allclose(scores, modes, atol=grid[1] - grid[0])


def test_of_one_neighbour_the_ranks_are_those_of_the_nearest_neighbour():
    ranks = [detector.fit(KNOWN).score(FRESH).argsort() for detector in (DTENonParametric(1), KNN(1))]
    np.testing.assert_array_equal(*ranks)


def test_contributions_of_the_columns_add_up_to_the_score():
    detector = DTENonParametric(5).fit(KNOWN)
    terms = detector._contributions(FRESH)
    assert terms.shape == FRESH.shape
    np.testing.assert_allclose(terms.sum(axis=1), detector.score(FRESH), rtol=1e-12)


def test_the_noise_of_a_step_is_what_all_steps_before_leave():
    betas = np.linspace(LEAST_BETA, LARGEST_BETA, 10)
    kept, expected = 1.0, []
    for beta in betas:
        kept *= 1.0 - beta
        expected.append(1.0 - kept)
    np.testing.assert_allclose(noise_variances(10).numpy(), expected, rtol=1e-6)


def test_bins_have_equally_many_steps():
    detector = DTECategorical(diffusion_steps=400, bins=7)
    bins = detector._bins_of(torch.arange(400)).numpy()
    assert (np.diff(bins) >= 0).all()
    assert sorted(set(np.unique(bins, return_counts=True)[1].tolist())) == [57, 58]
    np.testing.assert_array_equal(np.unique(bins), np.arange(7))


def test_the_loss_is_the_cross_entropy_of_the_right_bins():
    odds = np.array([[0.0, 1.0, -2.0], [3.0, 0.5, 0.0]])
    shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    expected = -np.log([shares[0, 2], shares[1, 0]]).mean()
    assert float(bin_loss(torch.tensor(odds), torch.tensor([2, 0]))) == pytest.approx(expected)


def test_dropout_spares_the_first_hidden_layer_and_scoring():
    classifier, rows = TimeClassifier(3, 8, 5), torch.randn(4, 3)
    plain = classifier(rows)
    torch.testing.assert_close(classifier.with_dropout(rows, RandomNumbers(0, CPU), 0.0), plain)
    shapes = []

    class Counted(RandomNumbers):
        def dropout(self, values, probability):
            shapes.append(values.shape[1])
            return super().dropout(values, probability)

    assert not torch.equal(classifier.with_dropout(rows, Counted(0, CPU), 0.5), plain)
    assert shapes == [16, 8]


@pytest.mark.long
def test_the_estimated_time_grows_with_the_noise():
    draw = np.random.default_rng(1)
    rows = np.repeat(draw.normal(size=(10, 8)), 60, axis=0)
    detector = DTECategorical(hidden=64, dropout=0.1, learning_rate=2e-3, max_iter=400, device="cpu").fit(rows)
    deviations = noise_variances(400).sqrt().numpy()
    means = [detector.score(rows + deviations[step] * draw.normal(size=rows.shape)).mean() for step in (0, 150, 399)]
    assert means[0] < 1.5 < means[1] < 4.0 < means[2] < 6.0
