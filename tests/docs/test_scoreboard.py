"""The page with published values and ours is made from the measured files."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import DamagedFile
from offnominal.evaluation import Estimate
from offnominal.papers.paper import PublishedTable
from offnominal.papers.scoreboard import TableScore, scoreboard
from offnominal.papers.shipped_results import FILE, shipped_table
from offnominal.studies.published_comparison import KINDS, PublishedComparison, Rule

from .test_docs import script

pytestmark = pytest.mark.long


def table(number, study):
    return PublishedTable(number, f"about {number}", study, list)


SCALES = ("smoke", "laptop", "paper")
MEASURED = Path(__file__).parents[2] / "docs" / "measured" / "published"
SHARE = Rule("measured", margin=0.05, close=0.02)


def line(ours, detector="KNN", **options):
    ends = np.empty(0) if ours is None else np.array([ours - 0.01, ours + 0.01])
    return PublishedComparison({"detector": detector, "world": "a|b"}, Estimate(ours, ends), 0.5, SHARE, **options)


@pytest.fixture
def renew(monkeypatch, tmp_path):
    """The command, with files in an empty folder and three stores: a small run, a larger one, and a part of a third."""
    made = script("scoreboard")
    first = [line(0.5), line(0.53, "iF"), line(0.9, "RIQN", note="their robot")]
    lines = {1: first, 2: [line(0.52)], 3: [line(7.0)], 4: [line(0.5)]}

    def stored_scores(_, store):
        return [score for scale in SCALES for score in of_scale(store, scale) if score.runs]

    def of_scale(store, scale):
        found = {"smoke": {1: 2, 2: 1}, "laptop": {1: 3}, "paper": {1: 1}}[scale]
        found = found if store.name == {"smoke": "small", "laptop": "large", "paper": "part"}[scale] else {}
        scores = []
        for number, study in {1: "toy", 2: "toy", 3: "", 4: "toy"}.items():
            measured = found.get(number, 0) if study else 1
            shown = [
                each if i < measured else replace(each, ours=Estimate(None)) for i, each in enumerate(lines[number])
            ]
            scores.append(TableScore("toys", table(number, study), shown, (scale,) if number in found else ()))
        return scores

    def run_of(score, _):
        (scale,) = score.runs
        cells = {"laptop": "9 of 9", "paper": "1 of 9"}.get(scale, "")
        return {"study": "toy", "date": "2026-01-02", "scale": scale, "cells": cells}

    def published_tables():
        alone = {
            number: [replace(each, ours=Estimate(None)) for each in known] if number != 3 else known
            for number, known in lines.items()
        }
        return [
            TableScore("toys", table(number, "" if number == 3 else "toy"), known) for number, known in alone.items()
        ]

    monkeypatch.setattr("published_values.measuring.stored_scores", stored_scores)
    monkeypatch.setattr("published_values.measuring.run_of", run_of)
    monkeypatch.setattr("published_values.measuring.scales", lambda _: SCALES)
    toy = SimpleNamespace(scales={scale: SimpleNamespace(summary=f"{scale} toys") for scale in SCALES})
    monkeypatch.setattr("published_values.shipping.load_study", lambda _: toy)
    monkeypatch.setattr(made, "published_tables", published_tables)
    monkeypatch.setattr(made, "write_figures", lambda stores, folder: None)
    return lambda *stores, check=False: made.main(
        ["--check"] if check else ["--store", *stores], docs=tmp_path / "docs", package=tmp_path / "package"
    )


@pytest.fixture
def measured(tmp_path):
    """The folder of the measured files."""
    return tmp_path / "docs" / "measured" / "published"


@pytest.fixture
def page(tmp_path):
    """The page."""
    return tmp_path / "docs" / "studies" / "scoreboard.md"


def part(name):
    """Import a part of the script."""
    return script(f"published_values/{name}")


def rows(file):
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_the_page_is_what_the_measured_files_say():
    assert script("scoreboard").main(["--check"]) == 0, "stale; run `python docs/scoreboard.py`"


def test_each_table_has_a_file_of_its_own():
    names = [part("measured_table").file_name(score) for score in scoreboard(store=Path("no-such-store"))]
    assert len(set(names)) == len(names) > 70


def test_files_have_the_values_of_the_largest_scale_and_others_are_kept(renew, measured, page):
    renew("large", "small")
    first, second, facts = (measured / f"toys-{name}.csv" for name in ("1-toy", "2-toy", "3-facts"))
    assert [(row["outcome"], row["kind"], row["scale"]) for row in rows(first)] == [
        ("reproduced closely", "measured", "laptop"),
        ("reproduced", "measured", "laptop"),
        ("differs", "measured", "laptop"),
    ]
    assert rows(second)[0]["scale"] == "smoke"
    assert rows(facts)[0] | {"ours": "7", "study": "", "date": ""} == rows(facts)[0]
    assert not (measured / "toys-4-toy.csv").exists()
    (measured / "toys-gone.csv").write_text("")
    renew("part")
    assert [row["scale"] for row in rows(first)] == ["paper", "laptop", "laptop"]
    assert rows(second)[0]["scale"] == "smoke"
    assert not (measured / "toys-gone.csv").exists()
    assert "*toy@paper (1 of 9 cells), 2026-01-02; toy@laptop, 2026-01-02*" in page.read_text(encoding="utf-8")


def test_scales_with_the_same_results_are_computed_once_as_the_last(monkeypatch):
    measuring, asked = part("measuring"), []

    class Sources:
        def __init__(self, store, shipped):
            assert not shipped

        def scales(self, study, scales):
            return list(scales)

        def run(self, study, scale):
            return SimpleNamespace(keys=frozenset({"smoke": "a", "laptop": "bc", "paper": "cb"}[scale]))

        def table(self, paper, table, scales):
            asked.extend(scales)
            return SimpleNamespace(lines=[line(0.5)], runs=scales)

    monkeypatch.setattr(measuring, "ResultSources", Sources)
    monkeypatch.setattr(measuring, "scales", lambda _: SCALES)
    found = measuring.stored_scores([TableScore("toys", table(1, "toy"), [line(0.5)])], Path("store"))
    assert [score.runs for score in found] == [("paper",), ("smoke",)]
    assert asked == ["paper", "smoke"]


@pytest.mark.parametrize(("needs_data", "kept"), [(False, ["7", ""]), (True, ["7", "8"])])
def test_facts_are_renewed_even_if_there_are_fewer_of_them(needs_data, kept, tmp_path):
    """A fact that cannot be computed any more is no number of ours, unless only its data are not here."""
    measuring = part("measuring")
    facts = PublishedTable(9, "facts", "", list, needs_data=needs_data)
    before, now = (
        TableScore("toys", facts, [line(first), line(second, "iF")]) for first, second in ((6, 8), (7, None))
    )
    measuring.measure([before], [], tmp_path)
    (file,) = tmp_path.iterdir()
    assert measuring.stale_facts([before], tmp_path) == []
    assert measuring.stale_facts([now], tmp_path) == [file]
    measuring.measure([now], [], tmp_path)
    assert [row["ours"] for row in rows(file)] == kept
    assert measuring.stale_facts([now], tmp_path) == []


def test_values_that_are_no_longer_published_are_left_out():
    rows_of = part("rows").rows_of
    old = [line(0.5), line(0.5, "gone"), replace(line(0.6, "ours alone"), published=None)]
    found = part("measuring").merged(rows_of([line(None)], {}), SCALES, rows_of(old, {"scale": "laptop"}))
    assert [row["detector"] for row in found] == ["KNN", "ours alone"]


def test_a_mean_over_fewer_tables_does_not_replace_one_over_more():
    def found(*results):
        lines = [[replace(line(ours), units=units)] for ours, units in results]
        rows_of = part("rows").rows_of
        (row,) = part("measuring").merged(
            rows_of([line(None)], {}), SCALES, *(rows_of(each, {"scale": "laptop"}) for each in lines)
        )
        return row["ours"], row["units"]

    assert found((0.5, 22), (0.7, 7)) == found((0.7, 7), (0.5, 22)) == ("0.5", "22")
    assert found((0.5, 7), (0.7, 7)) == ("0.7", "7")


def test_verdicts_of_earlier_values_are_those_of_the_protocol_of_today():
    score = TableScore("toys", table(12, "toy"), [line(None), line(None, "iF")])
    old = part("rows").rows_of([line(0.53), line(None, "iF")], {"study": "toy", "scale": "paper"})
    old[0] |= {"outcome": "match", "verdict": "match", "cause": "scale"}
    again, missing = part("measuring").judged_again(score, old)
    assert (again["outcome"], again["verdict"], again["cause"]) == ("reproduced", "reproduced", "")
    assert old[0] | {"outcome": "reproduced", "verdict": "reproduced", "cause": ""} == again
    assert missing == old[1]


def test_labels_that_were_measured_name_no_row():
    def row(ours, deviation):
        return replace(line(ours), labels={"detector": "KNN", "deviation": deviation})

    rows_of = part("rows").rows_of
    results = rows_of([row(0.5, "0.02")], {"scale": "paper"})
    (found,) = part("measuring").merged(rows_of([row(None, "–")], {}), SCALES, results)
    assert (found["ours"], found["deviation"]) == ("0.5", "0.02")


def test_a_value_of_a_less_powerful_run_does_not_replace_another():
    rows_of = part("rows").rows_of
    small, large = (rows_of([line(ours)], {"scale": scale}) for ours, scale in ((0.5, "smoke"), (0.7, "paper")))
    for results in ((small, large), (large, small)):
        (found,) = part("measuring").merged(rows_of([line(None)], {}), SCALES, *results)
        assert (found["ours"], found["scale"]) == ("0.7", "paper")


def test_the_page_counts_and_lists_differences(renew, page):
    renew("large")
    text = page.read_text(encoding="utf-8")
    assert "| **all** | 50 % [4 %, 96 %] | 6 | 1 | 1 | – | – | – | 2 | – | 2 |" in text
    assert "[1, toy](../measured/published/toys-1-toy.csv) | about 1<br>*toy@laptop, 2026-01-02* | 3 | 1 |" in text
    assert "    | RIQN | a&#124;b | 0.9 | 0.89 | 0.91 | 0.5 |" in text
    assert renew(check=True) == 0
    page.write_text(text.replace("50 %", "51 %"), encoding="utf-8")
    assert renew(check=True) == 1


def test_the_package_has_the_values_of_the_files(renew, measured, tmp_path):
    renew("large")
    shipped = tmp_path / "package" / "shipped"
    found = shipped_table(shipped).to_pylist()
    assert [(row["table"], row["ours"], row["scale"], row["about"]) for row in found] == [
        ("1", 0.5, "laptop", "laptop toys"),
        ("1", 0.53, "laptop", "laptop toys"),
        ("1", 0.9, "laptop", "laptop toys"),
        ("3", 7.0, "", ""),
    ]
    assert renew(check=True) == 0
    file = measured / "toys-1-toy.csv"
    file.write_text(file.read_text(encoding="utf-8").replace(",0.53,", ",0.54,"), encoding="utf-8")
    assert renew(check=True) == 1
    content = (shipped / FILE).read_bytes()
    (shipped / FILE).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(DamagedFile, match="is not the file of its manifest"):
        shipped_table(shipped)


def test_a_fresh_installation_shows_the_counts_of_the_page(tmp_path):
    words = ["reproduce", "--all", "--json", "--store", str(tmp_path / "none")]
    found = json.loads(CliRunner().invoke(program, words).stdout)
    page = part("measured_table").measured_tables(part("measuring").published_tables(), MEASURED)
    assert found["reproduced share"] == part("measured_table").share_of(page).to_dict()
    for kind, name in KINDS.items():
        total = part("measured_table").total_of(kind, page)
        assert found[name]["reproduced"] == total["reproduced"] > 300 or kind == "measured"
        assert found[name]["differs"] == total["differs"] > 250
    assert found["measured results"]["values"] - found["measured results"]["not run"] > 3700


def test_differences_are_counted_in_margins(renew, measured):
    renew("large")
    module, tables = part("differences"), part("measured_table")
    score = TableScore("toys", table(1, "toy"), [line(None), line(None, "iF"), line(None, "RIQN")])
    found = module.differences(tables.measured_tables([score], measured))
    assert [round(each.margins, 6) for each in found] == [0.0, 0.6, 8.0]
    assert module.quantiles(found)[0] == pytest.approx(0.6)


@pytest.fixture
def cells():
    """Rows of the files of the comparison, without the intervals of means."""
    files = {file.stem: rows(file) for file in MEASURED.glob("comparison-*.csv")}
    for found in files.values():
        for row in found:
            row |= {"low": "", "high": ""}
    return files


def test_means_get_their_intervals_from_the_cells_of_their_run(cells):
    count = part("cell_intervals").with_cell_intervals(cells)
    known = {file.stem: rows(file) for file in MEASURED.glob("comparison-*.csv")}
    pairs = [
        (before, after)
        for name, found in cells.items()
        for before, after in zip(known[name], found, strict=True)
        if after["low"]
    ]
    assert count == len(pairs) > 50
    assert all((before["low"], before["high"]) == (after["low"], after["high"]) for before, after in pairs)
    assert {row["table"] for row in cells["comparison-IV-deep"] if row["low"]} == {"mean rank"}
    assert {row["selection"] for row in cells["comparison-V-deep"] if row["low"]} == {"mean"}


def test_a_mean_that_its_cells_do_not_give_has_no_interval(cells):
    ranks = [row for row in cells["comparison-IV-deep"] if row["table"] == "mean rank" and row["ours"]]
    changed = next(row for row in cells["comparison-IV-deep"] if (row["table"], row["method"]) == ("wine", "vae"))
    changed["ours"] = "0.01"
    part("cell_intervals").with_cell_intervals(cells)
    assert not next(row for row in ranks if row["method"] == "vae")["low"]


def test_cells_of_another_run_give_no_interval(cells):
    for row in cells["comparison-IV-deep"]:
        if row["table"] != "mean rank":
            row["date"] = "2001-01-01"
    part("cell_intervals").with_cell_intervals(cells)
    assert not any(row["low"] for row in cells["comparison-IV-deep"])
    assert any(row["low"] for row in cells["comparison-B1-deep"])
