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
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.stored_runs import StoredRun

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
    PublishedTable(4, "d", "toy", compare, scale="pong"),
)


@pytest.fixture
def stored(monkeypatch):
    """Number of stored cells by scale, which a test sets, and how often each run was read."""
    cells, reads = {}, Counter()

    def stored_run(study, scale, **_):
        reads[scale] += 1
        table = pa.table({"key": [str(number) for number in range(cells.get(scale, 0))]})
        results = replace(RunResults.none(), name="toy", scale=scale, table=table, missing=("x",))
        return StoredRun(results, cells.get(scale, 0) + 1, ("y",))

    scales = dict.fromkeys(("paper", "onset", "pong", "laptop", "smoke"))
    monkeypatch.setattr(module, "stored_run", stored_run)
    monkeypatch.setattr(module, "load_study", lambda _: SimpleNamespace(scales=scales))
    monkeypatch.setattr(module, "paper", lambda _: SimpleNamespace(load_published=lambda: Published(TABLES)))
    return SimpleNamespace(cells=cells, reads=reads)


def scales(scores):
    return [score.scale for score in scores]


def test_every_table_is_counted_and_each_run_is_read_once(stored):
    stored.cells |= {"laptop": 2}
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
    stored.cells |= {"smoke": 2, "laptop": 2, "paper": 1}
    assert scales(scoreboard(["toy"])) == ["laptop", "laptop", "", "", "laptop"]
    stored.cells |= {"pong": 2, "onset": 3}
    assert scales(scoreboard(["toy"])) == ["laptop", "laptop", "", "", "pong"]
    stored.cells |= {"paper": 3}
    stored.reads.clear()
    assert scales(scoreboard(["toy"])) == ["paper", "paper", "", "", "paper"]
    assert set(stored.reads.values()) == {1}


def test_a_scale_can_be_chosen(stored):
    stored.cells |= {"smoke": 1, "paper": 3}
    assert scales(scoreboard(["toy"], scale="smoke")) == ["smoke", "smoke", "", "", "smoke"]
    assert scales(scoreboard(["toy"], scale="laptop")) == ["", "", "", "", ""]
    with pytest.raises(UnknownName, match="Did you mean 'laptop'"):
        scoreboard(["toy"], scale="laptob")


def test_plain_data_say_where_the_values_come_from(stored):
    stored.cells |= {"smoke": 3}
    found = scoreboard(["toy"])[1].to_dict()
    assert found["unexplained share"] == pytest.approx(2 / 3)
    named = {name: found[name] for name in ("table", "images", "study", "scale", "cells", "missing", "outdated")}
    assert named == {
        "table": "1",
        "images": True,
        "study": "toy",
        "scale": "smoke",
        "cells": 4,
        "missing": 1,
        "outdated": 1,
    }


def test_without_results_all_published_values_of_all_papers_are_not_run():
    scores = scoreboard(store=Path("no-such-store"))
    assert {score.paper for score in scores} == set(papers.ids())
    assert sum(score.counts.values for score in scores) > 2000
    assert not any(score.counts.compared for score in scores if score.table.study)


def test_counts_are_added():
    parts = [OutcomeCounts(match=2, not_run=1), OutcomeCounts(match=1, unexplained=1)]
    assert OutcomeCounts.total(parts) == OutcomeCounts(match=3, unexplained=1, not_run=1)
    assert OutcomeCounts.total([]) == OutcomeCounts()
    assert OutcomeCounts().unexplained_share is None
