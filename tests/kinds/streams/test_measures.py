"""What alarms on streams get: planted ones that never, always, and only in faults are raised."""

import numpy as np
import pytest

from offnominal.alarms import ACI, ConformalPID, EDetector, EpisodeMaximum, simulate_scores
from offnominal.alarms.guarantee_check import outcome_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.kinds import StreamAlarm, StreamCondition, StreamPlan
from offnominal.kinds.streams.cell_run import apply_alarm, detector_scores, null_scores, run_streams
from offnominal.kinds.streams.measures import StreamAlarms
from offnominal.kinds.streams.promises import check_promise, promised_share
from offnominal.kinds.streams.recording import InjectedFault, record_streams
from offnominal.kinds.streams.stream_alarms import Calibration, build_stream_alarm, run_with_restarts, stretches
from offnominal.studies.resource_meter import ResourceMeter

from .made_streams import ALARMS, PLAN, STEADY, WEAR, WORLD, stream_cell

UNIT, STEPS = 10, 200
INJECTED = [[InjectedFault("a@b", 0, 25, 55), InjectedFault("a@b", 0, 120, 150)], [InjectedFault("a@b", 0, 61, 91)]]


def faulty_steps() -> BoolArray:
    active = np.zeros((2, STEPS), np.bool_)
    for row, faults in enumerate(INJECTED):
        for fault in faults:
            active[row, fault.onset : fault.end] = True
    return active


def measured(faulty: BoolArray, twins: BoolArray) -> dict:
    found = StreamAlarms(faulty, twins, INJECTED, UNIT, 0.1)
    resamples = Resamples.draw(2, 50)
    return found.false_alarms(resamples) | found.detection(resamples)


def test_an_alarm_that_is_never_raised_detects_nothing():
    never = np.zeros((2, STEPS), np.bool_)
    found = measured(never, never)
    assert (found["detected"], found["net_detection"], found["false_alarms_h"]) == (0.0, 0.0, 0.0)
    assert found["delay_s"] == pytest.approx(3.0)
    assert found["middle_delay_s"] is None


def test_an_alarm_that_is_always_raised_has_no_net_detection_and_only_false_alarms():
    always = np.ones((2, STEPS), np.bool_)
    found = measured(always, always)
    assert (found["detected"], found["chance"], found["net_detection"]) == (1.0, 1.0, 0.0)
    assert found["false_alarms_h"] == found["after_faults_h"] == pytest.approx(3600.0)
    assert found["alarm_events_h"] == pytest.approx(3600.0 / 20)
    assert found["delay_s"] == pytest.approx(3.0)


def test_an_alarm_in_faults_alone_is_perfect_and_one_after_them_is_false():
    never = np.zeros((2, STEPS), np.bool_)
    found = measured(faulty_steps(), never)
    assert (found["net_detection"], found["delay_s"], found["false_alarms_h"]) == (1.0, 0.0, 0.0)
    assert found["after_faults_h"] == 0.0
    late = np.roll(faulty_steps(), 40, axis=1)
    found = measured(late, never)
    assert (found["net_detection"], found["false_alarms_h"]) == (0.0, 0.0)
    assert found["after_faults_h"] > 0.0


def test_delays_are_those_of_alarms_that_the_twin_does_not_have():
    late = faulty_steps()
    late[0, 25:35] = late[0, 120:130] = False
    twins = np.zeros((2, STEPS), np.bool_)
    twins[1, 90] = True
    found = measured(late, twins)
    assert found["detected"] == 1.0
    assert found["chance"] == pytest.approx(0.5)
    assert found["delay_s"] == pytest.approx((1.0 + 3.0) / 2)
    assert found["middle_delay_s"] == pytest.approx(1.0)


def whole(rows: list[dict], **wanted: str) -> dict[str, dict]:
    return {
        row["alarm"]: row for row in rows if row["split"] == "all" and all(row.get(k) == v for k, v in wanted.items())
    }


