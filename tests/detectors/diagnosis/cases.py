"""Explanations of synthetic episodes whose change is known."""

import numpy as np

from offnominal.detectors.diagnosis import Explanation

CHANNELS = ("left", "right", "force")
LENGTH = 80


def noise(seed, correlation=0.0, length=LENGTH):
    """Return standard normal noise, correlated from step to step."""
    drawn = np.random.default_rng(seed).normal(size=(length, 3))
    for t in range(1, length):
        drawn[t] = correlation * drawn[t - 1] + np.sqrt(1.0 - correlation**2) * drawn[t]
    return drawn


def explanation(seed, *, onset=None, channel=0, size=3.0, decay=0.0, correlation=0.0, detector="Toy"):
    """Return an explanation whose contributions are noise, and higher in one channel from the onset on."""
    values = noise(seed, correlation)
    if onset is not None:
        values[onset:, channel] += size * np.exp(-decay * np.arange(LENGTH - onset))
    scores = values.sum(axis=1)
    return Explanation(detector, scores, values, CHANNELS, 2, "sum", np.zeros(LENGTH))
