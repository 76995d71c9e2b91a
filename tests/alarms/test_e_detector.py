"""The mean run length to a false alarm is at least the promised one, up to the stated limits, and faults are found."""

from dataclasses import dataclass

import numpy as np
import pytest

from offnominal.alarms import EDetector, TooFewEpisodes, check_guarantee, load_alarm, save_alarm
from offnominal.alarms.e_detector import SHARES, exceedance_bounds, level_ranks
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidState
from offnominal.laws import check_alarm

pytestmark = pytest.mark.long

RUN = 2000


def mean_run(alarm, streams):
    """Return the steps per first alarm; streams that end before one count with all their steps."""
    firsts = alarm.first_alarms(streams)
    steps = sum(len(scores) if first is None else first + 1 for first, scores in zip(firsts, streams, strict=True))
    return steps / max(1, sum(first is not None for first in firsts))


def correlated(random, n, correlation):
    scores = random.normal(size=n) * np.sqrt(1.0 - correlation**2)
    for t in range(1, n):
        scores[t] += correlation * scores[t - 1]
    return scores


@pytest.fixture
def exact():
    """An alarm whose bounds are the probabilities themselves, so that nothing is left between promise and truth."""

    def make(factor=1.0):
        alarm = EDetector(run_length=RUN, window=1).fit([np.arange(100.0) / 100])
        alarm.levels_ = np.array([0.99, 0.95, 0.8])
        alarm.bounds_ = factor * (1.0 - alarm.levels_)
        return alarm

    return make


def test_the_run_length_is_the_promised_one_when_the_bounds_are_exact(exact):
    random = np.random.default_rng(0)
    streams = list(random.random((150, 5 * RUN)))
    found = mean_run(exact(), streams)
    assert RUN <= found <= 4 * RUN
    assert mean_run(exact(0.3), streams) < RUN


def test_calibrations_keep_the_promise_as_often_as_stated():
    random = np.random.default_rng(1)
    kept = []
    for _ in range(40):
        alarm = EDetector(run_length=RUN, window=4, confidence=0.8).fit([random.normal(size=1200)])
        kept.append(mean_run(alarm, list(random.normal(size=(30, 8 * RUN)))) >= 0.9 * RUN)
    assert np.mean(kept) >= 0.8


def test_a_million_nominal_steps_have_no_more_alarms_than_promised():
    random = np.random.default_rng(2)
    alarm = EDetector(run_length=50_000, window=20).fit([random.normal(size=20_000)])
    raised, start, stream = 0, 0, random.normal(size=1_000_000)
    while (first := alarm.first_alarms([stream[start:]])[0]) is not None:
        raised, start = raised + 1, start + first + 1
        if start >= len(stream):
            break
    assert raised <= 20


def test_windows_shorter_than_the_correlations_break_the_promise_and_longer_ones_keep_it():
    random = np.random.default_rng(3)
    streams = [correlated(random, 10 * RUN, 0.99) for _ in range(10)]
    log = correlated(random, 60_000, 0.99)
    assert mean_run(EDetector(run_length=RUN, window=2).fit([log]), streams) < RUN / 2
    assert mean_run(EDetector(run_length=RUN, window=400).fit([log]), streams) >= RUN


def test_faults_are_found_and_the_alarm_clears_after_them():
    random = np.random.default_rng(4)
    alarm = EDetector(run_length=100_000, window=10).fit([random.normal(size=5000)])
    stream = random.normal(size=4000)
    stream[1000:2000] += 1.5
    (raised,) = alarm.alarm([stream])
    assert not raised[:1000].any()
    assert 1000 < np.argmax(raised) < 1150
    assert raised[1500:2000].all()
    assert not raised[3000:].any()
    missing = alarm.alarm([np.full(30, 1e30)])[0]
    assert missing[20:].all()


def test_an_alarm_within_a_window_is_one_at_its_end():
    random = np.random.default_rng(5)
    alarm = EDetector(run_length=100, window=10).fit([random.normal(size=2000)])
    (evidence,) = alarm.statistic([random.normal(0.5, size=5000)])
    windows = evidence.reshape(-1, 10)
    assert (np.diff(windows, axis=1) >= 0.0).all()


