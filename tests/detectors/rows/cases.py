"""Rows that the tests of row detectors share: some equal, some on a grid, some far."""

import numpy as np

RNG = np.random.default_rng(5)
ROWS = np.concatenate([RNG.normal(size=(120, 3)), RNG.integers(-2, 3, size=(60, 3)), np.zeros((4, 3))]).astype(float)
FRESH = np.concatenate([RNG.normal(size=(30, 3)), RNG.integers(-2, 3, size=(20, 3)), ROWS[:5], [[7.0, -7.0, 7.0]]])
