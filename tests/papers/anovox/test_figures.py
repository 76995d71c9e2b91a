"""The figures of AnoVox: which are drawn, and why others are not."""

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import UnknownName
from offnominal.papers.anovox import figures
from offnominal.papers.catalogue import figures_of
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import ScenarioRun

pytestmark = pytest.mark.long

COW = Scenario(
    "cow", "rural", "CLEAR_NOON", seed=7, vehicles=5, pedestrians=5, anomaly=ContentAnomaly("cow", 65.0),
    timing=Timing(15, 40, 20),
)  # fmt: skip


def test_pixels_of_labels_are_those_of_the_images():
    found, accepted = figures.label_pixels([COW])
    assert accepted == 1
    frames = list(ScenarioRun(COW))
    labels = np.concatenate([np.ravel(frame.sensors.cameras["top"].image.label) for frame in frames])
    assert found.sum() == len(labels) == 2 * 768 * 512
    assert all(found[label] == (labels == label).sum() for label in Label)
    assert found[Label.ANIMAL] > 0


def test_labels_without_pixels_have_no_bar():
    pixels = np.zeros(1 + max(Label), np.int64)
    pixels[[Label.UNLABELED, Label.ROAD, Label.SKY, Label.HOME]] = (9, 50, 70, 2)
    data = figures._bars(pixels, 3)
    assert data == {
        "labels": ["sky", "road", "home"],
        "pixels": [70, 50, 2],
        "anomalous": [False, False, True],
        "scenarios": 3,
    }


def test_figure_7_is_drawn_without_a_run(monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "make_scenarios", lambda *_, **__: [])
    monkeypatch.setattr(figures, "label_pixels", lambda _: (np.arange(1 + max(Label)), 3))
    store = tmp_path / "runs" / "store"
    result = CliRunner().invoke(program, ["reproduce", "anovox", "--figure", "7", "--store", str(store)])
    assert result.exit_code == 0, result.output
    assert "Figure 7: pixels of each label in scenarios with an anomaly" in result.output
    assert (tmp_path / "runs" / "figures" / "label-pixels.png").stat().st_size > 1000


@pytest.mark.parametrize("number", ["6", "8"])
def test_other_figures_are_refused_with_the_reason(number):
    with pytest.raises(UnknownName, match=rf"anovox has no figure {number} here; choose from 7\. It has no numbers"):
        figures_of("anovox", [number])
