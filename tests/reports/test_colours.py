"""A detector keeps its colour from figure to figure, and colours are told apart with any colour vision."""

from itertools import combinations

import pytest

from offnominal.core.plot_style import FAULTY, GREY, MARKERS, NOMINAL, SERIES, markers
from offnominal.reports.colour_vision import colour_difference, contrast
from offnominal.reports.colours import HIGHLIGHTED, colours

pytestmark = pytest.mark.long

SMALLEST = {"normal": 13.0, "protanopia": 9.0, "deuteranopia": 9.0, "tritanopia": 6.0}


@pytest.mark.parametrize(("vision", "smallest"), SMALLEST.items())
def test_series_are_told_apart(vision, smallest):
    assert min(colour_difference(*pair, vision) for pair in combinations(SERIES, 2)) >= smallest
    assert colour_difference(NOMINAL, FAULTY, vision) >= 20.0


@pytest.mark.parametrize("background", ["#ffffff", "#1a1e24"])
def test_series_are_visible_on_light_and_dark_pages(background):
    assert min(contrast(colour, background) for colour in (*SERIES, GREY)) >= 3.0


def test_the_order_of_names_does_not_matter():
    names = [f"method {k}" for k in range(8)]
    assert colours(names) == colours(reversed(names))
    assert list(colours(reversed(names))) == names[::-1]
    assert len(set(colours(names).values())) == 8


def test_a_detector_keeps_its_colour_whoever_else_is_there():
    assert colours(["Mine"])["Mine"] == colours(["PE-DM", "KNN", "Mine"])["Mine"]
    assert colours(["PE-DM-untrained"])["PE-DM-untrained"] == GREY


def test_of_many_names_the_best_are_in_colour():
    found = list(colours([f"method {k}" for k in range(12)]).values())
    assert len(set(found[:HIGHLIGHTED])) == HIGHLIGHTED
    assert GREY not in found[:HIGHLIGHTED]
    assert set(found[HIGHLIGHTED:]) == {GREY}


def test_no_marker_is_given_twice():
    names = [f"method {k}" for k in range(len(MARKERS) + 4)]
    assert len(set(markers(names).values())) == len(names)
