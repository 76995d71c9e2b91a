"""A random observation among the nominal ones."""

import numpy as np
import pytest

from offnominal.datasets.generation import generate
from offnominal.datasets.recipe import Recipe

pytestmark = pytest.mark.long

SIZES = {"episodes": 1, "nominal": 2, "validation": 1, "levels": ("strong",), "anomalies": ("observation/offset",)}


def made(**changes):
    return generate(Recipe.for_world("CAR-LaneKeep-v0", max_steps=12, **SIZES, changes=changes))


def test_only_the_end_of_the_first_training_episode_is_random():
    plain, changed = made(), made(random_observation=True)
    for split in plain.splits:
        for number, (before, after) in enumerate(zip(plain[split], changed[split], strict=True)):
            first = split == "train" and number == 0
            np.testing.assert_array_equal(before.observations[:-1], after.observations[:-1])
            assert np.array_equal(before.observations[-1], after.observations[-1]) != first


def test_a_constant_channel_varies_a_little():
    plain, changed = (
        np.concatenate([episode.observations for episode in data["train"]])
        for data in (made(), made(random_observation=True))
    )
    constant = np.ptp(plain, axis=0) == 0
    assert constant.any()
    assert (np.ptp(changed, axis=0)[constant] > 0.01).all()
