"""The report of a comparison: tables, figures and the page."""

import numpy as np
import pytest
from markupsafe import escape

import offnominal as off
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.figures import decades, frontier
from offnominal.papers.comparison.report import method_leaderboard, report_tables

pytestmark = pytest.mark.long

FIGURES = {"critical_difference", "knowledge", "pareto", "sensitivity_osvm", "heat"}


def test_page_tables_and_figures_are_written(compared, tmp_path):
    page = off.write_report(compared, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Tables</h1>" in text
    assert text.count("data:image/png;base64,") == len(FIGURES)
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == FIGURES
    assert {path.stem for path in (tmp_path / "figures").glob("*.svg")} == FIGURES
    assert "| iris | 0.9 | 0.7 | 0.8 |" in (tmp_path / "tables" / "auc.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("blank_figures")
def test_every_table_is_on_the_page_and_what_wrote_it(compared, tmp_path):
    text = off.write_report(compared, tmp_path).read_text(encoding="utf-8")
    titles = [path.read_text(encoding="utf-8").splitlines()[0][3:] for path in (tmp_path / "tables").glob("*.md")]
    assert len(titles) == 9
    assert all(f"<h2>{escape(title)}</h2>" in text for title in titles)
    assert "Results by Offnominal of unknown version (unknown commit), an unknown date." in text
    assert f"This report by Offnominal {off.__version__} (" in text


@pytest.fixture(scope="module")
def outcomes(compared):
    return ComparisonResults.of(compared.table)


def rows_of(outcomes, name):
    (table,) = (each for each in report_tables(outcomes) if each.name == name)
    return table.rows


def test_the_best_method_comes_first(outcomes):
    rows = method_leaderboard(outcomes)
    assert [row["method"] for row in rows] == ["knn", "osvm", "hbos"]
    assert (rows[0]["mean rank"], rows[0]["AUC"]) == (1.0, pytest.approx(0.8))
    assert [row["inverted"] for row in rows] == [0, 1, 0]


def test_labels_go_from_none_to_all(outcomes):
    row = rows_of(outcomes, "labels")[2]
    assert list(row)[:3] == ["method", "drawn", "no anomalies"]
    assert list(row)[-1] == "all labels"
    assert row["drawn"] == pytest.approx(0.45)
    assert row["no anomalies"] == pytest.approx(0.44)
    assert row["all labels"] == pytest.approx(0.7)
    budgets = [float(name.removeprefix("top ").rstrip("%").replace(",", "")) for name in list(row)[3:-1]]
    assert budgets == [5, 10, 50, 100, 500, 1000, 0.01, 0.1, 1, 5, 10, 20]


def test_an_inverted_detector_stands_beside_the_best_upright_one(outcomes):
    assert rows_of(outcomes, "flagged") == [
        {
            "table": "glass",
            "method": "osvm",
            "correlation": -0.2,
            "AUC": 0.6,
            "best upright": "knn",
            "its AUC": 0.7,
        }
    ]


def test_what_is_beaten_in_both_ways_is_left_out():
    cost, rank = np.array([3.0, 1.0, 2.0, 1.0, 4.0]), np.array([2.0, 5.0, 6.0, 4.0, 2.0])
    assert frontier(cost, rank).tolist() == [3, 0]


def test_a_method_without_times_does_not_move_the_axis():
    assert decades(np.array([0.02, np.nan, 0.3])) == (0.01, 1.0)