@pytest.fixture(scope="module")
def worn():
    cell = stream_cell(WEAR, nulls=("clock", "restarts", "drift"), plan=PLAN.replace(streams=3, chance=0.8))
    return cell, record_streams(cell)


@pytest.fixture(scope="module")
def rows(worn):
    cell, data = worn
    return run_streams(cell, data, ResourceMeter()).rows


def test_the_clock_and_the_drift_alone_have_no_net_detection(rows):
    for null in ("clock", "drift"):
        found = whole(rows, name=null)
        assert set(found) >= {"EpisodeMaximum", "again", "EDetector"}
        for alarm in ("EpisodeMaximum", "again", "EDetector"):
            assert found[alarm]["net_detection"] == 0.0
        assert found["EpisodeMaximum"]["detected"] == pytest.approx(found["EpisodeMaximum"]["chance"])
    assert whole(rows, name="clock")["EpisodeMaximum"]["false_alarms_h"] == whole(rows)["EDetector"]["budget_h"] / 0.1


def test_an_alarm_that_refuses_constant_scores_has_no_row_for_a_null_but_for_the_detector(rows):
    assert "ConformalPID" not in whole(rows, name="restarts")
    assert "ConformalPID" in whole([row for row in rows if "name" not in row])


def test_a_detector_finds_an_offset(rows):
    found = whole([row for row in rows if "name" not in row])
    assert found["EpisodeMaximum"]["net_detection"] > 0.3
    assert found["EpisodeMaximum"]["family_name"] == "fixed"
    assert {found[name]["family_name"] for name in ("again", "EDetector", "ConformalPID")} == {
        "recalibrated",
        "run length",
        "adaptive",
    }


def test_faults_without_effect_give_false_alarms_only():
    neutral = stream_cell().faults[0].replace(parameters={WORLD: 0.0})
    cell = stream_cell(StreamCondition("steady"), neutral)
    data = record_streams(cell)
    assert all(data.injected)
    found = whole(list(run_streams(cell, data, ResourceMeter()).rows))
    for name in ("EpisodeMaximum", "again", "EDetector", "ConformalPID"):
        assert found[name]["net_detection"] == 0.0
        assert found[name]["detected"] == found[name]["chance"]


def test_a_promise_is_kept_broken_or_undecided_and_a_wrong_share_in_the_long_run_is_seen(monkeypatch):
    scores = [np.random.default_rng(seed).exponential(size=20_000) for seed in range(4)]
    quiet, often = np.arange(2000) % 40 == 0, np.arange(2000) % 5 == 0
    maxima = [EpisodeMaximum(0.05).fit(simulate_scores(100, seed=seed)) for seed in range(4)]
    assert check_promise(maxima, [quiet] * 4, scores, 10).verdict == "kept"
    assert check_promise(maxima, [often] * 4, scores, 10).verdict == "broken"
    assert check_promise(maxima, [often, *[~often & False] * 3], scores, 10).verdict == "undecided"
    evidence = [EDetector(200, window=10).fit([each]) for each in scores]
    assert promised_share(evidence[0], 10) == 0.05
    assert check_promise(evidence, [often] * 4, scores, 10).verdict == "broken"
    adaptive = [ConformalPID(0.05, window=10).fit([each]) for each in scores]
    assert check_promise(adaptive, [often] * 4, scores, 10).verdict == "kept"
    monkeypatch.setattr(ConformalPID, "deviation", lambda self, units: 0.0)
    assert check_promise(adaptive, [often] * 4, scores, 10).verdict == "broken"


def test_a_promise_about_any_data_is_arithmetic_and_no_verdict():
    scores = [np.random.default_rng(seed).exponential(size=2000) for seed in range(2)]
    for raised in (np.zeros(200, np.bool_), np.ones(200, np.bool_)):
        found = check_promise([ACI(0.05, window=10).fit([each]) for each in scores], [raised] * 2, scores, 10)
        assert (found.verdict, found.promised, found.interval) == ("arithmetic", 0.05, None)


