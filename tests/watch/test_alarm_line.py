"""Conditions become alarms by k of n and delays; alarms are active, acknowledged, cleared, shelved, chattering."""

import json

import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.watch.alarm_flood import AlarmFlood
from offnominal.watch.alarm_line import AlarmLine
from offnominal.watch.channel_checks import TimingCheck
from offnominal.watch.debounce import Debounce
from offnominal.watch.rules import AlarmRule, Rules, load_rules
from offnominal.watch.sample_times import SampleTimes
from offnominal.watch.sequence_order import REMEMBERED, SequenceOrder


def run(rule, hits, step=1.0):
    counts = Debounce(rule)
    return [counts.update(hit, number * step) for number, hit in enumerate(hits)]


def test_k_of_n():
    assert run(AlarmRule(k=2, n=3), [1, 0, 0, 1, 0, 1, 0, 0]) == [0, 0, 0, 0, 0, 1, 0, 0]
    assert run(AlarmRule(), [0, 1, 0]) == [0, 1, 0]


def test_delays():
    assert run(AlarmRule(on_delay=2.0), [1, 1, 1, 0]) == [0, 0, 1, 0]
    assert run(AlarmRule(on_delay=2.0), [1, 1, 0, 1, 1, 1]) == [0, 0, 0, 0, 0, 1]
    assert run(AlarmRule(off_delay=2.0), [1, 0, 0, 1, 0, 0, 0]) == [1, 1, 1, 1, 1, 1, 0]


def test_wait_for_n_in_a_row_is_that_of_the_formula():
    """Mean wait for n in a row with rate q: (1 - q^n) / ((1 - q) q^n); the first sample counts as 1."""
    import numpy as np

    rng, q, n = np.random.default_rng(0), 0.6, 3
    waits = []
    for _ in range(3000):
        counts, steps = Debounce(AlarmRule(k=n, n=n)), 1
        while not counts.update(rng.random() < q, float(steps)):
            steps += 1
        waits.append(steps)
    assert np.mean(waits) == pytest.approx((1 - q**n) / ((1 - q) * q**n), abs=4 * np.std(waits) / 3000**0.5)


def test_a_clock_that_goes_back_restarts_a_delay():
    counts = Debounce(AlarmRule(on_delay=2.0))
    assert [counts.update(True, time) for time in (100.0, 101.0, 5.0, 6.0, 7.0)] == [0, 0, 0, 0, 1]


def test_the_life_of_an_alarm():
    line = AlarmLine("gap", Rules(gap=AlarmRule()))
    assert line.idle
    assert not line.acknowledge()
    assert line.update(True, 0.0) == ["raised"]
    assert line.state == "active"
    assert line.acknowledge()
    assert (line.state, line.acknowledge()) == ("acknowledged", False)
    assert line.update(False, 1.0) == ["cleared"]
    assert line.state == "normal"
    assert line.update(True, 100.0) == ["raised"]
    assert line.update(False, 101.0) == ["cleared"]
    assert line.state == "cleared"
    assert not line.idle
    assert line.update(True, 300.0) == ["raised"]
    assert line.state == "active"
    line.update(False, 301.0)
    assert line.acknowledge()
    assert line.state == "normal"
    line.update(False, 500.0)
    assert line.idle


def test_chattering_is_told_once_and_settles():
    line = AlarmLine("gap", Rules(gap=AlarmRule(), chattering_raises=3, chattering_seconds=60.0))
    told = [line.update(number % 2 == 0, float(number)) for number in range(20)]
    assert told[:6] == [["raised"], ["cleared"], ["raised"], ["cleared"], ["chattering"], []]
    assert not any(told[5:])
    assert line.suppressed == 15
    assert line.update(False, 79.0) == []
    assert line.update(False, 80.1) == ["settled"]
    assert not line.chattering
    assert line.update(True, 81.0) == ["raised"]


def test_slow_alarms_do_not_chatter():
    line = AlarmLine("gap", Rules(gap=AlarmRule()))
    told = [line.update(number % 2 == 0, 40.0 * number) for number in range(20)]
    assert told == [["raised"], ["cleared"]] * 10


