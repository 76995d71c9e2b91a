"""Every figure: a unit on each axis, no colour twice, AUROC on one scale, the critical difference of the page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from offnominal.core.plot_style import REFERENCE, SERIES
from offnominal.evaluation.alarm_budget import GRID
from offnominal.reports.budget_curves import NET_CURVES, budget_curves, curve_data
from offnominal.reports.guarantee_figure import COLOURS
from offnominal.reports.headline import NOT_CONTROLLED
from offnominal.reports.study_figures import write_figures
from offnominal.studies.friedman import friedman
from offnominal.studies.guarantees import guarantees, over_all_worlds
from offnominal.studies.metric_table import MetricTable

from .synthetic import ALARMS, SKILL, at_budget_per_hour, run_results

pytestmark = pytest.mark.long

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")


@pytest.fixture(scope="module")
def figures(made_up, tmp_path_factory):
    """The figures of the made-up run by name, before they are written."""
    found = {}

    def keep(figure, path, **options):
        found[Path(path).stem] = figure

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("matplotlib.figure.Figure.savefig", keep)
        write_figures(made_up, tmp_path_factory.mktemp("figures"))
    return found


def shown_labels(figure):
    """Return the labels of axes with numbers, and those of the whole figure."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if axes.axison and names and all(name.strip("−-").replace(".", "").isdigit() for name in names):
                yield axis.get_label_text()
    yield from (text for text in (figure.get_supxlabel(), figure.get_supylabel()) if text)


def test_there_is_a_figure_of_everything(figures):
    assert set(figures) == {
        "leaderboard",
        "by_kind",
        "by_level",
        "heat_map",
        "critical_difference",
        "delay_false_alarms",
        "net_delay_false_alarms",
        "detection_over_time",
        "guarantees",
    }


@pytest.mark.parametrize(
    "name",
    [
        "leaderboard",
        "by_kind",
        "by_level",
        "heat_map",
        "delay_false_alarms",
        "net_delay_false_alarms",
        "detection_over_time",
        "guarantees",
    ],
)
def test_axes_have_units(figures, name):
    labels = [label for label in shown_labels(figures[name]) if label]
    assert labels
    assert all("(" in label and ")" in label for label in labels), labels


@pytest.mark.parametrize("name", ["leaderboard", "by_kind", "by_level"])
def test_no_two_rows_share_a_colour(figures, name):
    for axes in figures[name].axes:
        rows = {}
        for line in axes.get_lines():
            if str(line.get_color()) in SERIES and len(line.get_ydata()):
                rows.setdefault(line.get_color(), set()).add(round(float(line.get_ydata()[0])))
        assert len(rows) == len(SERIES)
        assert all(len(each) == 1 for each in rows.values())


def test_every_detector_has_a_curve_and_every_alarm_a_point_beside_it(figures):
    for axes in figures["delay_false_alarms"].axes:
        curves = [line for line in axes.lines if len(line.get_xdata()) == len(GRID)]
        points = [line for line in axes.lines if line.get_marker() in tuple("os^") and len(line.get_xdata()) == 1]
        assert len(curves) == len(SKILL)
        assert len(points) == len(SKILL) * len(ALARMS)
        assert len({line.get_color() for line in curves}) == len(SERIES) + 1, "baselines are grey"


def test_curves_controlled_for_time_have_no_alarms_and_a_line_without_power(figures, made_up):
    for axes, what, random in zip(figures["net_delay_false_alarms"].axes, NET_CURVES, (0.0, 20.0), strict=True):
        drawn = {line.get_label(): line for line in axes.lines if len(line.get_xdata()) == len(GRID)}
        for name, curve in budget_curves(made_up.table, what).items():
            np.testing.assert_array_equal(drawn[name].get_ydata(), curve.values)
        assert [line.get_ydata()[0] for line in axes.lines if line.get_color() == REFERENCE] == [random]
        assert not [line for line in axes.lines if len(line.get_xdata()) == 1]
    legend = figures["net_delay_false_alarms"].legends[0]
    assert NOT_CONTROLLED not in legend.get_title().get_text()


def test_runs_without_curves_controlled_for_time_have_the_others(made_up):
    older = made_up.table.drop_columns([name for name in made_up.table.column_names if name.startswith("curve_net_")])
    places = sorted(set(older["world"].to_pylist()))
    data, before = (curve_data(table, list(SKILL), places) for table in (made_up.table, older))
    assert set(data) - set(before) == set(NET_CURVES)
    assert before["detected"] == data["detected"]


def test_a_guarantee_is_a_dot_with_its_interval_and_its_verdict_beside_level_and_margin(figures, made_up):
    checks = {name: check for (alarm, name), check in over_all_worlds(guarantees(made_up.table)).items() if check.level}
    (axes,) = figures["guarantees"].axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    dots = {round(line.get_ydata()[0]): line for line in axes.lines if len(line.get_xdata()) == 1}
    bars = {round(line.get_ydata()[0]): line for line in axes.lines if line.get_linewidth() == 4}
    assert sorted(names) == sorted(checks), "a row per detector, published alarms without a guarantee left out"
    for place, name in enumerate(names):
        check = checks[name]
        assert dots[place].get_xdata()[0] == check.share
        assert tuple(bars[place].get_xdata()) == check.interval
        assert axes.texts[place].get_text().endswith(check.verdict)
    assert {check.outcome: dots[names.index(name)].get_color() for name, check in checks.items()} == COLOURS
    assert "4,200 nominal episodes would decide" in axes.texts[names.index("Random")].get_text()
    (level,) = (line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--")
    assert (level, round(axes.patches[0].get_width(), 9)) == (0.05, 0.06)
    assert axes.get_xlim()[1] > max(check.interval[1] for check in checks.values())


def test_a_run_without_a_guarantee_has_no_figure_of_guarantees(made_up):
    with pytest.MonkeyPatch.context() as patch:
        found = {}
        patch.setattr(
            "offnominal.reports.study_figures.save_figures", lambda plt, drawn, *rest, **more: found.update(drawn)
        )
        write_figures(
            replace(made_up, table=made_up.table.filter(pc.is_null(made_up.table["guarantee_level"]))), Path()
        )
    assert "leaderboard" in found
    assert "guarantees" not in found


def test_the_heat_map_goes_from_the_worst_to_the_best(figures):
    image = figures["heat_map"].axes[0].get_images()[0]
    assert image.get_clim() == (0.0, 1.0)
    assert image.get_cmap().name == "auroc_share"


def test_the_critical_difference_is_that_of_the_page(figures, made_up, page_data):
    shown = [text.get_text() for text in figures["critical_difference"].axes[0].texts]
    ranks = page_data["ranks"]["matched_auroc"]["-1,-1,-1"]
    assert f"critical difference {ranks['cd']:.2f}" in shown
    compared = friedman(MetricTable.of(made_up.table, "matched_auroc"), "matched_auroc")
    assert [page_data["names"][number] for number in ranks["names"]] == list(compared.names)
    assert [tuple(bar) for bar in ranks["bars"]] == compared.bars()


def test_the_budget_of_each_world_is_a_line():
    made_up = run_results(replicates=2, names=("PE-DM", "KNN"))

    def lines(results):
        found = {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "offnominal.reports.study_figures.save_figures", lambda plt, drawn, *rest, **more: found.update(drawn)
            )
            write_figures(results, Path())
        axes = found["delay_false_alarms"](plt).axes[0]
        return [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]

    assert lines(made_up) == [1.0]
    assert lines(at_budget_per_hour(made_up, 12.0)) == pytest.approx([0.12, 0.24, 0.36])
