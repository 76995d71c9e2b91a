"""Scores of predictions, in double precision, averaged over the last axis, the channels."""

from __future__ import annotations

from functools import cache

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray

LOG_2PI = float(np.log(2.0 * np.pi))


def squared_error(predicted: Array, actual: FloatArray) -> FloatArray:
    """Return the mean squared error."""
    return _mean(np.square(actual - predicted))


def expected_error(mean: Array, log_variance: Array, actual: FloatArray) -> FloatArray:
    """Return the expected mean squared error of samples of a Gaussian."""
    return _mean(np.square(actual - mean) + np.exp(_double(log_variance)))


def nearest_error(mean: Array, log_variance: Array, actual: FloatArray, particles: FloatArray) -> FloatArray:
    """Return the smallest mean squared error of particles of a Gaussian.

    Args:
        mean: (..., rows, channels) means.
        log_variance: (..., rows, channels) log-variances.
        actual: (rows, channels) actual values.
        particles: (channels, particles) standard normal numbers, the same for every row.
    """
    error, deviation = mean - actual, np.exp(0.5 * _double(log_variance))
    # The square of error + deviation * particle is expanded, so that particles need no memory.
    cross = (2.0 * error * deviation) @ particles + np.square(deviation) @ np.square(particles)
    nearest: FloatArray = _mean(np.square(error)) + cross.min(axis=-1) / actual.shape[-1]
    return np.maximum(nearest, 0.0)


@cache
def particles(width: int, count: int) -> FloatArray:
    """Return fixed standard normal numbers, (width, count)."""
    return Stream.named(0, 0, "particles").normal(width * count).reshape(width, count)


def mixture(mean: Array, log_variance: Array, actual: FloatArray) -> FloatArray:
    """Return the negative log-likelihood per channel under a mixture of Gaussians along the first axis."""
    log_variance = _double(log_variance)
    terms = LOG_2PI + log_variance + np.square(actual - mean) * np.exp(-log_variance)
    each = 0.5 * terms.sum(axis=-1)
    best = each.min(axis=0)
    together: FloatArray = (best - np.log(np.exp(best - each).mean(axis=0))) / actual.shape[-1]
    return together


def ranked_probability(quantiles: Array, levels: Array, actual: FloatArray) -> FloatArray:
    """Return the continuous ranked probability score: twice the mean quantile loss over evenly spaced levels.

    Args:
        quantiles: (..., levels, channels) predicted quantiles.
        levels: (levels,) their levels.
        actual: (..., channels) actual values.
    """
    above = actual[..., None, :] - quantiles
    score: FloatArray = 2.0 * (above * (levels[:, None] - (above < 0))).mean(axis=(-1, -2))
    return score


def squared_error_terms(predicted: Array, actual: FloatArray) -> FloatArray:
    """Return the terms of :func:`squared_error`, one for each channel."""
    return _shared(np.square(actual - predicted))


def expected_error_terms(mean: Array, log_variance: Array, actual: FloatArray) -> FloatArray:
    """Return the terms of :func:`expected_error`, one for each channel."""
    return _shared(np.square(actual - mean) + np.exp(_double(log_variance)))


def nearest_error_terms(
    mean: FloatArray, log_variance: FloatArray, actual: FloatArray, particles: FloatArray
) -> FloatArray:
    """Return the terms of the smallest :func:`nearest_error` of the members along the first axis."""
    error, deviation = mean - actual, np.exp(0.5 * _double(log_variance))
    cross = (2.0 * error * deviation) @ particles + np.square(deviation) @ np.square(particles)
    totals = np.square(error).sum(axis=-1) + cross.min(axis=-1)
    member, rows = totals.argmin(axis=0), np.arange(len(actual))
    nearest = particles[:, cross[member, rows].argmin(axis=-1)].T
    return _shared(np.square(error[member, rows] + deviation[member, rows] * nearest))


def mixture_terms(mean: Array, log_variance: Array, actual: FloatArray) -> FloatArray:
    """Return terms of :func:`mixture`, one for each channel.

    A member's log-likelihood is a sum over channels. The members count by their posterior probability, and channels
    share what is left: the divergence of these probabilities from equal ones, at most the logarithm of their number.
    """
    log_variance = _double(log_variance)
    channels = 0.5 * (LOG_2PI + log_variance + np.square(actual - mean) * np.exp(-log_variance))
    each = channels.sum(axis=-1)
    weights = np.exp(each.min(axis=0) - each)
    weights = weights / weights.sum(axis=0)
    terms = _shared((weights[..., None] * channels).sum(axis=0))
    rest = mixture(mean, log_variance, actual) - terms.sum(axis=-1)
    return np.asarray(terms + rest[..., None] / actual.shape[-1])


def ranked_probability_terms(quantiles: Array, levels: Array, actual: FloatArray) -> FloatArray:
    """Return the terms of :func:`ranked_probability`, one for each channel."""
    above = actual[..., None, :] - quantiles
    return _shared(2.0 * (above * (levels[:, None] - (above < 0))).mean(axis=-2))


def _shared(values: FloatArray) -> FloatArray:
    """Return the terms of a mean over channels."""
    terms: FloatArray = values / values.shape[-1]
    return terms


def _double(values: Array) -> FloatArray:
    return np.asarray(values, np.float64)


def _mean(values: FloatArray) -> FloatArray:
    # As `mean` computes it, without its checks, which take longer for one row.
    mean: FloatArray = np.add.reduce(values, axis=-1) / values.shape[-1]
    return mean
