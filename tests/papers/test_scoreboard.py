"""Outcomes of every published table, from the results in a store."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from offnominal.core.errors import UnknownName
from offnominal.evaluation import Estimate
from offnominal.papers import result_sources as sources
from offnominal.papers import scoreboard as module
from offnominal.papers.catalogue import papers
from offnominal.papers.paper import Published, PublishedTable
from offnominal.papers.scoreboard import OutcomeCounts, scoreboard, share_of
from offnominal.studies.catalogue import load_study
from offnominal.studies.published_comparison import PublishedComparison, Rule
from offnominal.studies.results import RunResults
from offnominal.studies.stored_runs import StoredRun, StoreIndex

pytestmark = pytest.mark.long

PUBLISHED = (0.5, 0.6, 0.7)
SHARE, FACT = Rule("measured", margin=0.05, close=0.02), Rule("fact", margin=0.0)
HALF = Estimate(0.5, np.array([0.49, 0.51]))


def compare(results):
    """Compare as many values as there are cells."""
    ours = [HALF if index < results.cells else Estimate(None) for index in range(len(PUBLISHED))]
    pairs = zip(ours, PUBLISHED, strict=True)
    return [PublishedComparison({"row": str(row)}, *pair, SHARE) for row, pair in enumerate(pairs)]


def constant(_):
    return [PublishedComparison({}, Estimate(3.0), 3.0, FACT), PublishedComparison({}, Estimate(1.0), None)]


def counts(kind="measured", **outcomes):
    return OutcomeCounts.of(kind, [name.replace("_", " ") for name, count in outcomes.items() for _ in range(count)])


TABLES = (
    PublishedTable(1, "a", "toy", compare),
    PublishedTable(1, "a", "toy", compare, images=True),
    PublishedTable(2, "b", "", constant),
    PublishedTable(3, "c", "", lambda _: compare(RunResults.none()), not_computed="Their data are not public."),
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

    scales = dict.fromkeys(("paper", "onset", "laptop", "smoke"))
    protocol = SimpleNamespace(scales=("smoke", "laptop", "paper"))
    monkeypatch.setattr(sources, "stored_run", stored_run)
    monkeypatch.setattr(sources, "load_study", lambda _: SimpleNamespace(scales=scales))
    toy = SimpleNamespace(load_published=lambda: Published(TABLES, protocol=protocol))
    for each in (module, sources):
        monkeypatch.setattr(each, "paper", lambda _: toy)
    return SimpleNamespace(keys=keys, reads=reads)


def scales(scores):
    return [[run.results.scale for run in score.runs] for score in scores]


def test_every_table_is_counted_and_each_run_is_read_once(stored):
    stored.keys |= {"laptop": "ab"}
    scores = scoreboard(["toy"])
    compared = counts(reproduced_closely=1, differs=1, not_run=1)
    assert [score.counts(score.kind) for score in scores] == [
        compared,
        compared,
        counts("fact", reproduced=1),
        counts(not_run=3),
    ]
    assert [score.source for score in scores] == ["toy@laptop", "toy@laptop", "needs no run", TABLES[3].not_computed]
    assert set(stored.reads.values()) == {1}


def test_every_value_is_that_of_the_most_powerful_run_that_has_one(stored):
    stored.keys |= {"smoke": "ab", "laptop": "cd", "paper": "e", "onset": "fgh"}
    assert scales(scoreboard(["toy"])) == [["paper", "laptop"], ["paper", "laptop"], [], []]
    stored.keys |= {"paper": "klm"}
    assert scales(scoreboard(["toy"])) == [["paper"], ["paper"], [], []]


def test_published_values_that_a_comparison_leaves_out_are_not_run(stored, monkeypatch):
    def partial(results):
        lines = [PublishedComparison({"row": str(row), "± ours": "–"}, Estimate(None), 0.5, SHARE) for row in range(3)]
        measured = PublishedComparison({"row": "0", "± ours": "0.1"}, HALF, 0.5, SHARE)
        return [measured] if results.cells else lines

    table = PublishedTable(1, "a", "toy", partial)
    monkeypatch.setattr(module, "paper", lambda _: SimpleNamespace(load_published=lambda: Published((table,))))
    stored.keys |= {"laptop": "a"}
    (score,) = scoreboard(["toy"])
    assert score.counts("measured") == counts(reproduced_closely=1, not_run=2)
    assert len(score.lines) == 3


def test_a_scale_can_be_chosen(stored):
    stored.keys |= {"smoke": "a", "paper": "bcd"}
    assert scales(scoreboard(["toy"], scale="smoke")) == [["smoke"], ["smoke"], [], []]
    assert scales(scoreboard(["toy"], scale="laptop")) == [[], [], [], []]
    with pytest.raises(UnknownName, match="Did you mean 'laptop'"):
        scoreboard(["toy"], scale="laptob")


def test_plain_data_say_where_the_values_come_from(stored):
    stored.keys |= {"smoke": "ab-"}
    found = scoreboard(["toy"])[1].to_dict()
    assert (found["table"], found["images"], found["study"], found["kind"]) == ("1", True, "toy", "measured")
    assert found["runs"] == [{"scale": "smoke", "cells": 3, "missing": 1, "outdated": 1}]


def test_without_results_all_published_values_of_all_papers_are_not_run():
    scores = scoreboard(store=Path("no-such-store"), shipped=False)
    assert {score.paper for score in scores} == set(papers.ids())
    assert sum(score.counts("measured").values for score in scores) > 2000
    assert not any(score.counts(score.kind).compared for score in scores if score.table.study)
    assert share_of(scores) is None


def test_the_store_and_each_study_are_read_once(monkeypatch):
    reads, studies = Counter(), Counter()
    read = StoreIndex.read
    monkeypatch.setattr(sources, "load_study", lambda name: studies.update([name]) or load_study(name))
    monkeypatch.setattr(StoreIndex, "read", lambda folder: reads.update([folder]) or read(folder))
    scoreboard(["ood-rl", "novelcraft"], store=Path("no-such-store"), scale="smoke")
    assert reads == {Path("no-such-store"): 1}
    assert set(studies.values()) == {1}
    assert len(studies) > 1


def test_counts_of_one_kind_are_added_and_those_of_others_are_not():
    parts = [counts(reproduced=2, not_run=1), counts(reproduced=1, differs=1), counts("work", reproduced=5)]
    assert OutcomeCounts.total("measured", parts) == counts(reproduced=3, differs=1, not_run=1)
    assert OutcomeCounts.total("work", parts) == counts("work", reproduced=5)
    assert OutcomeCounts.total("fact", parts) == OutcomeCounts("fact")


def test_values_without_an_interval_and_flawed_ones_are_not_judged():
    found = counts(reproduced=1, no_interval=2, flawed=3, not_run=4, inconclusive=5)
    assert (found.values, found.compared, found.judged, found.reproduced) == (15, 11, 6, 1)
