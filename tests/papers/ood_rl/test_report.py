"""The report of a study of agents in changed worlds."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from markupsafe import escape

import offnominal as off
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.plot_style import pyplot
from offnominal.papers.ood_rl.figures import action_figure, value_figure
from offnominal.papers.ood_rl.report_tables import detection_leaderboard
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.series import Series, series_table
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, settings

from .made_ood import ood_results

pytestmark = pytest.mark.long

OVERVIEWS = {"survival", "returns"}
HEATS = {"heat_ensemble", "heat_mc_dropout", "heat_knn"}


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nothing"))
    return ood_results()


@pytest.mark.usefixtures("blank_figures")
def test_page_tables_and_figures_are_written_without_agents(results, tmp_path):
    text = off.write_report(results, tmp_path).read_text(encoding="utf-8")
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == OVERVIEWS | HEATS
    assert text.count("data:image/png;base64,") == len(OVERVIEWS | HEATS)
    titles = [path.read_text(encoding="utf-8").splitlines()[0][3:] for path in (tmp_path / "tables").glob("*.md")]
    assert len(titles) == 4
    assert all(f"<h2>{escape(title)}</h2>" in text for title in titles)
    assert re.search(r"<dt>settings</dt><dd>[1-9]\d*</dd>", text)
    assert "Highest mean AUC where agents fail: " in text


@pytest.mark.usefixtures("blank_figures")
def test_figures_of_episodes_are_drawn_from_stored_predictions(results, tmp_path):
    tables = []
    for world, outputs in ((CARTPOLE, 2), (PENDULUM, 1)):
        numbers = np.ones((9, outputs))
        made = [Series(setting, numbers, numbers) for setting in (None, *settings(world))]
        tables.append(series_table(made, world, "ensemble", 8))
    off.write_report(replace(results, examples=pa.concat_tables(tables)), tmp_path)
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == OVERVIEWS | HEATS | {"q_values", "actions"}


def test_what_survives_is_the_excess_over_chance(results):
    found = detection_leaderboard(OODResults.of(results.table))
    survives = {(row["world"], row["method"]): row["survives"] for row in found}
    assert survives[CARTPOLE, "Ensemble"] == 0.5
    assert survives[PENDULUM, "Ensemble"] == 1.0


def test_figures_of_single_episodes_have_a_panel_each():
    both = [Series(setting, np.ones((9, 2)), np.full((9, 2), 0.5)) for setting in (None, settings(CARTPOLE)[0])]
    plt = pyplot()
    for figure in (value_figure(plt, both), action_figure(plt, both, 0.7)):
        assert [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes][1].startswith("gravity 0.98")
        plt.close(figure)
