"""Figures of papers are drawn from data that travel with the package, and those of a run from its results."""

import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.plot_style import pyplot
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.catalogue import figures_of, paper
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.published.comparison_lines import compared
from offnominal.papers.comparison.published.drawn_figures import airplane_data, critical_data
from offnominal.papers.comparison.published.printed_cells import overall, table_cells
from offnominal.papers.ood_rl.series import Series, series_table
from offnominal.papers.ood_rl.settings import PENDULUM, describe_environment, settings
from offnominal.papers.reproduced_items import reproduced
from offnominal.papers.reproduced_runs import computed_runs
from offnominal.papers.reproduction import reproductions
from offnominal.papers.shipped_figures import FILE, MARK, figure_table
from offnominal.papers.shipped_results import FOLDER, MANIFEST
from offnominal.papers.stored_items import stored_items
from offnominal.studies.results import RunResults

from .comparison.made_comparison import comparison_results
from .ood_rl.made_ood import ood_results

pytestmark = pytest.mark.long

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")


def invoke(*words):
    said = CliRunner().invoke(program, ["reproduce", *words])
    assert said.exit_code == 0, said.output
    return said


def drawn_lines(figure):
    """Return the data of all lines of a figure."""
    return [np.asarray(line.get_xydata(), float) for axes in figure.axes for line in axes.lines]


def with_examples(results):
    """The made-up study with predictions along an unmodified and every modified episode of agent 8 in the pendulum."""
    rng = np.random.default_rng(0)
    shown = [None, *settings(PENDULUM)[::6]]
    found = {each: Series(each, rng.normal(size=(20, 1)), rng.random((20, 1))) for each in shown}
    table = series_table(list(found.values()), PENDULUM, "ensemble", 8)
    return replace(results, examples=table.append_column("key", pa.array(["a"] * len(found)))), found


def test_a_fresh_installation_draws_the_figures_whose_data_travel_and_marks_them(tmp_path):
    said = invoke("ood-rl", "--figure", "4", "--figure", "5", "--store", str(tmp_path / "none"))
    assert "Figure 4 is drawn from results that travel with the package, and are not computed here" in said.output
    assert "`offnominal run ood-rl --scale figures`" in said.output
    for number in (4, 5):
        image = tmp_path / "shipped" / f"ood-rl-figure-{number}.png"
        assert image.stat().st_size > 10_000
        assert MARK in image.with_suffix(".svg").read_text(encoding="utf-8")
    (found,) = json.loads(invoke("ood-rl", "--figure", "5", "--store", str(tmp_path / "none"), "--json").stdout)
    assert [run["study"] for run in found["shipped"]] == ["ood-rl"]


@pytest.mark.parametrize(("options", "part"), [((), ""), (("--images",), "-images")])
def test_a_figure_of_a_table_is_drawn_from_the_values_that_travel(tmp_path, options, part):
    said = invoke("anomaly-gym", "--figure", "3", *options, "--store", str(tmp_path / "none"))
    assert "travel with the package, and are not computed here: anomaly-gym" in said.output
    image = tmp_path / "shipped" / f"anomaly-gym-figure-3{part}.png"
    assert image.stat().st_size > 10_000
    assert MARK in image.with_suffix(".svg").read_text(encoding="utf-8")


def test_a_figure_of_a_table_without_values_says_what_to_run(tmp_path):
    said = invoke("anomaly-gym", "--figure", "3", "--scale", "smoke", "--store", str(tmp_path / "none"))
    assert "Figure 3 is not drawn: it has too few values of ours." in said.output
    assert "`offnominal run anomaly-gym --scale smoke" in said.output


def test_a_figure_whose_data_do_not_travel_says_which_command_computes_them(tmp_path):
    said = invoke("comparison", "--figure", "5", "--store", str(tmp_path / "none"))
    assert "Figure 5 is not drawn: its data do not travel with the package." in said.output
    assert "`offnominal run comparison-deep --scale laptop --store" in said.output
    assert list(tmp_path.iterdir()) == []


def test_shipped_data_count_at_their_scale_alone(tmp_path):
    found = reproductions(figures_of("ood-rl", [4]), scale="laptop")
    (made,), remarks = stored_items("ood-rl", found, scale="laptop", store=tmp_path / "none")
    assert (made.file, made.shipped) == (None, ())
    assert "do not travel" in remarks[0]


def test_a_run_without_the_episodes_of_a_figure_does_not_claim_to_have_drawn_it():
    (figure,) = figures_of("ood-rl", [5])
    assert figure.data(ood_results()) is None
    assert reproduced(figure, ood_results()).file is None
    assert all(each.data(RunResults.none()) is None for id in ("ood-rl", "comparison") for each in figures_of_all(id))


def figures_of_all(id):
    return figures_of(id, {"ood-rl": [4, 5], "comparison": [1, 3, 4, 5, 6, "B.1", "C.1", "C.2", "C.3"]}[id])


