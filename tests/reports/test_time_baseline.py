"""A detector that only counts steps leads by no number that orders detectors at a budget, on no surface."""

from pathlib import Path

import numpy as np
import pytest

import offnominal as off
from offnominal import reports, web
from offnominal.core.episode import Episode
from offnominal.core.errors import UnknownName
from offnominal.evaluation.metrics import LEADERBOARD, METRICS, metric_named
from offnominal.kinds.faults.kind import FaultStudyKind
from offnominal.reports.headline import NOT_CONTROLLED, run_sentences
from offnominal.reports.leaderboard import leaderboard_rows, metrics_of
from offnominal.reports.payload import payload
from offnominal.reports.verdicts import run_verdicts
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.paired_comparison import compare_pair
from offnominal.studies.result_rows import LISTS, type_of

NET = ("net_detection", "net_delay", "net_area")
PLAIN = ("budget_detected", "budget_mean_delay", "budget_area")
BY_PAPERS = {"auroc", "excess_auroc", "average_precision", "fpr95"}
"""Metrics of leaderboards for the comparison with published numbers; elapsed time counts in them, as pages say."""


def episodes(rng, count, length, onset, *, seen=0):
    """Return episodes of noise; after the onset the first `seen` of them have another mean."""
    made = []
    for number in range(count):
        active = np.arange(length) >= onset
        shift = 8.0 * np.append(False, active) * (number < seen)
        made.append(
            Episode(rng.normal(size=(length + 1, 2)) + shift[:, None], np.zeros((length, 0)), np.zeros(length), active)
        )
    return made


@pytest.fixture(scope="module")
def compared():
    """Faulty episodes last twice as long as nominal ones, so that their age alone gives them away; KNN sees a third."""
    rng = np.random.default_rng(0)
    data = {
        "train": episodes(rng, 30, 40, 99),
        "validation": episodes(rng, 30, 40, 99),
        "test": episodes(rng, 40, 40, 99),
        "faulty": episodes(rng, 30, 80, 30, seen=10),
    }
    return off.compare(["Time", "KNN"], data, alarms=["EpisodeMaximum"], replicates=200, budget=2.0)


def test_elapsed_time_leads_by_numbers_that_are_not_controlled_for_it(compared):
    rows = {row["detector"]: row for row in compared.rows()}
    assert rows["Time"]["budget_detected"] > rows["KNN"]["budget_detected"] + 0.3
    assert rows["Time"]["budget_area"] > rows["KNN"]["budget_area"] + 0.3


@pytest.mark.parametrize("metric", NET)
def test_it_leads_by_no_number_of_leaderboards(compared, metric):
    board = leaderboard(compared.results().table, metric)
    assert [each.name for each in board] == ["KNN", "Time"]
    assert board[1].estimate.value == METRICS[metric].random_value
    assert [each.tie for each in board] == ["a", "b"]
    assert compare_pair(compared.results().table, "Time", "KNN", metric).better == "KNN"


@pytest.mark.parametrize("metric", PLAIN)
def test_other_numbers_at_a_budget_order_nothing(compared, metric):
    for compare in (metric_named, lambda name: leaderboard(compared.results().table, name)):
        with pytest.raises(UnknownName, match=f"not compared by '{metric}'"):
            compare(metric)
    with pytest.raises(UnknownName, match="not compared by"):
        compare_pair(compared.results().table, "Time", "KNN", metric)


def test_no_surface_orders_or_judges_by_them(compared):
    results = compared.results()
    assert not set(PLAIN) & {*LEADERBOARD, *metrics_of(results)}
    data = payload(results)
    assert not set(PLAIN) & {each["name"] for each in data["metrics"]}
    assert [row["detector"] for row in leaderboard_rows(results)] == ["KNN", "Time"]
    leaders = {
        each["name"]: data["names"][data["leaderboards"][each["name"]]["-1,-1,-1"][0][0]] for each in data["metrics"]
    }
    assert {name for name, leader in leaders.items() if leader == "Time"} <= BY_PAPERS
    judged = run_verdicts(results.table).found
    assert judged.detects_too_little == ("Time",)
    assert (judged.separates_best, judged.detects_most) == (("KNN",), ("KNN",))
    assert not any(line.startswith("Time") for line in run_sentences(results) if "less than" not in line)


def test_numbers_in_which_elapsed_time_counts_say_so_wherever_they_are_shown(compared):
    assert any(NOT_CONTROLLED in line for line in FaultStudyKind().findings(compared.results()))
    assets = Path(reports.__file__).parent / "assets"
    surfaces = [assets / "sections" / "timing.html.j2", Path(web.__file__).parent / "assets" / "leaderboard.html.j2"]
    assert all(NOT_CONTROLLED in surface.read_text(encoding="utf-8") for surface in surfaces)
    assert NOT_CONTROLLED in (assets / "detectors.js").read_text(encoding="utf-8")
    for figure in ("charts.js", "incidence.js"):
        assert "${NOT_CONTROLLED}" in (assets / figure).read_text(encoding="utf-8")


def test_every_metric_of_leaderboards_is_controlled_for_time_or_for_comparison_with_papers():
    assert {*LEADERBOARD} == {*NET, "matched_auroc", *BY_PAPERS}


def test_replicates_that_only_older_results_have_are_still_read():
    for name in PLAIN:
        assert f"draws_{name}" in LISTS
        assert type_of(f"draws_{name}") == type_of("draws_net_delay")
