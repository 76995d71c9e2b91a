"""The scale of AUROC values is centred at 0.5, and text on it is readable."""

import numpy as np
import pytest

from offnominal.reports.auroc_scale import STEPS, auroc_colormap, auroc_colour, auroc_colours, auroc_css
from offnominal.reports.colour_vision import VISIONS, colour_difference, contrast, oklab, rgb_of, text_on

pytestmark = pytest.mark.long


@pytest.mark.parametrize("dark", [False, True])
def test_the_neutral_colour_is_at_one_half(dark):
    chroma = [np.hypot(*oklab(rgb_of(colour))[1:]) for colour in auroc_colours(dark=dark)]
    assert np.argmin(chroma) == STEPS // 2
    assert auroc_colour(0.5, dark=dark) == auroc_colours(dark=dark)[STEPS // 2]


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_a_cell_has_a_contrast_of_4_5(dark):
    assert min(contrast(colour, text_on(colour)) for colour in auroc_colours(dark=dark)) >= 4.5


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("dark", [False, True])
def test_values_as_far_above_as_below_one_half_are_told_apart(vision, dark):
    found = auroc_colours(dark=dark)
    for away in range(5, STEPS // 2 + 1):
        pair = found[STEPS // 2 - away], found[STEPS // 2 + away]
        assert colour_difference(*pair, vision) > 8.0


def test_figures_and_pages_have_the_same_colours():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib.colors import to_hex

    shown = auroc_colormap()
    for number, colour in enumerate(auroc_colours()):
        there = rgb_of(to_hex(shown(number / (STEPS - 1))))
        assert np.abs(there - rgb_of(colour)).max() < 0.03
        assert f".auroc-{number} {{ background: light-dark({colour}," in auroc_css()
