"""Detection over time: curves are means of faults, and the numbers at risk below them are counts of episodes."""

import numpy as np
import pyarrow as pa
import pytest

from offnominal.evaluation.outcome_steps import OUTCOME_STEPS
from offnominal.reports.incidence_curves import IncidenceTable, incidence_data
from offnominal.reports.incidence_figure import incidence_figure

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")

LISTS = {name: pa.list_(pa.int32()) for name in OUTCOME_STEPS}


def table(*rows):
    """Return rows of the alarm A: world, split, detector, seed, and the steps of the three outcomes."""
    names = ("world", "split", "name", "seed", *OUTCOME_STEPS)
    made = [{"policy": "tqc", "alarm": "A"} | dict(zip(names, row, strict=True)) for row in rows]
    return pa.table({name: pa.array([row[name] for row in made], LISTS.get(name)) for name in made[0]})


SLOW = table(
    ("W-v0", "a", "KNN", 0, [0, 2], [], [5, 5]),
    ("W-v0", "b", "KNN", 0, [], [1], [9]),
    ("X-v0", "a", "KNN", 0, [1, 1, 1, 30], [], []),
)


def test_a_curve_is_the_mean_over_faults_then_worlds():
    curve = IncidenceTable.of(SLOW).curves("A")["KNN"]
    assert curve.detected[[0, 1, 2, 20]].tolist() == [0.0625, 0.4375, 0.5, 0.5]
    assert curve.failed[[0, 1, 20]].tolist() == [0.0, 0.125, 0.125]
    assert (curve.low <= curve.detected).all()
    assert (curve.high >= curve.detected).all()


def test_at_risk_is_the_number_of_episodes_without_an_end_or_an_alarm_before():
    curve = IncidenceTable.of(SLOW).curves("A")["KNN"]
    assert curve.at_risk[[0, 1, 2, 3, 6, 10, 20]].tolist() == [10, 9, 5, 4, 2, 1, 1]
    alone = IncidenceTable.of(SLOW).curves("A", world="W-v0")["KNN"]
    assert alone.at_risk[[0, 1, 2, 6, 10]].tolist() == [6, 5, 4, 1, 0]


def test_training_runs_have_the_same_episodes_which_count_once():
    runs = table(("W-v0", "a", "KNN", 0, [0, 0], [], [9, 9]), ("W-v0", "a", "KNN", 1, [], [], [9, 9, 9, 9]))
    curve = IncidenceTable.of(runs).curves("A")["KNN"]
    assert curve.at_risk[[0, 1, 10]].tolist() == [4, 3, 0]
    assert curve.detected[0] == 0.25


def test_the_axis_ends_where_nearly_all_detections_are():
    assert IncidenceTable.of(SLOW).last == 20
    late = table(("W-v0", "a", "KNN", 0, list(range(100)), [], []))
    assert IncidenceTable.of(late).last == 98
    assert IncidenceTable.of(late).ticks.tolist() == list(range(0, 99, 10))


def test_a_run_of_an_older_version_has_no_curves():
    assert IncidenceTable.of(SLOW.drop_columns(list(OUTCOME_STEPS))) is None
    assert incidence_data(SLOW.drop_columns(["ended_at"]), ["KNN"], ["W-v0"]) is None


def test_points_of_a_page_are_those_of_the_curves():
    names, worlds = ["Time", "KNN"], ["W-v0", "X-v0"]
    data = incidence_data(SLOW, names, worlds)
    assert data["alarms"]["A"]["-1"][0] is None
    assert set(data["ticks"]) <= set(data["steps"])
    for world, points in data["alarms"]["A"].items():
        curve = IncidenceTable.of(SLOW).curves("A", world=None if world == "-1" else worlds[int(world)])["KNN"]
        for step, (share, low, high, failed, at_risk) in zip(data["steps"], points[1], strict=True):
            shares = (curve.detected[step], curve.low[step], curve.high[step], curve.failed[step])
            assert (share, low, high, failed) == pytest.approx(shares, abs=1e-4)
            assert at_risk == curve.at_risk[step]


def test_the_figure_shows_the_numbers_at_risk_below_the_curves():
    curves = IncidenceTable.of(SLOW).curves("A")
    figure = incidence_figure(plt, curves, "A")
    above, failed, below = figure.axes[0], figure.axes[1], figure.axes[2]
    shown = {text.get_position()[0]: text.get_text() for text in below.texts}
    assert [label.get_text() for label in below.get_yticklabels()] == ["KNN"]
    assert {0, 10, 20} <= shown.keys()
    assert shown == {step: f"{curves['KNN'].at_risk[step]:,}" for step in shown}
    assert below.get_xlim() == above.get_xlim(), "a number is not below its step"
    assert failed.get_ylabel() == "failed undetected (share)"
    assert "A" in figure.legends[0].get_title().get_text()
    plt.close(figure)


def test_without_failures_there_is_one_panel():
    figure = incidence_figure(plt, IncidenceTable.of(table(("W-v0", "a", "KNN", 0, [1], [], [5]))).curves("A"), "A")
    assert len(figure.axes) == 2
    np.testing.assert_allclose(figure.axes[0].lines[0].get_ydata()[:2], [0.0, 0.5])
    plt.close(figure)
