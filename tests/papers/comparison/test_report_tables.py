"""The tables of a comparison."""

import pytest

from offnominal.papers.comparison.report.report_tables import method_leaderboard, report_tables
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

pytestmark = pytest.mark.long


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
