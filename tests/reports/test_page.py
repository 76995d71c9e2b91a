"""A page carries everything it shows, and nothing from outside."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError

import numpy as np
import pyarrow as pa
import pytest

import offnominal as off
from offnominal.datasets.manifest_file import installed
from offnominal.reports.curve_encoding import STEPS, encode_curve
from offnominal.reports.example_curves import select_examples
from offnominal.reports.fault_page import fault_page as page
from offnominal.reports.fault_page import write_fault_page as write_page
from offnominal.reports.payload import payload
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.results import RunResults

from .synthetic import FAULTS, SKILL, WORLDS, at_budget_per_hour, run_results

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def text(folder):
    return (folder / "page.html").read_text(encoding="utf-8")


def test_the_page_asks_nobody_else(text):
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "@import" not in text
    assert "url(" not in text
    assert not set(re.findall(r"https?://[^\s\"'<]+", text)) - {"http://www.w3.org/2000/svg"}


def test_the_page_of_many_cells_stays_small(made_up, text):
    assert made_up.cells == 57
    assert len(text.encode()) < 3_000_000


def test_the_headline_names_the_best_and_its_interval(made_up, text):
    best = leaderboard(made_up.table)[0]
    said = re.search(r'<p class="headline">(.*?)</p>', text)[1]
    assert f"<strong>{best.name}</strong>" in said
    assert f"[{best.estimate.low:.3f}, {best.estimate.high:.3f}]" in said


@pytest.fixture(scope="module")
def few(made_up):
    """The same detectors on two faults of one world."""
    columns = (made_up.table["world"].to_pylist(), made_up.table["split"].to_pylist())
    splits = ("action/noise@strong", "dynamics/gravity@extreme-up")
    chosen = [world == WORLDS[0] and split in splits for world, split in zip(*columns, strict=True)]
    return made_up.table.filter(chosen)


def said_of(table, chosen=lambda row: True):
    rows = table.select(["name", "split"]).to_pylist()
    part = table.filter([chosen(row) for row in rows])
    run = RunResults("s", "T", "", "", {}, part, pa.table({}))
    return re.search(r'<p class="headline">(.*?)</p>', page(run))[1]


def test_a_lead_without_intervals_is_no_claim(few):
    said = said_of(few.select([name for name in few.column_names if not name.startswith("draws_")]))
    assert "<strong>PE-DM</strong> has the highest net detection" in said
    assert "no intervals were computed" in said
    assert not re.search(r"\bbest\b", said)


def test_a_detector_is_best_alone_only_if_no_interval_of_a_difference_contains_zero(few):
    alone = said_of(few, lambda row: row["name"] in ("PE-DM", "Random"))
    assert alone.startswith("<strong>PE-DM</strong> separates best: time-matched AUROC 0.")
    tied = said_of(few, lambda row: row["name"] in ("RIQN", "LSTM-DM", "Random"))
    assert tied.startswith("<strong>RIQN</strong> and <strong>LSTM-DM</strong> separate best: time-matched AUROC 0.")


def test_guarantees_on_the_page_are_those_of_the_table(page_data, folder):
    (entry,) = (each for each in page_data["guarantees"] if each["alarm"] == "EpisodeMaximum")
    everywhere = {page_data["names"][row[0]]: row[2:] for row in entry["rows"] if row[1] == -1}
    assert entry["level"] == 0.05
    assert everywhere["KNN"][3:] == [1200, "kept"]
    assert everywhere["Time"][4] == "broken"
    assert everywhere["Random"][4] == "undecided: 4,200 nominal episodes would decide"
    text = (folder / "tables" / "guarantees.md").read_text()
    assert "| EpisodeMaximum | Time | broken | ≤ 5% | 31% [" in text


def test_a_detector_without_results_for_some_faults_is_not_compared(few):
    first = few["split"][0].as_py()
    said = said_of(few, lambda row: row["name"] == "PE-DM" or (row["name"] == "Random" and row["split"] == first))
    assert "It is not compared with the others" in said
    assert not re.search(r"\bbest\b", said)


def test_a_page_says_what_computed_its_results_and_what_wrote_it(text):
    footer = re.search(r"<footer.*?</footer>", text)[0]
    assert "Results by Offnominal 0.5.0 (commit 0123456789abcdef, Python 3.11.9), 2026-01-01." in footer
    assert f"This report by Offnominal {off.__version__} (" in footer


def test_what_is_not_known_of_a_run_is_said_plainly(made_up):
    manifest = {"commit": "", "versions": {"python": "3.12.3", "offnominal": "none"}, "started": "2026-11-15T14:04:51"}
    plain = made_up.table.slice(0, 4)
    text = page(RunResults("s", "T", "", "", manifest, plain, made_up.examples.slice(0, 0)))
    assert "Results by Offnominal of unknown version (unknown commit, Python 3.12.3), 2026-11-15." in text
    assert "<dt>commit</dt><dd>unknown commit</dd>" in text
    assert "offnominal&nbsp;of unknown version" in text
    assert "none" not in re.search(r'<dl class="made">.*?</dl>', text)[0]


def test_the_version_of_the_package_is_known_also_where_it_is_not_installed(monkeypatch):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("offnominal.datasets.manifest_file.version", version)
    assert installed()["offnominal"] == off.__version__


def test_every_choice_has_its_own_standings(made_up, page_data):
    key = f"1,{page_data['kinds'].index('dynamics')},-1"
    entries = leaderboard(made_up.table, "fpr95", world=WORLDS[1], kind="dynamics")
    carried = page_data["leaderboards"]["fpr95"][key]
    assert [page_data["names"][row[0]] for row in carried] == [standing.name for standing in entries]
    assert carried[0][1] == pytest.approx(entries[0].estimate.value, abs=1e-4)
    assert [row[5] for row in carried] == [standing.tie for standing in entries]


def test_numbers_of_a_fault_are_those_of_the_table(made_up, page_data):
    row = next(row for row in made_up.table.to_pylist() if row["name"] == "KNN" and row["alarm"] == "ThreeSigma")
    fault = next(
        number
        for number, fault in enumerate(page_data["faults"])
        if (fault["world"], fault["split"]) == (row["world"], row["split"])
    )
    carried = page_data["timing"]["alarms"]["ThreeSigma"][fault][page_data["names"].index("KNN")]
    names = [column["name"] for column in page_data["timing"]["columns"]]
    assert dict(zip(names, carried, strict=True))["miss_rate"] == pytest.approx(row["miss_rate"], abs=1e-4)
    assert len(page_data["faults"]) == len(FAULTS) * len(WORLDS)


def test_baselines_are_marked(page_data):
    assert set(page_data["baselines"]) == {"Time", "Random", "PE-DM-untrained"}


def test_text_from_a_run_cannot_become_markup(made_up):
    evil = "</script><script>alert(1)</script>"
    table = made_up.table.slice(0, 4)
    renamed = table.set_column(table.column_names.index("name"), "name", [[evil] * 4])
    failure = {"label": evil, "error": evil, "message": evil, "traceback": evil}
    run = RunResults(evil, evil, evil, evil, {evil: evil}, renamed, made_up.examples.slice(0, 0), [failure])
    assert evil not in page(run)


def test_a_failure_is_told_in_full(text):
    assert "SimulationDiverged" in text
    assert "non-finite &lt;at step 12&gt;" in text
    assert "Traceback (most recent call last)" in text


def test_a_run_without_alarms_and_examples_has_a_page(made_up, few, tmp_path):
    plain = few.filter([alarm is None for alarm in few["alarm"].to_pylist()])
    run = RunResults("s", "T", "", "quick", {}, plain, made_up.examples.slice(0, 0))
    assert "None: every cell finished." in write_page(run, tmp_path / "p.html").read_text()


def test_examples_keep_to_their_budget_and_take_turns():
    run = run_results(replicates=2, names=("PE-DM", "KNN"))
    cells = {
        row["key"]: (row["world"], row["name"], row["seed"])
        for row in run.table.select(["key", "world", "name", "seed"]).to_pylist()
    }
    found = select_examples(run.examples, cells, budget=20_000)
    assert len(json.dumps(found["rows"], separators=(",", ":"))) < 21_000
    assert {row["world"] for row in found["rows"]} == set(WORLDS)
    assert sorted(row["name"] for row in found["rows"]) == ["KNN"] * (n := len(found["rows"]) // 2) + ["PE-DM"] * n
    assert found["recorded"] == run.examples.num_rows


def test_curves_survive_their_encoding():
    curve = np.random.default_rng(0).normal(size=50)
    low, high = curve.min(), curve.max()
    text = encode_curve(curve, low, high)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    codes = [letters.index(text[i]) * 64 + letters.index(text[i + 1]) for i in range(0, len(text), 2)]
    np.testing.assert_allclose(low + np.array(codes) / STEPS * (high - low), curve, atol=(high - low) / STEPS)


def test_every_detector_is_listed_best_first(page_data):
    assert sorted(page_data["names"]) == sorted(SKILL)
    assert page_data["names"][0] == "PE-DM"


@pytest.fixture(scope="module")
def hourly():
    """A run of two detectors that were compared at a budget per hour."""
    return at_budget_per_hour(run_results(replicates=2, names=("PE-DM", "KNN")), 12.0)


def test_the_page_says_which_budget_its_detectors_were_compared_at(hourly, text):
    assert "allow 1 false alarm in 1,000 steps." in text
    hourly = page(hourly)
    assert "most at 12 false alarms per hour: net detection" in hourly
    assert "allow 12 false alarms per hour: per 1,000 steps, 0.12 in SAP-Goal1-v0, 0.24 in" in hourly
    assert "1 false alarm in 1,000 steps" not in hourly


def test_the_budget_of_each_world_is_drawn(hourly, page_data):
    assert payload(hourly)["curves"]["allowed"] == pytest.approx([0.12, 0.24, 0.36])
    assert page_data["curves"]["allowed"] == [1.0, 1.0, 1.0]
