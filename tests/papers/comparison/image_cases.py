"""A small image set of three classes: bars that stand, bars that lie, and crosses."""

import numpy as np

from offnominal.datasets.image_sets import ImageSet


def bars(n=180, seed=0):
    draw = np.random.default_rng(seed)
    labels = np.tile([2, 0, 1], n // 3)
    images = draw.integers(0, 40, (n, 8, 8, 1))
    for image, label, (y, x) in zip(images, labels, draw.integers(1, 7, (n, 2)), strict=True):
        image[y if label else slice(None), x if label == 0 else slice(None)] = 230
        if label == 2:
            image[:, x] = 230
    return ImageSet("mnist", images.astype(np.uint8), labels, ("standing", "lying", "cross"))