def test_the_interval_of_a_promise_decides_its_verdict(rows):
    found = whole([row for row in rows if "name" not in row])
    judged = [row for row in found.values() if row["judged_h_low"] is not None]
    assert {row["alarm"] for row in judged} == {"EpisodeMaximum", "again", "EDetector"}
    for row in judged:
        outcome = outcome_of(row["promised_h"], (row["judged_h_low"], row["judged_h_high"]), explained=False)
        assert outcome == row["verdict_name"]
        assert row["judged_h_low"] <= row["false_alarms_h"] <= row["judged_h_high"]


def test_an_alarm_is_calibrated_again_with_the_scores_after_the_event_alone():
    plan = StreamPlan(unit=10, segment=5, train=1, calibration=20, test=40, events=(0.5,), recalibration=8, promise=0.1)
    entry = StreamAlarm("again", "EpisodeMaximum", recalibrated=True)
    random = np.random.default_rng(0)
    before, test = random.normal(size=1000), random.normal(size=2000)
    test[1000:] += 100.0
    parts = stretches(entry, plan, Calibration(before, 5), test, events=True)
    assert [(part.begin, part.end) for part in parts] == [(0, 1400), (1400, 2000)]
    assert parts[0].alarm.threshold_ < 10.0
    assert 100.0 < parts[1].alarm.threshold_ < 110.0
    test[1400:] += 1000.0
    assert stretches(entry, plan, Calibration(before, 5), test, events=True)[1].alarm.threshold_ < 110.0
    (alone,) = stretches(entry, plan, Calibration(before, 5), test, events=False)
    assert (alone.begin, alone.end) == (0, 2000)


def test_an_alarm_with_a_run_length_begins_anew_after_each_alarm():
    alarm = EDetector(1000, window=10).fit([np.arange(3000) % 7])
    scores = np.arange(4000) % 7 + 0.0
    scores[1003:1100], scores[3500:3600] = 99.0, 99.0
    raised = run_with_restarts(alarm, scores, 10)
    first, alone = int(np.argmax(raised)), alarm.first_alarms([scores])[0]
    assert first == alone
    begun = np.flatnonzero(np.diff(raised.astype(int)) == 1)
    assert 2 <= len(begun) < 40
    assert not raised[1300:3500].any()


def test_all_promises_are_those_of_the_plan():
    plan = StreamPlan(unit=50, promise=0.04)
    for entry in ALARMS:
        alarm = build_stream_alarm(entry, plan)
        assert getattr(alarm, "alpha", 0.04) == 0.04
        assert getattr(alarm, "run_length", 1250) == 1250
        assert getattr(alarm, "window", 50) == 50
    assert getattr(build_stream_alarm(StreamAlarm("glr", "EpisodeGlr"), plan), "window", None) == 100


def test_scores_of_the_test_are_not_used_for_calibration(worn):
    cell, data = worn
    scores = detector_scores(cell, data, ResourceMeter())
    before = apply_alarm(cell, ALARMS[0], data, scores)[1]
    scores.faulty[:], scores.twins[:] = 1e6, 1e6
    after = apply_alarm(cell, ALARMS[0], data, scores)[1]
    assert [one.threshold_ for one in before] == [two.threshold_ for two in after]
    assert scores.calibration.shape == (3, PLAN.calibration * PLAN.steps)
    assert null_scores(cell, "clock", data).twins[0, 0] == PLAN.first_test * PLAN.steps


def test_events_must_leave_time_for_recalibration():
    with pytest.raises(InvalidParameter, match="too close for 10 segments"):
        StreamPlan(events=(0.33, 0.4))
    with pytest.raises(InvalidParameter, match="a fault lasts 11 units"):
        StreamPlan(fault=11)
    with pytest.raises(InvalidParameter, match="has wear without maintenance"):
        StreamCondition("wear", course="wear")
    with pytest.raises(InvalidParameter, match="has anomalies, but no course"):
        STEADY.replace(anomalies={WORLD: "observation/offset"}, parameters={WORLD: 1.0})
