"""The page with published values and ours is made from the measured files."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from offnominal.evaluation import Estimate
from offnominal.papers.paper import PublishedTable
from offnominal.papers.scoreboard import TableScore, scoreboard
from offnominal.studies.published_comparison import PublishedComparison

from .test_docs import script

pytestmark = pytest.mark.long


def table(number, study):
    return PublishedTable(number, f"about {number}", study, list)


def line(ours, detector="KNN", **options):
    return PublishedComparison({"detector": detector, "world": "a|b"}, Estimate(ours), 0.5, **options)


@pytest.fixture
def renew(monkeypatch, tmp_path):
    """The command, with files in an empty folder and three stores: a small run, a larger one, and a part of a third."""
    made = script("scoreboard")
    first = [line(0.5), line(0.9, "iF", cause="scale"), line(0.9, "RIQN", note="their robot")]
    lines = {1: first, 2: [line(0.52)], 3: [line(7.0)], 4: [line(0.5)]}

    def scoreboard(*, store):
        found = {"small": {1: 2, 2: 1}, "large": {1: 3}, "part": {1: 1}}.get(store.name, {})
        scores = []
        for number, study in {1: "toy", 2: "toy", 3: "", 4: "toy"}.items():
            measured = found.get(number, 0) if study else 1
            shown = [
                each if i < measured else replace(each, ours=Estimate(None)) for i, each in enumerate(lines[number])
            ]
            scores.append(TableScore("toys", table(number, study), shown, store.name if number in found else None))
        return scores

    def run_of(score, _):
        cells = {"large": "9 of 9", "part": "1 of 9"}.get(score.run, "")
        scale = {"small": "smoke", "large": "laptop", "part": "paper"}[score.run]
        return {"study": "toy", "date": "2026-01-02", "scale": scale, "cells": cells}

    monkeypatch.setattr("published_values.measuring.scoreboard", scoreboard)
    monkeypatch.setattr("published_values.measuring.run_of", run_of)
    return lambda *stores, check=False: made.main(
        ["--check"] if check else ["--store", *stores], docs=tmp_path / "docs"
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
    assert [(row["outcome"], row["cause"], row["scale"]) for row in rows(first)] == [
        ("match", "", "laptop"),
        ("explained", "scale", "laptop"),
        ("unexplained", "", "laptop"),
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


def test_values_that_are_no_longer_published_are_left_out():
    rows_of = part("rows").rows_of
    old = [line(0.5), line(0.5, "gone"), replace(line(0.6, "ours alone"), published=None)]
    found = part("measuring").merged(rows_of([line(None)], {}), rows_of(old, {"scale": "laptop"}))
    assert [row["detector"] for row in found] == ["KNN", "ours alone"]


def test_a_mean_over_fewer_tables_does_not_replace_one_over_more():
    def found(*results):
        lines = [[replace(line(ours), units=units)] for ours, units in results]
        rows_of = part("rows").rows_of
        (row,) = part("measuring").merged(
            rows_of([line(None)], {}), *(rows_of(each, {"scale": "laptop"}) for each in lines)
        )
        return row["ours"], row["units"]

    assert found((0.5, 22), (0.7, 7)) == found((0.7, 7), (0.5, 22)) == ("0.5", "22")
    assert found((0.5, 7), (0.7, 7)) == ("0.7", "7")


def test_reasons_of_earlier_values_are_those_known_now():
    judge = part("measuring").judged_again
    known = replace(table(12, "toy"), judge_again=lambda line: replace(line, cause="defect", note="0.9 becomes 0.5"))
    old = part("rows").rows_of([line(0.9), line(None)], {"study": "toy", "scale": "paper"})
    again, missing = judge(known, old)
    assert (old[0]["outcome"], again["outcome"], again["cause"]) == ("unexplained", "explained", "defect")
    assert old[0] | {"outcome": "explained", "cause": "defect", "note": "0.9 becomes 0.5"} == again
    assert missing == old[1]
    assert judge(table(12, "toy"), old) == old


def test_labels_that_were_measured_name_no_row():
    def row(ours, deviation):
        return replace(line(ours), labels={"detector": "KNN", "deviation": deviation})

    rows_of = part("rows").rows_of
    (found,) = part("measuring").merged(rows_of([row(None, "–")], {}), rows_of([row(0.5, "0.02")], {"scale": "paper"}))
    assert (found["ours"], found["deviation"]) == ("0.5", "0.02")


def test_the_page_counts_and_lists_unexplained_differences(renew, page):
    renew("large")
    text = page.read_text(encoding="utf-8")
    assert "| **all** | 6 | 1 | – | 1 | 2 | 2 | 50% |" in text
    assert (
        "| [1, toy](../measured/published/toys-1-toy.csv) | about 1<br>*toy@laptop, 2026-01-02* | 3 | 1 | – |" in text
    )
    assert "    | RIQN | a&#124;b | 0.9 | 0.5 |" in text
    assert renew(check=True) == 0
    page.write_text(text.replace("50%", "40%"), encoding="utf-8")
    assert renew(check=True) == 1