def test_a_line_goes_on_from_plain_data():
    rules = Rules(gap=AlarmRule(k=2, n=4, on_delay=1.0, off_delay=2.0), chattering_seconds=5.0)
    hits = [bool(int(digit)) for digit in "0110111000111010111000000011111"]
    one = AlarmLine("gap", rules)
    for place in range(len(hits)):
        one.update(hits[place], float(place))
        other = AlarmLine("gap", rules)
        other.restore(json.loads(json.dumps(one.to_dict())))
        assert other.to_dict() == one.to_dict()
        copy = AlarmLine("gap", rules)
        copy.restore(one.to_dict())
        rest = range(place + 1, len(hits))
        expected = [copy.update(hits[each], float(each)) for each in rest]
        assert [other.update(hits[each], float(each)) for each in rest] == expected


def test_floods_have_two_limits():
    flood = AlarmFlood(Rules(flood_starts=10, flood_ends=5, flood_minutes=10.0))
    assert [flood.add(float(number)) for number in range(11)] == [""] * 10 + ["flood_started"]
    assert flood.add(11.0) == ""
    assert flood.update(607.0) == ""
    assert len(flood) == 5
    assert flood.update(608.0) == "flood_ended"


def test_numbers_tell_late_samples_from_duplicates():
    order = SequenceOrder()
    assert order.place("", 5) == ("new", True, 0)
    assert order.place("", 8) == ("new", False, 2)
    assert [order.place("", number).place for number in (6, 6, 8, 5, 4, 7)] == [
        "late",
        "duplicate",
        "duplicate",
        "duplicate",
        "duplicate",
        "late",
    ]
    assert order.place("b", 0) == ("new", True, 0)
    assert order.place("", 9).place == "late"
    assert order.place("b", None).place == "new"
    other = SequenceOrder()
    other.restore(json.loads(json.dumps(order.to_dict())))
    assert other.place("b", 3) == order.place("b", 3) == ("new", False, 2)


def test_a_huge_jump_of_numbers_needs_little_memory():
    order = SequenceOrder()
    order.place("", 0)
    assert order.place("", 2**62).lost == 2**62 - 1
    assert len(order.to_dict()["lost"]) == REMEMBERED


def conditions(times, check):
    watched = SampleTimes(check)
    return [{name for name, value in watched.update(each).items() if value is not None} for each in times]


def test_gaps_clocks_rates_and_jitter():
    check = TimingCheck(period=0.1, longest=0.12)
    steady = [0.1 * number for number in range(200)]
    assert not any(conditions(steady, check))
    assert conditions([0.0, 0.1, 0.41, 0.2, 0.2, 0.3], check) == [set(), set(), {"gap"}, {"clock"}, {"clock"}, set()]
    half = conditions([0.2 * number for number in range(60)], check)
    assert half[49] == set()
    assert half[50:] == [{"rate"}] * 10
    uneven = [0.1 * number + (0.06 if number % 2 else 0.0) for number in range(60)]
    assert conditions(uneven, check)[50:] == [{"jitter"}] * 10
    assert not any(conditions([0.0, 5.0, 5.1], TimingCheck()))


def test_rules_are_read_from_toml_and_checked(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text('missing = "mask"\n[score]\nk = 3\nn = 5\n[range]\nenabled = false\n')
    rules = load_rules(path)
    assert (rules.missing, rules.score.k, rules.range.enabled, rules.gap) == ("mask", 3, False, Rules().gap)
    assert (rules.score.priority, rules.score.off_delay) == ("high", 1.0)
    wrong = {
        "a [": DamagedFile,
        "scores = 1": InvalidParameter,
        "[score]\nk = 2": InvalidParameter,
        'missing = "drop"': InvalidParameter,
        "flood_ends = 11": InvalidParameter,
        "[gap]\noff_delay = -1.0": InvalidParameter,
        "[gap]\nhysteresis = 2.0": InvalidParameter,
    }
    for text, error in wrong.items():
        path.write_text(text)
        with pytest.raises(error, match=r"rules\.toml"):
            load_rules(path)
    with pytest.raises(MissingFile):
        load_rules(tmp_path / "none.toml")
