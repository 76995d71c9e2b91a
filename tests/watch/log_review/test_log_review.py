"""A first look at a recording: events, delays, false alarms, drift and one recommendation."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.watch import review_log
from offnominal.watch.log_review.figure import shown_time
from offnominal.watch.log_review.page import event_table, overview
from offnominal.watch.log_review.parts import LogParts

N = 8000


def recording(*events, shift=0.0, seed=0, times=None, steps=N):
    """Return a recording of two channels; each event is (begin, end, first step at which it shows)."""
    random, active = np.random.default_rng(seed), np.zeros(steps, np.bool_)
    values = random.normal(size=(steps + 1, 2))
    values[:, 0] += shift * np.arange(steps + 1) / steps
    for begin, end, seen in events:
        active[begin:end] = True
        values[1 + seen : 1 + end, 1] += 50.0
    extras = {} if times is None else {"time": times}
    return Episode(values, np.zeros((steps, 0)), np.zeros(steps), active, extras=extras)


def review(log, rate="4/hour", **options):
    return review_log([log], rate, **({"period": 0.5, "window": 20, "channels": ["flow", "heat"]} | options))


def test_an_event_has_its_delay_in_seconds_and_its_channel():
    found = review(recording((7000, 7100, 7012), (7500, 7550, 7550)))
    first, second = found.events
    assert (first.length, first.delay, first.channels[0][0]) == (50.0, 6.0, "heat")
    assert second.delay is None
    assert overview(found)[0]["found"] == "1 of 2, median delay 6 s"
    assert "90 % interval [" in overview(found)[1]["found"]
    assert [row["delay s"] for row in event_table(found).rows] == ["6", "missed"]


def test_false_alarms_begin_at_nominal_steps_and_count_once():
    log = recording((7000, 7100, 7000))
    log.observations[7301:7341, 1] += 50.0
    log.observations[7101:7106, 1] += 50.0
    found = review(log, "10/hour")
    lasting = [time for time in found.false_alarms if 3650.0 <= time <= 3671.0]
    assert lasting == [pytest.approx(3650.5)]
    assert not [time for time in found.false_alarms if 3500.0 <= time <= 3553.0]


def test_the_rate_counts_windows_as_the_promise_does():
    log = recording((7200, 7300, 7200))
    before = review(log)
    begin = N - len(before.scores)
    free = [window for window in range(5) if not before.raised[20 * window : 20 * window + 20].any()]
    for step in (20 * free[0] + 5, 20 * free[0] + 9, 20 * free[0] + 13, 20 * free[1] + 5):
        log.observations[1 + begin + step, 1] += 50.0
    found = review(log)
    assert len(found.false_alarms) - len(before.false_alarms) >= 4
    assert found.rate.alarms - before.rate.alarms == 2
    labelled = {step // 20 for step in range(7200 - begin, 7300 - begin)}
    whole = len(found.scores) // 20 - len(labelled)
    assert found.rate.hours == pytest.approx(whole * 20 * 0.5 / 3600)


def test_a_window_with_a_label_is_not_in_the_rate():
    log = recording((7210, 7211, 7211))
    before = review(log)
    log.observations[7209, 1] += 50.0
    found = review(log)
    assert len(found.false_alarms) == len(before.false_alarms) + 1
    assert found.rate == before.rate
    every = recording(*((begin, begin + 1, begin + 1) for begin in range(5000, N, 15)))
    assert overview(review(every))[1]["found"] == "not counted: no whole window without a label"


def test_an_event_directly_after_the_calibration_is_reviewed():
    calibrated = (N - 100) * 6 // 8
    found = review(recording((calibrated, calibrated + 100, calibrated)))
    assert [(event.delay, event.length) for event in found.events] == [(0.0, 50.0)]
    assert sum(map(len, (*found.parts.training, *found.parts.calibration))) == calibrated


def test_neither_later_nor_labelled_steps_decide_the_threshold():
    log = recording((1000, 1100, 1000), (4000, 4100, 4000), (7000, 7100, 7000))
    first = review(log)
    log.observations[7200:] += 7.0
    assert review(log).threshold == first.threshold < 10.0
    parts = LogParts.of([log], 0.5)
    assert not any(episode.active.any() for episode in (*parts.training, *parts.calibration))
    assert len(first.events) == 1


def test_pieces_of_several_episodes_are_in_the_order_of_time():
    times = [np.arange(2001.0) + 5000.0 * number for number in range(4)]
    logs = [recording(seed=number, times=each, steps=2000) for number, each in enumerate(times)]
    parts = LogParts.of(logs)
    assert parts.period == 1.0
    assert [len(each) for each in parts.training] == [2000, 1000]
    assert [len(each) for each in parts.calibration] == [1000, 2000]
    assert [len(each) for each in parts.reviewed] == [2000]
    assert (parts.times[0], parts.times[-1]) == (15001.0, 17000.0)


def test_a_recording_that_changes_gets_no_promise():
    found = review(recording(shift=8.0))
    assert found.order.rejected
    assert "change with time" in found.recommendation
    assert not review(recording()).order.rejected


def test_a_short_recording_says_what_it_can_promise_and_what_is_missing():
    found = review(recording(), "1/hour")
    assert found.promised > 1.0
    windows = 3000 // 20
    assert found.promised == pytest.approx(3600.0 / 10.0 / (windows + 1))
    assert "Record" in found.recommendation
    longer = review(recording(steps=N + round(found.missing_hours * 7200 * 1.02)), "1/hour")
    assert longer.promised == pytest.approx(1.0)
    assert longer.missing_hours == 0.0


def test_missed_events_and_too_many_false_alarms_are_told():
    assert "Most events are missed" in review(recording((7000, 7100, 7100))).recommendation
    log = recording()
    log.observations[6200::400, 1] += 50.0
    broken = review(log)
    assert not broken.order.rejected
    assert "more false alarms than promised" in broken.recommendation
    assert "tune" in review(recording((7000, 7100, 7000))).recommendation


def test_times_are_dates_if_they_are_seconds_since_1970():
    log = recording((7000, 7100, 7000), times=1.7e9 + np.arange(N + 1) * 0.5)
    found = review(log, period=None)
    assert event_table(found).rows[0]["begin"] == shown_time(1.7e9 + 7001 * 0.5) == "2023-11-14 23:11:40"


def test_a_recording_without_times_needs_a_period():
    with pytest.raises(InvalidParameter, match="no times, so that no rate per day is known"):
        review(recording(), period=None)
    with pytest.raises(InvalidParameter, match="600 nominal transitions; give 1,000 or more"):
        review(recording(steps=600))


def test_the_command_writes_a_page_with_events_and_one_recommendation(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    log = recording((7000, 7100, 7004))
    rows = np.column_stack([np.arange(N) * 0.5, log.observations[1:], log.active])
    np.savetxt("pump.csv", rows, "%.4f", delimiter=",", header="time,flow,heat,fault", comments="")
    told = ["review", "pump.csv", "--time", "time", "--label", "fault", "--false-alarms", "4/hour", "--window", "20"]
    done = CliRunner().invoke(program, [*told, "--json"], catch_exceptions=False)
    found = json.loads(done.stdout)
    assert found["events"][0]["delay_s"] == pytest.approx(2.0)
    text = (tmp_path / found["page"]).read_text(encoding="utf-8")
    assert found["recommendation"].split(":")[0].replace("`", "") in text.replace("`", "")
    assert "data:image/png" in text
    assert (tmp_path / "pump-review" / "tables" / "events.csv").read_text().count("\n") == 2
    assert "Events detected" in CliRunner().invoke(program, told, catch_exceptions=False).stdout
