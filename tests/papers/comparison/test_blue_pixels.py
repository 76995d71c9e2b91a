"""The control that counts blue pixels separates classes by their colour, and knows nothing of their shape."""

import numpy as np
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.datasets.image_sets import ImageSet
from offnominal.papers.comparison import blue_pixels as module
from offnominal.papers.comparison.blue_pixels import blue_pixel_auc, blue_pixel_auc_at_hand

from .image_cases import bars
from .published_cases import lines_of

pytestmark = pytest.mark.long


def coloured(colours, seed=0):
    """Bars whose classes have a colour each, on a dark background."""
    drawn, labels = bars(seed=seed).images.astype(float) / 255, bars(seed=seed).labels
    pixels = (drawn * np.array([colours[label] for label in labels])[:, None, None, :]).astype(np.uint8)
    return ImageSet("coloured", pixels, labels, ("standing", "lying", "cross"))


def test_a_blue_class_is_told_from_the_others_and_equal_colours_are_not():
    blue, red = (40, 40, 255), (255, 40, 40)
    assert blue_pixel_auc(coloured((red, blue, red)), "lying") > 0.95
    assert blue_pixel_auc(coloured((blue, red, blue)), "lying") < 0.05
    grey = (200, 200, 200)
    assert blue_pixel_auc(coloured((grey, grey, grey)), "lying") == 0.5


def test_its_value_needs_the_images_and_no_run(monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nothing"))
    blue_pixel_auc_at_hand.cache_clear()
    place = "cifar10", "airplane", "blpix"
    assert lines_of("figC3", [], "comparison-images-one-in")[place].outcome == "not run"
    monkeypatch.setattr(module, "image_set_entry", lambda name: type("Entry", (), {"presence": "present"}))
    sky = coloured(((255, 40, 40), (40, 40, 255), (40, 255, 40)))
    monkeypatch.setattr(
        module, "load_images", lambda name: ImageSet(name, sky.images, sky.labels, ("a", "airplane", "c"))
    )
    blue_pixel_auc_at_hand.cache_clear()
    line = lines_of("figC3", [], "comparison-images-one-in")[place]
    assert line.ours.value > 0.95
    assert "the paper does not say what it counts" in line.note
    blue_pixel_auc_at_hand.cache_clear()
