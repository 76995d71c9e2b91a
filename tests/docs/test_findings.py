"""The figures of the page on what was learned are made from the files of measured values."""

import re
from pathlib import Path

import pytest

from .test_docs import script

pytestmark = pytest.mark.long

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "findings.md"


def test_the_figures_are_what_the_measured_files_say():
    assert script("findings").main(["--check"]) == 0, "stale; run `python docs/findings.py`"


def test_another_value_makes_a_figure_stale(tmp_path, monkeypatch):
    made = script("findings")
    monkeypatch.setattr(made, "FIGURES", {"pairs": made.FIGURES["pairs"]})
    made.main([], tmp_path)
    assert made.main(["--check"], tmp_path) == 0
    figure = tmp_path / "pairs-light.svg"
    figure.write_text(figure.read_text(encoding="utf-8").replace("0.945", "0.946"), encoding="utf-8")
    assert made.main(["--check"], tmp_path) == 1


def test_every_figure_is_on_the_page():
    shown = re.findall(r"\(findings/([\w-]+)-(light|dark)\.svg#only-\2\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted((name, mode) for name in script("findings").FIGURES for mode in ("light", "dark"))


def test_points_with_an_interval_have_a_line_with_its_ends():
    made = script("published_values/point_figure")
    points = [made.Point("ours", 0.5, 0.25, 1.5), made.Point("published", 0.75)]
    figure = made.PointFigure("two", "share", (0.0, 1.0), {"": {"KNN": points}}, {"ours": "", "published": ""})
    text = figure.svg("#000", "#ccc")
    ((start, end),) = re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)" y1="\d+" y2="\d+" stroke="#0', text)
    (low, high) = re.findall(r'<line x1="([\d.]+)" x2="\1"', text)
    assert (float(end), float(start)) == (
        float(high),
        pytest.approx(float(low) + (float(high) - float(low)) / 4, abs=0.1),
    )
    assert "<title>ours: 0.500 [0.250, 1.500]</title>" in text
