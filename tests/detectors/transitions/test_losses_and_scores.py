"""Losses and scores are what their formulas say; what is computed agrees with what is sampled."""

import numpy as np
import pytest
import torch
from scipy import stats

from offnominal.detectors.transitions import losses, scores

pytestmark = pytest.mark.long

SAMPLES = 1000
FIRST = [-0.7050736484298172, -1.4689937187356683, 0.042514373926410234]


def gaussians(width, seed=0, rows=60, n_members=5):
    """Predictions of an ensemble, and truths from well inside to far outside of what it expects."""
    draw = np.random.default_rng(seed)
    mean = 0.3 * draw.normal(size=(n_members, rows, width))
    log_variance = draw.uniform(-4.0, 0.0, (n_members, rows, width))
    return mean, log_variance, draw.normal(size=(rows, width)) * np.geomspace(0.1, 5.0, rows)[:, None]


def sampled(mean, log_variance, actual, seed=1):
    """Mean squared errors of particles, (particles, members, rows)."""
    draw = np.random.default_rng(seed)
    particles = mean + np.exp(0.5 * log_variance) * draw.normal(size=(SAMPLES, *mean.shape))
    return np.square(particles - actual).mean(axis=-1)


@pytest.mark.parametrize("width", [8, 26])
def test_the_nearest_of_fixed_particles_ranks_as_the_nearest_of_sampled_ones(width):
    predicted = gaussians(width)
    fixed = scores.nearest_error(*predicted, scores.particles(width, SAMPLES)).min(axis=0)  # type: ignore[call-arg]
    smallest = sampled(*predicted).min(axis=(0, 1))
    assert stats.spearmanr(fixed, smallest).statistic > 0.95
    np.testing.assert_allclose(np.median(fixed / smallest), 1.0, atol=0.1)


def test_the_nearest_error_is_that_of_particles_placed_one_by_one():
    mean, log_variance, actual = gaussians(3, rows=10)
    particles = scores.particles(3, 50)
    placed = mean[..., None] + np.exp(0.5 * log_variance)[..., None] * particles
    expected = np.square(placed - actual[..., None]).mean(axis=-2).min(axis=-1)
    np.testing.assert_allclose(scores.nearest_error(mean, log_variance, actual, particles), expected, rtol=1e-9)


def test_particles_are_standard_normal_and_always_the_same():
    particles = scores.particles(5, SAMPLES)
    np.testing.assert_allclose(particles.mean(axis=1), 0.0, atol=0.1)
    np.testing.assert_allclose(particles.std(axis=1), 1.0, atol=0.1)
    np.testing.assert_allclose(np.corrcoef(particles), np.eye(5), atol=0.1)
    np.testing.assert_allclose(particles[0, :3], FIRST, rtol=1e-12)


def test_a_particle_that_hits_has_no_negative_error():
    particles = scores.particles(1, SAMPLES)
    certain = np.zeros((SAMPLES, 1))
    nearest = scores.nearest_error(certain, certain, particles.T, particles)
    assert (nearest >= 0).all()
    np.testing.assert_allclose(nearest, 0.0, atol=1e-12)


@pytest.mark.parametrize("distance", [0.0, 1e3, 1e6, 1e9])
def test_the_nearest_error_is_finite_and_not_negative(distance):
    mean, log_variance, _ = gaussians(3)
    nearest = scores.nearest_error(mean, log_variance - 10.0, mean[0] + distance, scores.particles(3, SAMPLES))
    assert np.isfinite(nearest).all()
    assert (nearest >= 0).all()
    np.testing.assert_allclose(nearest[0], distance**2, rtol=0.05, atol=0.01)


def test_the_expected_error_is_the_mean_of_sampled_ones():
    predicted = gaussians(6)
    np.testing.assert_allclose(scores.expected_error(*predicted), sampled(*predicted).mean(axis=0), rtol=0.1)


def test_the_mixture_is_that_of_its_members():
    mean, log_variance, actual = gaussians(3, rows=10)
    density = stats.norm(mean, np.exp(0.5 * log_variance)).pdf(actual).prod(axis=-1).mean(axis=0)
    np.testing.assert_allclose(scores.mixture(mean, log_variance, actual), -np.log(density) / 3)


def test_the_mixture_is_finite_where_its_density_is_not():
    mean, log_variance, actual = gaussians(3)
    assert np.isfinite(scores.mixture(mean, log_variance - 6.0, actual + 1e6)).all()


def test_the_ranked_probability_score_of_a_gaussian_is_its_closed_form():
    levels = (np.arange(2000) + 0.5) / 2000
    actual = np.array([[-1.5, 0.3], [0.0, 4.0]])
    quantiles = np.broadcast_to(stats.norm.ppf(levels)[:, None], (2, 2000, 2))
    closed = actual * (2 * stats.norm.cdf(actual) - 1) + 2 * stats.norm.pdf(actual) - 1 / np.sqrt(np.pi)
    found = scores.ranked_probability(quantiles, levels, actual)
    np.testing.assert_allclose(found, closed.mean(axis=-1), rtol=1e-3)


def test_the_ranked_probability_score_of_a_certain_prediction_is_its_distance():
    quantiles, levels = np.full((1, 4, 1), 2.0), np.array([0.125, 0.375, 0.625, 0.875])
    for actual in (5.0, -1.0):
        np.testing.assert_allclose(scores.ranked_probability(quantiles, levels, np.array([[actual]])), [3.0])


def test_the_gaussian_loss_is_the_log_likelihood_without_its_constant():
    mean, log_variance, actual = torch.randn(3, 5, 2), torch.randn(3, 5, 2), torch.randn(5, 2)
    expected = -stats.norm(mean, (0.5 * log_variance).exp()).logpdf(actual).mean(axis=-1)
    np.testing.assert_allclose(losses.gaussian(mean, log_variance, actual) + 0.5 * scores.LOG_2PI, expected, rtol=1e-5)


def test_beta_weighs_the_gaussian_loss_by_a_power_of_the_variance():
    mean = torch.randn(5, 1, requires_grad=True)
    log_variance = torch.randn(5, 1, requires_grad=True)
    actual = torch.randn(5, 1)
    plain, weighed = (losses.gaussian(mean, log_variance, actual, beta=beta) for beta in (0.0, 0.5))
    power = torch.exp(0.5 * log_variance[:, 0]).detach()
    torch.testing.assert_close(weighed, plain * power)
    for part in (mean, log_variance):
        ours, theirs = (torch.autograd.grad(loss.sum(), part, retain_graph=True)[0] for loss in (weighed, plain))
        torch.testing.assert_close(ours[:, 0], theirs[:, 0] * power)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.85])
def test_the_quantile_loss_is_smallest_at_the_quantile(level):
    draws = torch.randn(20_001, 1, generator=torch.Generator().manual_seed(0))
    candidates = torch.linspace(-2.0, 2.0, 161)
    values = [
        float(losses.quantile_huber(at.expand(len(draws), 1, 1), draws, torch.tensor([level])).mean())
        for at in candidates
    ]
    assert abs(candidates[int(np.argmin(values))] - stats.norm.ppf(level)) < 0.06


def test_the_quantile_loss_matches_levels_with_quantiles():
    quantiles, actual = torch.tensor([[[-1.0], [1.0]]]), torch.tensor([[0.0]])
    loss = losses.quantile_huber(quantiles, actual, torch.tensor([0.1, 0.9]))
    far = 1.0 - 0.5 * losses.KAPPA
    np.testing.assert_allclose(loss, [(0.1 * far + 0.1 * far) / 2], rtol=1e-5)
