"""Every figure: a unit on each axis, no colour twice, AUROC on one scale, the critical difference of the page."""

from pathlib import Path

import pytest

from offnominal.core.plot_style import GREY, INK, SERIES
from offnominal.reports.delay_figure import DELAY, FALSE, delay_figure
from offnominal.reports.study_figures import write_figures
from offnominal.studies.friedman import friedman
from offnominal.studies.metric_table import MetricTable

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
            if axes.axison and names and all(name.replace("−", "").replace(".", "").isdigit() for name in names):
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
    }


@pytest.mark.parametrize("name", ["leaderboard", "by_kind", "by_level", "heat_map", "delay_false_alarms"])
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


def test_labels_of_points_have_different_colours_and_do_not_overlap(figures):
    figure = figures["delay_false_alarms"]
    figure.canvas.draw()
    for axes in figure.axes:
        texts = [text for text in axes.texts if text.get_text()]
        shades = [text.get_color() for text in texts if text.get_color() not in (GREY, INK)]
        assert len(shades) == len(set(shades))
        boxes = [text.get_window_extent().shrunk(0.9, 0.6) for text in texts]
        pairs = [(one, two) for number, one in enumerate(boxes) for two in boxes[:number]]
        assert sum(one.overlaps(two) for one, two in pairs) <= 1


def test_the_heat_map_is_centred_at_one_half(figures):
    image = figures["heat_map"].axes[0].get_images()[0]
    assert image.get_clim() == (0.0, 1.0)
    assert image.get_cmap().name == "auroc"


def test_the_critical_difference_is_that_of_the_page(figures, made_up, page_data):
    shown = [text.get_text() for text in figures["critical_difference"].axes[0].texts]
    ranks = page_data["ranks"]["matched_auroc"]["-1,-1,-1"]
    assert f"critical difference {ranks['cd']:.2f}" in shown
    compared = friedman(MetricTable.of(made_up.table, "matched_auroc"), "matched_auroc")
    assert [page_data["names"][number] for number in ranks["names"]] == list(compared.names)
    assert [tuple(bar) for bar in ranks["bars"]] == compared.bars()


def test_a_rate_of_zero_stands_apart_on_the_log_axis():
    rows = [
        {"alarm": "Maximum", "detector": name, DELAY: delay, FALSE: rate}
        for name, delay, rate in (("KNN", 3.0, 0.0), ("LOF", 5.0, 0.002), ("Time", 9.0, 4.0))
    ]
    figure = delay_figure(plt, rows, ["KNN", "LOF", "Time"])
    axes = figure.axes[0]
    points = {round(line.get_ydata()[0]): line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"}
    ticks = dict(zip((label.get_text() for label in axes.get_xticklabels()), axes.get_xticks(), strict=True))
    plt.close(figure)
    assert points[3] == ticks["0"] < points[5] / 2
    assert points[5] == 0.002
    assert min(ticks[label] for label in ticks if label != "0") >= 0.002 / 1.3
