"""The documentation states the correct numbers of strengths."""

from pathlib import Path

import pytest

from offnominal.anomalies.strengths import calibrated_strengths
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
WORDS = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
]


@pytest.fixture(scope="module")
def counts():
    lines = calibrated_strengths()
    reached = [line for line in lines if line.attainable]
    near = [line for line in reached if abs(line.score - line.target) <= 0.01]
    having, all_worlds = WORDS[len({line.world for line in lines})], WORDS[len(worlds.ids())]
    share = 100 * len(near) / len(reached)
    return {
        "worlds": f"{having.capitalize()} of the {all_worlds} worlds have",
        "readme": f"{len(reached)} of their {len(lines)} levels are attainable",
        "guide": f"{len(reached)} of {len(lines)} levels are attainable",
        "accuracy": f"{len(near)} of {len(reached)} attainable levels ({share:.1f} %) are within 0.01",
    }


def text_of(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_the_readme_counts_the_levels_that_can_be_attained(counts):
    text = text_of("README.md")
    assert counts["worlds"] in text
    assert counts["readme"] in text


def test_the_guide_counts_the_levels_that_can_be_attained(counts):
    text = text_of("docs/guide/strengths.md")
    assert counts["worlds"] in text
    assert counts["guide"] in text
    assert counts["accuracy"] in text


@pytest.mark.parametrize("page", ["README.md", "docs/guide/strengths.md", "docs/index.md"])
def test_no_page_says_that_every_level_can_be_attained(page):
    assert "in every world and for every anomaly" not in text_of(page)
