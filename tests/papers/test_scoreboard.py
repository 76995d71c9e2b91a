"""Outcomes of every published table, from the results in a store."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from offnominal.core.errors import UnknownName
from offnominal.evaluation import Estimate
from offnominal.papers import scoreboard as module
from offnominal.papers.catalogue import papers
from offnominal.papers.paper import Published, PublishedTable
from offnominal.papers.scoreboard import OutcomeCounts, scoreboard
from offnominal.studies.catalogue import load_study
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.store_index import StoreIndex
from offnominal.studies.stored_runs import StoredRun

pytestmark = pytest.mark.long

PUBLISHED = (0.5, 0.6, 0.7)


def compare(results):
    """Compare as many values as there are cells."""
    ours = [Estimate(0.5) if index < results.cells else Estimate(None) for index in range(len(PUBLISHED))]
    return [PublishedComparison({}, *pair) for pair in zip(ours, PUBLISHED, strict=True)]


def constant(_):
    return [PublishedComparison({}, Estimate(3.0), 3.0), PublishedComparison({}, Estimate(1.0), None)]


TABLES = (
    PublishedTable(1, "a", "toy", compare),
    PublishedTable(1, "a", "toy", compare, images=True),
    PublishedTable(2, "b", "", constant),
    PublishedTable(3, "c", "", lambda _: compare(RunResults.none()), not_computed="Their data are not public."),
    PublishedTable(4, "d", "toy", compare, scale="own"),
)


@pytest.fixture
def stored(monkeypatch):
    """Stored results by scale, a letter each or a dash if missing, and how often each run was read."""
    keys, reads = {}, Counter()

    def stored_run(study, scale, **_):
        reads[scale] += 1
        cells = keys.get(scale, "---")
        found, missing = [key for key in cells if key != "-"], tuple(key for key in cells if key == "-")
        results = replace(RunResults.none(), name="toy", scale=scale, table=pa.table({"key": found}), missing=missing)
        return StoredRun(results, len(cells), ("y",), frozenset(f"{scale} {key}" for key in found))

    scales = dict.fromkeys(("paper", "onset", "own", "laptop", "smoke"))
    monkeypatch.setattr(module, "stored_run", stored_run)
    monkeypatch.setattr(module, "load_study", lambda _: SimpleNamespace(scales=scales))
    monkeypatch.setattr(module, "paper", lambda _: SimpleNamespace(load_published=lambda: Published(TABLES)))
    return SimpleNamespace(keys=keys, reads=reads)


def scales(scores):
    return [score.scale for score in scores]


def test_every_table_is_counted_and_each_run_is_read_once(stored):
    stored.keys |= {"laptop": "ab"}
    scores = scoreboard(["toy"])
    assert [score.counts for score in scores] == [
        OutcomeCounts(match=1, unexplained=1, not_run=1),
        OutcomeCounts(match=1, unexplained=1, not_run=1),
        OutcomeCounts(match=1),
        OutcomeCounts(not_run=3),
        OutcomeCounts(match=1, unexplained=1, not_run=1),
    ]
    assert [score.source for score in scores[:4]] == [
        "toy@laptop",
        "toy@laptop",
        "needs no run",
        TABLES[3].not_computed,
    ]
    assert set(stored.reads.values()) == {1}


def test_the_scale_with_most_values_is_taken_and_of_equal_ones_the_largest(stored):
    stored.keys |= {"smoke": "ab", "laptop": "cd", "paper": "e"}
    assert scales(scoreboard(["toy"])) == ["laptop", "laptop", "", "", "laptop"]
    stored.keys |= {"own": "fg", "onset": "hij"}
    assert scales(scoreboard(["toy"])) == ["laptop", "laptop", "", "", "own"]
    stored.keys |= {"paper": "klm"}
    stored.reads.clear()
    assert scales(scoreboard(["toy"])) == ["paper", "paper", "", "", "paper"]
    assert set(stored.reads.values()) == {1}


def test_of_scales_with_equally_many_values_the_most_complete_is_taken(stored):
    stored.keys |= {"smoke": "ab-", "laptop": "cd", "paper": "ef-"}
    assert scales(scoreboard(["toy"])) == ["laptop", "laptop", "", "", "laptop"]


def test_published_values_that_a_comparison_leaves_out_are_not_run(stored, monkeypatch):
    def partial(results):
        lines = [PublishedComparison({"row": str(row), "± ours": "–"}, Estimate(None), 0.5) for row in range(3)]
        measured = PublishedComparison({"row": "0", "± ours": "0.1"}, Estimate(0.5), 0.5)
        return [measured] if results.cells else lines

    table = PublishedTable(1, "a", "toy", partial)
    monkeypatch.setattr(module, "paper", lambda _: SimpleNamespace(load_published=lambda: Published((table,))))
    stored.keys |= {"laptop": "a"}
    (score,) = scoreboard(["toy"])
    assert score.counts == OutcomeCounts(match=1, not_run=2)


def test_a_scale_can_be_chosen(stored):
    stored.keys |= {"smoke": "a", "paper": "bcd"}
    assert scales(scoreboard(["toy"], scale="smoke")) == ["smoke", "smoke", "", "", "smoke"]
    assert scales(scoreboard(["toy"], scale="laptop")) == ["", "", "", "", ""]
    with pytest.raises(UnknownName, match="Did you mean 'laptop'"):
        scoreboard(["toy"], scale="laptob")


def test_plain_data_say_where_the_values_come_from(stored):
    stored.keys |= {"smoke": "ab-"}
    found = scoreboard(["toy"])[1].to_dict()
    assert found["unexplained share"] == pytest.approx(1 / 2)
    named = {name: found[name] for name in ("table", "images", "study", "scale", "cells", "missing", "outdated")}
    assert named == {
        "table": "1",
        "images": True,
        "study": "toy",
        "scale": "smoke",
        "cells": 3,
        "missing": 1,
        "outdated": 1,
    }


def test_without_results_all_published_values_of_all_papers_are_not_run():
    scores = scoreboard(store=Path("no-such-store"))
    assert {score.paper for score in scores} == set(papers.ids())
    assert sum(score.counts.values for score in scores) > 2000
    assert not any(score.counts.compared for score in scores if score.table.study)


def test_the_store_and_each_study_are_read_once(monkeypatch):
    reads, studies = Counter(), Counter()
    read = StoreIndex.read
    monkeypatch.setattr(module, "load_study", lambda name: studies.update([name]) or load_study(name))
    monkeypatch.setattr(StoreIndex, "read", lambda folder: reads.update([folder]) or read(folder))
    scoreboard(["ood-rl", "novelcraft"], store=Path("no-such-store"), scale="smoke")
    assert reads == {Path("no-such-store"): 1}
    assert set(studies.values()) == {1}
    assert len(studies) > 1


def test_counts_are_added():
    parts = [OutcomeCounts(match=2, not_run=1), OutcomeCounts(match=1, unexplained=1)]
    assert OutcomeCounts.total(parts) == OutcomeCounts(match=3, unexplained=1, not_run=1)
    assert OutcomeCounts.total([]) == OutcomeCounts()
    assert OutcomeCounts().unexplained_share is None
