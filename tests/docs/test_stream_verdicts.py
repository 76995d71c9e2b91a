"""The stored verdicts of the study of streams follow its rules."""

import csv
from pathlib import Path

import pytest

from offnominal.alarms.adaptive import ANY_DATA
from offnominal.alarms.guarantee_check import BROKEN, KEPT
from offnominal.kinds import StreamStudy
from offnominal.kinds.streams.promises import ARITHMETIC
from offnominal.kinds.streams.stream_alarms import build_stream_alarm
from offnominal.studies import load_study

MEASURED = Path(__file__).parents[2] / "docs" / "measured"


def stored(name):
    with (MEASURED / f"streams_{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_promises_about_any_data_are_arithmetic_and_no_others():
    study = load_study("streams").at("laptop")
    assert isinstance(study, StreamStudy)
    free = {each.name for each in study.alarms if build_stream_alarm(each, study.data).guarantee.assumption == ANY_DATA}
    rows = stored("promises")
    assert free == {"ACI", "ACI, frozen", "ACI, confirmed"}
    assert {row["alarm"] for row in rows} > free
    for row in rows:
        assert (row["verdict"] == ARITHMETIC) == (row["alarm"] in free)


@pytest.mark.parametrize("alarm", [row["alarm"] for row in stored("alarms")])
def test_the_table_of_alarms_counts_the_verdicts(alarm):
    verdicts = [row["verdict"] for row in stored("promises") if row["alarm"] == alarm]
    (row,) = (row for row in stored("alarms") if row["alarm"] == alarm)
    counts = [verdicts.count(KEPT), verdicts.count(BROKEN), len(verdicts) - verdicts.count(ARITHMETIC)]
    assert [int(row[name]) for name in ("kept", "broken", "judged")] == counts
