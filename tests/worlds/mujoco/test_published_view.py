"""Images of HalfCheetah with the published camera and floor."""

import numpy as np
import pytest

import offnominal as off
from offnominal.core.episode import FRAMES
from offnominal.core.errors import InvalidParameter
from offnominal.datasets import Recipe, generate
from offnominal.worlds.catalogue import make_world

pytestmark = pytest.mark.long

WORLD = "MJC-HalfCheetah-v0"


def first_frame(**options):
    return off.collect(WORLD, off.expert(WORLD), 1, frames=True, max_steps=2, **options)[0].extras[FRAMES][0]


def test_black_and_white_fields_fill_the_image():
    side, published = first_frame(), first_frame(view="published")
    black, white = (published.max(axis=-1) < 40).mean(), (published.min(axis=-1) > 180).mean()
    assert black > 0.3
    assert white > 0.3
    assert (side.max(axis=-1) < 40).mean() < 0.05


def test_the_robot_is_seen():
    published = first_frame(view="published").astype(int)
    assert 50 < (published[..., 0] - published[..., 2] > 60).sum() < 2000


def test_an_unknown_view_is_refused():
    with pytest.raises(InvalidParameter, match="'side' or 'published'"):
        make_world(WORLD, 1, view="top")


def test_a_dataset_with_the_published_view_differs_in_its_frames_only(tmp_path):
    recipe = Recipe.for_world(WORLD, episodes=1, nominal=1, levels=[], frames=True, max_steps=3)
    assert "published_view" not in recipe.to_dict()
    plain, published = (
        generate(recipe.replace(changes={"published_view": each}), tmp_path / str(each))["train"][0]
        for each in (False, True)
    )
    np.testing.assert_array_equal(plain.observations, published.observations)
    assert (plain.extras[FRAMES] != published.extras[FRAMES]).mean() > 0.5
