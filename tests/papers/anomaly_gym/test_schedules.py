"""The study of schedules has the faults that its page describes, and runs to the end."""

import numpy as np
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.kinds.faults.data import open_data
from offnominal.reports.schedule_table import schedule_table
from offnominal.studies import DetectorEntry, load_study, open_run, run

pytestmark = pytest.mark.long

LEVELS = ("persistent", "intermittent", "recovering", "ramped", "cascading", "compound")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(tmp_path_factory.mktemp("data")))
        study = load_study("anomaly-gym-schedules").at("smoke")
        yield study.replace(detectors=(DetectorEntry("Time"),), data=study.data.replace(episodes=4))  # type: ignore[attr-defined]


def test_every_world_has_every_schedule():
    study = load_study("anomaly-gym-schedules").at("paper")
    for cell in study.cells():
        names = [fault.name for fault in cell.data.faults]  # type: ignore[attr-defined]
        assert [names.count(level) for level in LEVELS] == [3, 3, 3, 3, 2, 1]


def test_episodes_are_active_as_the_schedules_say(small):
    data = open_data(small.cells()[0])
    for each in data["action/offset@intermittent"]:
        onset = each.events[0].onset
        np.testing.assert_array_equal(each.active, (np.arange(200) >= onset) & ((np.arange(200) - onset) % 20 < 10))
    for each in data["action/offset@recovering"]:
        onset = each.events[0].onset
        np.testing.assert_array_equal(each.active, (np.arange(200) >= onset) & (np.arange(200) < onset + 50))
    assert {b.onset - a.onset for a, b in (each.events for each in data["action/offset@cascading"])} == {20}
    assert {b.onset - a.onset for a, b in (each.events for each in data["observation/offset@compound"])} == {0}


@pytest.mark.usefixtures("in_process")
def test_the_study_runs_to_the_end_and_has_its_table(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, outcome = run(small, workers=1, report=lambda line: None)
    assert outcome.complete
    found = {row["level"]: row for row in schedule_table(open_run(folder)).numbers}
    assert tuple(sorted(found)) == tuple(sorted(LEVELS))
    assert found["persistent"]["event_detected"] is None
    assert found["intermittent"]["event_detected"] is not None
    assert found["recovering"]["net_recovery_alarm"] == 0.0  # elapsed time is the same in nominal episodes
