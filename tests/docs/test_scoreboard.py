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


def table(number, study):
    return PublishedTable(number, f"about {number}", study, list)


def line(ours, detector="KNN", **options):
    return PublishedComparison({"detector": detector, "world": "a|b"}, Estimate(ours), 0.5, **options)


@pytest.fixture
def module(monkeypatch, tmp_path):
    """The script, with files in an empty folder and two stores: a small run, and a larger one of the first table."""
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

    monkeypatch.setattr(made, "scoreboard", scoreboard)
    scales = {"small": "smoke", "large": "laptop", "part": "paper"}
    run = {"study": "toy", "date": "2026-01-02"}
    cells = {"large": "9 of 9", "part": "1 of 9"}
    monkeypatch.setattr(
        made,
        "run_of",
        lambda score, _: run | {"scale": scales[score.run], "cells": cells.get(score.run, "")} if score.run else {},
    )
    monkeypatch.setattr(made, "DOCS", tmp_path / "docs")
    for name, place in {"MEASURED": "published", "FIGURES": "figures", "PAGE": "page.md"}.items():
        monkeypatch.setattr(made, name, tmp_path / "docs" / place)
    return made


def rows(file):
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_the_page_is_what_the_measured_files_say():
    assert script("scoreboard").main(["--check"]) == 0, "stale; run `python docs/scoreboard.py`"


def test_each_table_has_a_file_of_its_own():
    files = [script("scoreboard").file_of(score) for score in scoreboard(store=Path("no-such-store"))]
    assert len(set(files)) == len(files) > 70


def test_files_have_the_values_of_the_largest_scale_and_others_are_kept(module, tmp_path):
    module.main(["--store", str(tmp_path / "large"), str(tmp_path / "small")])
    first, second, facts = (module.MEASURED / f"toys-{name}.csv" for name in ("1-toy", "2-toy", "3-facts"))
    assert [(row["outcome"], row["cause"], row["scale"]) for row in rows(first)] == [
        ("match", "", "laptop"),
        ("explained", "scale", "laptop"),
        ("unexplained", "", "laptop"),
    ]
    assert rows(second)[0]["scale"] == "smoke"
    assert rows(facts)[0] | {"ours": "7", "study": "", "date": ""} == rows(facts)[0]
    assert not (module.MEASURED / "toys-4-toy.csv").exists()
    (module.MEASURED / "toys-gone.csv").write_text("")
    module.main(["--store", str(tmp_path / "part")])
    assert [row["scale"] for row in rows(first)] == ["paper", "laptop", "laptop"]
    assert rows(second)[0]["scale"] == "smoke"
    assert not (module.MEASURED / "toys-gone.csv").exists()
    text = module.PAGE.read_text(encoding="utf-8")
    assert "*toy@paper (1 of 9 cells), 2026-01-02; toy@laptop, 2026-01-02*" in text


def test_values_that_are_no_longer_published_are_left_out(module):
    published = module.rows_of([line(None)], {})
    old = module.rows_of(
        [line(0.5), line(0.5, "gone"), replace(line(0.6, "ours alone"), published=None)], {"scale": "laptop"}
    )
    assert [row["detector"] for row in module.merged(published, old)] == ["KNN", "ours alone"]


def test_labels_that_were_measured_name_no_row(module):
    def row(ours, deviation):
        return replace(line(ours), labels={"detector": "KNN", "deviation": deviation})

    (found,) = module.merged(
        module.rows_of([row(None, "–")], {}), module.rows_of([row(0.5, "0.02")], {"scale": "paper"})
    )
    assert (found["ours"], found["deviation"]) == ("0.5", "0.02")


def test_the_page_counts_and_lists_unexplained_differences(module, tmp_path):
    module.main(["--store", str(tmp_path / "large")])
    text = module.PAGE.read_text(encoding="utf-8")
    assert "| **all** | 6 | 1 | – | 1 | 2 | 2 | 50% |" in text
    assert (
        "| [1, toy](../measured/published/toys-1-toy.csv) | about 1<br>*toy@laptop, 2026-01-02* | 3 | 1 | – |" in text
    )
    assert "    | RIQN | a&#124;b | 0.9 | 0.5 |" in text
    assert module.main(["--check"]) == 0
    module.PAGE.write_text(text.replace("50%", "40%"), encoding="utf-8")
    assert module.main(["--check"]) == 1
