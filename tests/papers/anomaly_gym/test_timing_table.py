"""Table 4 of the Anomaly-Gym paper."""

import pytest

from offnominal.papers.anomaly_gym.timing_table import table_4
from offnominal.studies.results import RunResults

from .made_rows import row, run

pytestmark = pytest.mark.long


def timed(world, name, alarm="3 sigma", *, median, missed=0.3, **numbers):
    rates = {"within_5": 0.5, "within_10": 0.5, "within_20": 0.6, "miss_rate": missed, "early_rate": 0.37}
    return row(world, name, "strong", alarm, **rates | {"median_delay": median} | numbers)


def lines_of(results):
    return {tuple(line.labels.values()): line for line in table_4(results)}


def test_every_published_number_is_compared_with_the_mean_over_faults():
    rows = [timed("SAP-Goal0-v0", "KNN", median=14.0), timed("MJC-HalfCheetah-v0", "KNN", median=18.0, early_rate=0.31)]
    lines = lines_of(run(rows))
    assert len(lines) == 54
    assert lines["3 sigma", "KNN", "EDR"].ours.value == pytest.approx(0.34)
    delay = lines["3 sigma", "KNN", "MedDel"]
    assert (delay.ours.value, delay.published, delay.verdict) == (16.0, 16.93, "no interval")
    assert lines["maximum", "PE-DM", "MR"].outcome == "not run"


def test_faults_that_are_mostly_missed_have_no_delay():
    rows = [timed("SAP-Goal0-v0", "KNN", median=14.0), timed("SAP-Goal1-v0", "KNN", median=None, missed=0.9)]
    assert lines_of(run(rows))["3 sigma", "KNN", "MedDel"].ours.value == 14.0


def test_published_rates_that_contradict_each_other_are_flawed():
    lines = lines_of(RunResults.none())
    assert {key for key, line in lines.items() if line.flaw} == {
        ("maximum", "LSTM-DM", "D20"),
        ("maximum", "LSTM-DM", "MR"),
    }
