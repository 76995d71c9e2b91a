"""The image of the landing page says what the package measures."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (ROOT / "examples" / "hero.py").is_file(), reason="the examples are not there"),
]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_pages_say_the_delay_that_is_in_the_image(page):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    said = image.open(ROOT / "docs" / "assets" / "hero.png").text["Description"]
    name, delay = re.fullmatch(r"first alarm: (\S+), delay (\d+) steps?", said).groups()
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert f"{name} raises the first alarm, with a delay of {delay} step" in text


def test_the_image_counts_delays_as_the_package_does():
    pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    hero = runpy.run_path(str(ROOT / "examples" / "hero.py"))
    onset = hero["ONSET"]
    scores = {name: np.where(np.arange(onset + 9) >= onset + late, 2.0, 0.0) for name, late in (("KNN", 3), ("LOF", 0))}
    assert hero["first_alarm"](scores, onset - 1) is None
    assert hero["first_alarm"](scores, onset + 8) == ("LOF", 0)
    assert hero["first_alarm"]({"KNN": scores["KNN"]}, onset + 8) == ("KNN", 3)
    assert hero["said"]("KNN", 1) == "first alarm: KNN, delay 1 step"