def test_the_data_of_a_run_are_its_episodes_and_its_threshold():
    results, found = with_examples(ood_results())
    (figure,) = figures_of("ood-rl", [5])
    data = json.loads(json.dumps(figure.data(results)))
    assert (data["world"], data["threshold"]) == (PENDULUM, 1.0)
    assert data["series"][0]["setting"] is None
    about = data["series"][1]["setting"]
    setting = describe_environment(PENDULUM, about["anomaly"], about["parameter"])
    np.testing.assert_allclose(data["series"][1]["mean"], found[setting].mean, rtol=1e-5)
    drawn = figure.draw(pyplot(), data)
    shown = [(axes.get_title(loc="left") or axes.get_title()).partition(":")[0] for axes in drawn.axes]
    assert shown == ["unmodified", setting.label]
    plt.close(drawn)


def test_figures_of_the_comparison_are_the_same_from_plain_data():
    results = comparison_results()
    outcomes = ComparisonResults.of(results.table)
    for number in (4, 6):
        (figure,) = figures_of("comparison", [number])
        data = figure.data(results)
        drawn = [figure.draw(pyplot(), each) for each in (data, json.loads(json.dumps(data)))]
        one, other = map(drawn_lines, drawn)
        assert len(one) == len(other) > 3
        for before, after in zip(one, other, strict=True):
            np.testing.assert_array_equal(before, after)
        named = dict(zip(data["methods"], data["ranks"], strict=True))
        assert sorted(named) == sorted(outcomes.methods)
        assert named["knn"] == 1.0, "kNN is best everywhere"
        for each in drawn:
            plt.close(each)


@pytest.mark.parametrize("number", ["1", "B.1", "C.1"])
def test_diagrams_are_drawn_from_the_values_that_travel_with_the_package(number, tmp_path):
    said = invoke("comparison", "--figure", number, "--store", str(tmp_path / "none"))
    assert f"Figure {number} is drawn from results that travel with the package" in said.output
    (image,) = (tmp_path / "shipped").glob("*.svg")
    text = image.read_text(encoding="utf-8")
    assert MARK in text
    assert "critical difference" in text


def test_a_diagram_of_published_values_has_the_published_ranks():
    """With the published values in place of ours, the mean ranks are those that the paper prints."""
    printed = overall("table_IV", "mean_rank")
    values = [
        compared({"table": table, "method": method}, value, value)
        for (table, method), value in table_cells("table_IV").items()
    ]
    data = critical_data(values)
    ranks = dict(zip(data["names"], data["ranks"], strict=True))
    assert ranks == pytest.approx(printed, abs=0.0501)
    assert (data["blocks"], round(data["critical_difference"], 3)) == (40, 5.148)
    drawn = figures_of("comparison", [1])[0].draw(pyplot(), json.loads(json.dumps(data)))
    assert any("23 methods on 40 tables" in text.get_text() for text in drawn.texts)
    plt.close(drawn)


def test_a_diagram_needs_five_methods_and_two_tables():
    def values(tables, methods):
        found = [(table, method) for table in tables for method in methods]
        return [compared({"table": table, "method": method}, 0.9, 0.9) for table, method in found]

    five = ("abod", "hbos", "if", "knn", "lof")
    assert critical_data(values(("iris", "wine"), five)) is not None
    assert critical_data(values(("iris", "wine"), five[:4])) is None
    assert critical_data(values(("iris",), five)) is None


def test_mean_ranks_are_no_values_of_a_diagram():
    ranks = [compared({"table": "mean rank", "method": name}, 1.0, 1.0, "rank") for name in "vwxyz"]
    assert critical_data(ranks) is None


def test_airplanes_are_drawn_if_any_method_was_run():
    lines = [compared({"images": "cifar10", "class": "airplane", "method": name}, None, 0.6) for name in ("vae", "knn")]
    assert airplane_data(lines) is None
    data = airplane_data([replace(lines[0], ours=Estimate(0.7)), lines[1]])
    assert data == {"methods": ["vae", "knn"], "ours": [0.7, None], "published": [0.6, 0.6]}
    drawn = figures_of("comparison", ["C.3"])[0].draw(pyplot(), data)
    assert [text.get_text() for text in drawn.axes[0].get_yticklabels()] == ["VAE", "kNN"]
    plt.close(drawn)


def test_a_scale_that_cannot_draw_a_figure_says_so_before_it_computes(tmp_path):
    with pytest.raises(InvalidParameter, match="comparison-images-one-in has no number for Figure"):
        computed_runs(reproductions(figures_of("comparison", ["C.3"]), scale="smoke"), note=print, store=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_figure_is_refused_without_a_reason():
    numbers = ["1", "2", "3", "4", "5", "6", "B1", *(f"C{number}" for number in range(1, 8))]
    published = paper("comparison").load_published()
    drawn = {str(figure.number) for figure in published.figures}
    assert drawn | set(published.unknown_figures) == set(numbers)
    assert all(published.unknown_figures.values())


def test_damaged_data_are_not_drawn(tmp_path):
    source = files("offnominal.papers").joinpath(FOLDER)
    for name in (FILE, MANIFEST):
        (tmp_path / name).write_bytes(source.joinpath(name).read_bytes())
    assert figure_table(tmp_path).num_rows >= 2
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(DamagedFile, match="is not the file of its manifest"):
        figure_table(tmp_path)


def test_all_that_travels_takes_less_than_three_megabytes():
    folder = files("offnominal.papers").joinpath(FOLDER)
    assert sum(len(each.read_bytes()) for each in folder.iterdir() if each.is_file()) < 3_000_000
