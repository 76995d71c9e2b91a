"""`offnominal reproduce --all`."""

import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.cli.scoreboard import scoreboard_tables
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import Estimate
from offnominal.papers.paper import PublishedTable
from offnominal.papers.scoreboard import TableScore
from offnominal.studies.published_comparison import KINDS, PublishedComparison, Rule
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long

runner = CliRunner()


def test_a_table_per_paper_is_counted_without_computing(tmp_path):
    said = runner.invoke(program, ["reproduce", "novelcraft", "--all", "--store", str(tmp_path / "none")])
    assert said.exit_code == 0, said.output
    assert "Figure 4" in said.output
    text = " ".join(said.output.split())
    assert "shipped: novelcraft@large" in text
    assert "Results marked *shipped* travel with the package, and are not computed here: novelcraft@large (20" in text
    assert list(tmp_path.iterdir()) == []


def test_json_has_the_sum_of_each_paper_and_of_all(tmp_path):
    said = runner.invoke(program, ["reproduce", "--all", "--json", "--store", str(tmp_path / "none")])
    found = json.loads(said.stdout)
    assert [each["paper"] for each in found["papers"]] == [
        "anomaly-gym",
        "anovox",
        "comparison",
        "novelcraft",
        "ood-rl",
    ]
    for kind, name in KINDS.items():
        assert found[name]["values"] == sum(each[name]["values"] for each in found["papers"])
        for paper in found["papers"]:
            tables = [table for table in paper["tables"] if table["kind"] == kind]
            assert paper[name]["not run"] == sum(table["not run"] for table in tables)


def test_damaged_results_are_one_line_and_json_stays_json(tmp_path):
    aside = tmp_path / "damaged"
    aside.mkdir()
    for digit in "ab":
        (aside / f"{digit * 64}.parquet").write_bytes(b"")
    words = ["reproduce", "ood-rl", "--all", "--store", str(tmp_path)]
    plain = runner.invoke(program, words)
    said = runner.invoke(program, [*words, "--json"])
    assert (plain.exit_code, said.exit_code) == (0, 0)
    assert json.loads(said.stdout)["papers"]
    line = f"2 damaged results count as not run: 2 were moved to {aside}. Run their studies again."
    assert "".join(line.split()) in "".join(plain.stdout.split())
    assert line in said.stderr


def test_numbers_and_shares_fit_into_80_columns():
    shares, facts = Rule("measured", margin=0.05, close=0.02), Rule("fact", margin=0.0)

    def score(paper, number, values, rule=shares):
        lines = [PublishedComparison({"method": "KNN"}, ours, 0.5, rule) for ours in values]
        table = PublishedTable(
            number, "every metric of every detector, world and level", "anomaly-gym", lambda _: lines
        )
        return TableScore(paper, table, lines)

    same, other = (Estimate(value, np.array([value - 0.01, value + 0.01])) for value in (0.5, 0.9))
    many = [same] * 1200 + [Estimate(None)] * 9999 + [other] * 400 + [Estimate(0.5)] * 400
    scores = [score("one", 1, many), score("two", "fig4", [other]), score("two", 2, [Estimate(0.5)], facts)]
    written = StringIO()
    console = Console(width=80, file=written)
    for table in scoreboard_tables(scores):
        console.print(table)
    lines = written.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    (total,) = (line.split() for line in lines if line.strip().startswith("all papers"))
    assert total == ["all", "papers", "12,000", "1,200", "–", "401", "400", "9,999"]
    text = " ".join(written.getvalue().split())
    assert "of 1,601 judged" in text
    assert "Parameters and facts" in text
    assert "Counts of work done" not in text


def test_a_scale_without_results_has_no_share(tmp_path):
    words = ["reproduce", "anovox", "--all", "--scale", "smoke", "--store", str(tmp_path / "none")]
    said = runner.invoke(program, words)
    found = json.loads(runner.invoke(program, [*words, "--json"]).stdout)
    measured, text = found["measured results"], " ".join(said.output.split())
    assert found["reproduced share"] is None
    assert f"{measured['not run']:,} of {measured['values']:,} published results" in text
    assert "No results of anovox; `offnominal run" in text
    assert measured["not run"] == measured["values"] > 40


@pytest.mark.parametrize("words", [["--table", "3"], ["--images", "--table", "3"]])
def test_nothing_is_computed_for_a_table_that_the_scale_cannot_fill(tmp_path, monkeypatch, words):
    monkeypatch.setattr(
        "offnominal.papers.reproduced_runs.computed_run", lambda *_, **__: pytest.fail("it was computed")
    )
    said = runner.invoke(program, ["reproduce", "anomaly-gym", *words, "--scale", "smoke", "--run"])
    assert isinstance(said.exception, InvalidParameter)
    assert "nothing is computed. Scale smoke of anomaly-gym" in str(said.exception)


def test_tables_that_a_scale_cannot_fill_are_named_before_the_others_are_computed(monkeypatch):
    computed = []
    monkeypatch.setattr(
        "offnominal.papers.reproduced_runs.computed_run", lambda run, **_: computed.append(run) or RunResults.none()
    )
    said = runner.invoke(
        program, ["reproduce", "anomaly-gym", "--table", "3", "--table", "12", "--scale", "smoke", "--run"]
    )
    assert said.exit_code == 0, said.output
    assert "Scale smoke of anomaly-gym has no number for Table 3" in said.stderr
    assert [run.study for run in computed] == ["anomaly-gym"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "name a paper (anomaly-gym, anovox, comparison, novelcraft, ood-rl), or give --all"),
        (["--all", "--table", "3"], "give only a paper and a scale"),
        (["--all", "--scale", "laptob"], "Did you mean 'laptop'?"),
    ],
)
def test_what_to_give_is_said(words, complaint):
    said = runner.invoke(program, ["reproduce", *words])
    assert complaint in str(said.exception)
