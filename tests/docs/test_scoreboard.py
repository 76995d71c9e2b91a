"""The page with published values and ours is made from the measured files."""

import csv
from pathlib import Path

import pytest

from offnominal.evaluation import Estimate
from offnominal.papers.paper import PublishedTable
from offnominal.papers.scoreboard import TableScore, scoreboard
from offnominal.studies.published_comparison import PublishedComparison

from .test_docs import script


def table(number, study):
    return PublishedTable(number, f"about {number}", study, list)


def line(ours, **options):
    return PublishedComparison({"detector": "KNN", "world": "a|b"}, Estimate(ours), 0.5, **options)


@pytest.fixture
def module(monkeypatch, tmp_path):
    """The script, with files in an empty folder and two stores: a small run, and a larger one of the first table."""
    made = script("scoreboard")
    lines = {1: [line(0.5), line(0.9, cause="scale"), line(0.9, note="their robot")], 2: [line(0.52)], 3: [line(7.0)]}

    def scoreboard(*, store):
        found = {"small": {1: 1, 2: 1}, "large": {1: 3}}.get(store.name, {})
        scores = []
        for number, study in {1: "toy", 2: "toy", 3: "", 4: "toy"}.items():
            measured = len(lines.get(number, ())) if not study else found.get(number, 0)
            shown = [*lines.get(number, ())[:measured], *(line(None) for _ in lines.get(number, (0,))[measured:])]
            scores.append(TableScore("toys", table(number, study), shown, store.name if number in found else None))
        return scores

    monkeypatch.setattr(made, "scoreboard", scoreboard)
    monkeypatch.setattr(made, "size", lambda score: score.counts.compared)
    run = {"study": "toy", "date": "2026-01-02"}
    monkeypatch.setattr(made, "run_of", lambda score, _: run | {"scale": score.run} if score.run else {})
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


def test_files_have_the_results_of_the_store_with_most_values_and_others_are_kept(module, tmp_path):
    module.main(["--store", str(tmp_path / "small"), str(tmp_path / "large")])
    first, second, facts = (module.MEASURED / f"toys-{name}.csv" for name in ("1-toy", "2-toy", "3-facts"))
    assert [(row["outcome"], row["cause"], row["scale"]) for row in rows(first)] == [
        ("match", "", "large"),
        ("explained", "scale", "large"),
        ("unexplained", "", "large"),
    ]
    assert rows(second)[0]["scale"] == "small"
    assert rows(facts)[0] | {"ours": "7", "study": "", "date": ""} == rows(facts)[0]
    assert not (module.MEASURED / "toys-4-toy.csv").exists()
    (module.MEASURED / "toys-gone.csv").write_text("")
    second.write_text(second.read_text(encoding="utf-8").replace("small", "earlier"), encoding="utf-8")
    module.main(["--store", str(tmp_path / "large")])
    assert rows(second)[0]["scale"] == "earlier"
    assert not (module.MEASURED / "toys-gone.csv").exists()


def test_the_page_counts_and_lists_unexplained_differences(module, tmp_path):
    module.main(["--store", str(tmp_path / "large")])
    text = module.PAGE.read_text(encoding="utf-8")
    assert "| **all** | 6 | 1 | – | 1 | 2 | 2 | 50% |" in text
    assert "| [1, toy](../measured/published/toys-1-toy.csv) | about 1<br>*toy@large, 2026-01-02* | 3 | 1 | – |" in text
    assert "    | KNN | a&#124;b | 0.9 | 0.5 |" in text
    assert module.main(["--check"]) == 0
    module.PAGE.write_text(text.replace("50%", "40%"), encoding="utf-8")
    assert module.main(["--check"]) == 1