def test_online_equals_batch_and_a_restart_forgets():
    random = np.random.default_rng(6)
    alarm = EDetector(run_length=1000, window=7).fit([random.normal(size=500)])
    streams = random.normal(0.5, size=(3, 100))
    state, rows = alarm.start(3), []
    for scores in streams.T:
        state, raised = alarm.update(state, scores)
        rows.append(raised)
    assert np.array_equal(np.array(rows).T, np.array(alarm.alarm(list(streams))))
    fresh = alarm.restart(state, [1])
    assert np.array_equal(fresh.memory[1], alarm.start(1).memory[0])
    assert np.array_equal(fresh.memory[2], state.memory[2])


def test_bounds_hold_together_with_the_confidence():
    random, n = np.random.default_rng(7), 60
    maxima = np.sort(random.random((4000, n)), axis=1)[:, ::-1]
    above = 1.0 - maxima[:, level_ranks(n) - 1]
    held = (above <= exceedance_bounds(n, 0.9)).all(axis=1).mean()
    assert 0.9 <= held <= 0.95


def test_a_saved_alarm_is_the_same_and_a_changed_one_is_refused(tmp_path):
    random = np.random.default_rng(8)
    alarm = EDetector(run_length=1000, window=5).fit([random.normal(size=500)])
    save_alarm(tmp_path / "alarm.json", alarm)
    loaded = load_alarm(tmp_path / "alarm.json")
    stream = random.normal(0.3, size=400)
    assert np.array_equal(loaded.statistic([stream])[0], alarm.statistic([stream])[0])
    for name, value in (("bounds_", alarm.bounds_ / 2), ("levels_", alarm.levels_[::-1]), ("threshold_", 3.0)):
        changed = EDetector(run_length=1000, window=5).fit([random.normal(size=500)])
        setattr(changed, name, value)
        save_alarm(tmp_path / "changed.json", changed)
        with pytest.raises(DamagedFile, match=name):
            load_alarm(tmp_path / "changed.json")


def test_its_guarantee_says_the_run_length():
    alarm = EDetector(run_length=1000, window=5)
    assert str(alarm.guarantee) == "1,000 or more steps to a false alarm on average, in at least 95% of calibrations"
    alarm.fit([np.random.default_rng(9).normal(size=500)])
    check = check_guarantee(alarm, alarm.alarm([np.zeros(50)]))
    assert check.outcome == "not tested"
    assert "says nothing about a number of steps" in check.verdict


@pytest.mark.parametrize(("name", "value"), [("run_length", 5000), ("window", 50), ("confidence", 0.99)])
def test_another_promise_than_that_of_the_fit_is_refused(name, value):
    alarm = EDetector(run_length=1000, window=5).fit([np.random.default_rng(9).normal(size=500)])
    assert alarm.guarantee.run_length == 1000
    setattr(alarm, name, value)
    with pytest.raises(InvalidState, match="after the fit"):
        print(alarm.guarantee)


def test_it_keeps_the_laws_of_alarms():
    report = check_alarm(EDetector(run_length=1000, window=5), calibration=20)
    assert report.ok, report
    assert not next(iter(report)).skipped
    assert len(SHARES) == 3


@dataclass(eq=False)
class Hasty(EDetector):
    """An alarm whose bets gain in nominal operation, too."""

    def fit_threshold(self, episodes):
        super().fit_threshold(episodes)
        self.bounds_ = self.bounds_ / 4.0


def test_a_planted_alarm_with_bounds_too_low_breaks_the_law():
    law = next(iter(check_alarm(Hasty(run_length=1000, window=5), calibration=20)))
    assert "less than 1,000 steps to a false alarm" in law.problem


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"window": 0}, InvalidParameter, "window"),
        ({"run_length": 10}, InvalidParameter, "run_length"),
        ({"confidence": 1.0}, InvalidParameter, "confidence"),
        ({"window": 400}, TooFewEpisodes, "give 8,000 steps or more"),
    ],
)
def test_wrong_arguments_are_errors(options, error, message):
    with pytest.raises(error, match=message):
        EDetector(**options).fit([np.zeros(1000)])
