"""A study, `off.compare` and `off.evaluate` give the same numbers for the same episodes."""

import json

import numpy as np
import pytest

import offnominal as off
from offnominal.datasets import save_dataset
from offnominal.detectors import make_detector
from offnominal.kinds import AlarmEntry, Cell
from offnominal.reports.leaderboard import leaderboard_rows
from offnominal.studies import run_cell
from offnominal.studies.result_rows import SPENT
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long

REPLICATES = 30
ABOUT = {"key", "world", "policy", "parameters", "cell", "data", "code", "versions", *SPENT, "steps_scored"}
"""Columns of one of the two only, or of its cost."""


def episode(seed, length=60, faulty=()):
    """Return an episode of noise with a shift in some intervals, and with times."""
    rng, active = np.random.default_rng(seed), np.zeros(length, bool)
    for start, stop in faulty:
        active[start:stop] = True
    observations = rng.normal(size=(length + 1, 2)) + 1.5 * np.append(False, active)[:, None]
    times = {"time": 0.5 * np.arange(length + 1)}
    return off.Episode(observations, np.zeros((length, 0)), np.zeros(length), active, seed=seed, extras=times)


LATE = [episode(seed, faulty=[(30, 60)]) for seed in range(100, 106)]
EVENTS = [episode(seed, faulty=[(20, 28), (40, 45)]) for seed in range(110, 116)]
WHOLE = [episode(seed, faulty=[(0, 60)]) for seed in range(120, 126)]
LONG = [episode(130, 2000, [(start, start + 10) for start in range(100, 2000, 200)])]
CASES = {
    "faults to the end": {"late": LATE},
    "two events": {"events": EVENTS},
    "whole episodes": {"whole": WHOLE},
    "one long log": {"log": LONG},
    "a split without an AUROC": {"late": LATE, "whole": WHOLE},
}


@pytest.fixture(scope="module", params=CASES)
def data(request, tmp_path_factory):
    parts = {"train": range(8), "validation": range(20, 40), "test": range(40, 50)}
    splits = {name: [episode(seed) for seed in seeds] for name, seeds in parts.items()} | CASES[request.param]
    return save_dataset(tmp_path_factory.mktemp("own") / "set", splits, world="own")


@pytest.fixture(scope="module")
def compared(data):
    return off.compare(["Mahalanobis", "Random"], data, alarms=["Quantile"], replicates=REPLICATES)


@pytest.fixture(scope="module")
def studied(data):
    """The results of a study over the same episodes."""
    import pyarrow as pa

    alarms = (AlarmEntry("Quantile", "Quantile"),)
    cells = [
        Cell(str(data.folder), name, name, alarms=alarms, replicates=REPLICATES) for name in ("Mahalanobis", "Random")
    ]
    found = [run_cell(cell) for cell in cells]
    tables, shown = ([getattr(each, part) for each in found] for part in ("rows", "examples"))
    joined = (pa.concat_tables(each, promote_options="default") for each in (tables, shown))
    return RunResults("mine", "", "", "full", {}, *joined)


def plain(results):
    """Return the rows of a run without what names its cells and without empty columns, in one order."""
    found = results.table.to_pylist()
    found.sort(key=lambda row: (row["name"], row["split"], row["alarm"] or ""))
    return [{key: repr(row[key]) for key in row if key not in ABOUT and row[key] is not None} for row in found]


def test_every_row_of_a_comparison_is_that_of_a_study(compared, studied):
    assert plain(compared.results()) == plain(studied)


def test_rank_ties_and_shown_numbers_are_those_of_a_study(compared, studied):
    assert compared.leaderboard() == leaderboard_rows(studied)


def test_examples_are_those_of_a_study(compared, studied):
    assert compared.results().examples.drop_columns(["key", "world", "policy"]) == studied.examples.drop_columns(
        ["key", "world", "policy"]
    )


def test_every_number_of_evaluate_is_that_of_the_comparison(compared, data):
    detector = make_detector("Mahalanobis").fit(list(data["train"]), seed=0)
    alarm = off.alarms.make_alarm("Quantile").fit(detector.score(list(data["validation"])))
    report = off.evaluate(detector, data, alarm=alarm, replicates=REPLICATES)
    (other,) = compared.reports["Mahalanobis"].values()
    assert json.dumps(report.rows()) == json.dumps(other.rows())
    assert report.summary() == other.summary()
