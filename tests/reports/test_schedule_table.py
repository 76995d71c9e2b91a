"""The report of a run with faults that end has a row per schedule and detector."""

from dataclasses import replace

import pyarrow as pa
import pytest

from offnominal.reports.schedule_table import HEADINGS, schedule_section, schedule_table

from .synthetic import run_results


@pytest.fixture(scope="module")
def lasting():
    return run_results(replicates=20, seeds=1, worlds=("SAP-Goal1-v0",), names=("MLP-DM", "Time"))


@pytest.fixture(scope="module")
def ending(lasting):
    """Return the run as if its faults at the level *tiny* ended."""
    rows = lasting.table.to_pylist()
    for row in rows:
        ends = row["level"] == "tiny" and row["alarm"] is not None
        row |= {"event_detected": 0.75 if ends else None, "net_recovery_alarm": 0.1 if ends else None}
    return replace(lasting, table=pa.Table.from_pylist(rows))


def test_a_run_whose_faults_last_has_no_such_table(lasting):
    assert schedule_table(lasting) is None
    assert schedule_section(lasting) is None


def test_each_level_and_detector_has_a_row(ending):
    rows = schedule_table(ending).rows
    assert {row["level"] for row in rows} == {"tiny", "medium", "strong", "extreme"}
    assert len(rows) == 8


def test_only_levels_that_end_have_activations(ending):
    found = {(row["level"], row["detector"]): row for row in schedule_table(ending).rows}
    assert found["tiny", "Time"][HEADINGS["event_detected"]] == "0.75"
    assert found["tiny", "Time"][HEADINGS["net_recovery_alarm"]] == "0.10"
    assert found["strong", "Time"][HEADINGS["event_detected"]] is None


def test_numbers_are_of_the_alarm_with_a_guarantee(ending):
    assert {row["alarm"] for row in schedule_table(ending).numbers} == {"EpisodeMaximum"}
    assert "“EpisodeMaximum”" in schedule_section(ending).content
