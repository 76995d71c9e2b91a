"""A schedule says when a fault acts and how much of it, and refuses what could never happen."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import InvalidParameter, InvalidSchedule

from . import reference


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Schedule(onset=3), [0, 0, 0, 1, 1, 1, 1, 1]),
        (Schedule(onset="start"), [1, 1, 1, 1, 1, 1, 1, 1]),
        (Schedule(onset=(2, 2)), [0, 0, 1, 1, 1, 1, 1, 1]),
        (Schedule(onset=7), [0, 0, 0, 0, 0, 0, 0, 1]),
        (Schedule(onset=9), [0, 0, 0, 0, 0, 0, 0, 0]),
        (Schedule(onset=2, duration=1), [0, 0, 1, 0, 0, 0, 0, 0]),
        (Schedule(onset=2, duration=3), [0, 0, 1, 1, 1, 0, 0, 0]),
        (Schedule(onset=6, duration=30), [0, 0, 0, 0, 0, 0, 1, 1]),
        (Schedule(onset=1, ramp=1), [0, 1, 1, 1, 1, 1, 1, 1]),
        (Schedule(onset=1, ramp=4), [0, 1 / 4, 2 / 4, 3 / 4, 1, 1, 1, 1]),
        (Schedule(onset=5, ramp=8), [0, 0, 0, 0, 0, 1 / 8, 2 / 8, 3 / 8]),
        (Schedule(onset=1, duration=2, recovery=1), [0, 1, 1, 1 / 2, 0, 0, 0, 0]),
        (Schedule(onset=1, duration=2, recovery=3), [0, 1, 1, 3 / 4, 2 / 4, 1 / 4, 0, 0]),
        (Schedule(onset=1, duration=4, ramp=2, recovery=1), [0, 1 / 2, 1, 1, 1, 1 / 2, 0, 0]),
        (Schedule(onset=1, duration=2, ramp=4), [0, 1 / 4, 2 / 4, 0, 0, 0, 0, 0]),
        (Schedule(onset=1, period=2), [0, 1, 0, 1, 0, 1, 0, 1]),
        (Schedule(onset=0, period=4), [1, 1, 0, 0, 1, 1, 0, 0]),
        (Schedule(onset=0, period=4, duty=0.25), [1, 0, 0, 0, 1, 0, 0, 0]),
        (Schedule(onset=0, period=3, duty=0.01), [1, 0, 0, 1, 0, 0, 1, 0]),
        (Schedule(onset=2, period=3, duty=0.67), [0, 0, 1, 1, 0, 1, 1, 0]),
        (Schedule(onset=0, period=3, duty=1), [1, 1, 1, 1, 1, 1, 1, 1]),
        (Schedule(onset=0, period=4, ramp=6), [1 / 6, 2 / 6, 0, 0, 5 / 6, 1, 0, 0]),
        (Schedule(onset=1, period=2, duration=4), [0, 1, 0, 1, 0, 0, 0, 0]),
        (Schedule(onset=1, period=2, duration=3, recovery=3), [0, 1, 0, 1, 3 / 4, 2 / 4, 1 / 4, 0]),
    ],
    ids=repr,
)
def test_weights(schedule, expected):
    np.testing.assert_array_equal(schedule.weights(8), expected)


def test_weights_of_a_random_onset_need_to_be_told_which():
    with pytest.raises(InvalidSchedule, match="the onset is random"):
        Schedule().weights(10)
    np.testing.assert_array_equal(Schedule(duration=2).weights(6, onset=3), [0, 0, 0, 1, 1, 0])
    np.testing.assert_array_equal(Schedule(onset=(1, 4)).weights(6, onset=4), [0, 0, 0, 0, 1, 1])


@st.composite
def schedules(draw):
    duration = draw(st.none() | st.integers(1, 20))
    ramp = draw(st.integers(0, 10 if duration is None else min(10, duration)))
    return Schedule(
        onset=draw(st.integers(0, 30)),
        duration=duration,
        ramp=ramp,
        recovery=0 if duration is None else draw(st.integers(0, 10)),
        period=draw(st.none() | st.integers(2, 9)),
        duty=draw(st.floats(0.01, 1.0)),
    )


@settings(derandomize=True)
@given(schedules())
def test_weights_are_the_product_of_rise_beat_and_fall(schedule):
    expected = reference.weights(
        40,
        schedule.onset,
        duration=schedule.duration,
        ramp=schedule.ramp,
        recovery=schedule.recovery,
        period=schedule.period,
        on=schedule.on_steps,
    )
    np.testing.assert_allclose(schedule.weights(40), expected, rtol=0, atol=1e-15)


@settings(derandomize=True)
@given(schedules())
def test_a_fault_is_on_from_its_onset_and_never_after_its_end(schedule):
    weights = schedule.weights(80)
    end = schedule.end(schedule.onset)
    assert not weights[: schedule.onset].any()
    assert weights[schedule.onset] > 0
    assert end is None or not weights[end:].any()
    assert ((weights >= 0) & (weights <= 1)).all()


def test_a_fault_cut_short_on_its_way_up_does_not_grow_while_it_recovers():
    weights = Schedule(onset=0, duration=1, ramp=4, recovery=3).weights(6)
    assert weights[0] == 0.25
    assert (np.diff(weights) <= 0).all(), weights


@pytest.mark.parametrize(
    ("schedule", "end"),
    [
        (Schedule(onset=4), None),
        (Schedule(onset=4, duration=3), 7),
        (Schedule(onset=4, duration=3, recovery=2), 9),
        (Schedule(onset=4, duration=3, period=2), 7),
    ],
    ids=repr,
)
def test_end_is_the_first_transition_without_the_fault(schedule, end):
    assert schedule.end(4) == end


@pytest.mark.parametrize(
    ("period", "duty", "on"), [(None, 0.5, 0), (4, 0.5, 2), (10, 0.3, 3), (10, 0.04, 1), (3, 1, 3), (2, 0.5, 1)]
)
def test_a_period_is_on_for_its_duty_and_at_least_once(period, duty, on):
    assert Schedule(period=period, duty=duty).on_steps == on


@pytest.mark.parametrize(
    ("onset", "length", "limit", "expected"),
    [
        ("start", None, None, (0, 0)),
        ("start", 13, 1, (0, 0)),
        ("random", 13, 50, (2, 12)),
        ("random", 200, 200, (2, 199)),
        ("random", None, 50, (2, 49)),
        ("random", 3, None, (2, 2)),
        ("random", 2, 50, (1, 1)),
        ("random", 1, 1, (0, 0)),
        (0, None, None, (0, 0)),
        (7, 13, 50, (7, 7)),
        (49, 13, 50, (49, 49)),
        (10**6, None, None, (10**6, 10**6)),
        ((3, 9), None, None, (3, 9)),
        ((0, 49), 13, 50, (0, 49)),
        ([5, 5], None, 6, (5, 5)),
        (np.int64(4), None, 6, (4, 4)),
    ],
)
def test_bounds_of_the_onset(onset, length, limit, expected):
    assert Schedule(onset=onset).bounds(length=length, limit=limit) == expected


@pytest.mark.parametrize("onset", [50, 51, (0, 50), (50, 60)])
def test_onset_after_the_last_transition_is_refused(onset):
    with pytest.raises(InvalidSchedule, match=r"lies after the last transition 49"):
        Schedule(onset=onset).bounds(length=13, limit=50)


def test_random_onset_without_any_known_length_is_refused():
    with pytest.raises(InvalidSchedule, match=r"no time limit; give a pair"):
        Schedule().bounds(length=None, limit=None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"onset": -1}, "onset is -1"),
        ({"onset": 2.0}, "onset is 2.0"),
        ({"onset": True}, "onset is True"),
        ({"onset": None}, "onset is None"),
        ({"onset": "later"}, "onset is 'later'.*'start', 'random'"),
        ({"onset": (3,)}, "pair 0 <= first <= last"),
        ({"onset": (1, 2, 3)}, "pair 0 <= first <= last"),
        ({"onset": (4, 3)}, "pair 0 <= first <= last"),
        ({"onset": (-1, 3)}, "pair 0 <= first <= last"),
        ({"onset": (1, 2.5)}, "pair 0 <= first <= last"),
        ({"onset": (False, 3)}, "pair 0 <= first <= last"),
        ({"duration": 0}, "duration is 0.*at least 1"),
        ({"duration": -3}, "duration is -3"),
        ({"duration": 1.5}, "duration is 1.5"),
        ({"duration": "long"}, "duration is 'long'"),
        ({"ramp": -1}, "ramp is -1"),
        ({"ramp": 0.5}, "ramp is 0.5"),
        ({"ramp": None}, "ramp is None"),
        ({"ramp": True}, "ramp is True"),
        ({"recovery": 3}, "recovery needs a duration"),
        ({"recovery": -1, "duration": 2}, "recovery is -1"),
        ({"recovery": None, "duration": 2}, "recovery is None"),
        ({"period": 1}, "period is 1.*at least 2"),
        ({"period": 2.5}, "period is 2.5"),
        ({"duty": 0}, "duty is 0"),
        ({"duty": -0.5}, "duty is -0.5"),
        ({"duty": 1.01}, "duty is 1.01"),
        ({"duty": float("nan")}, "duty is nan"),
        ({"duty": "half"}, "duty is 'half'"),
        ({"duty": None}, "duty is None"),
        ({"duty": True}, "duty is True"),
        ({"walk": -0.1}, "walk is -0.1"),
        ({"walk": float("inf")}, "walk is inf"),
        ({"walk": float("nan")}, "walk is nan"),
        ({"walk": "a bit"}, "walk is 'a bit'"),
        ({"walk": True}, "walk is True"),
    ],
    ids=str,
)
def test_a_schedule_that_makes_no_sense_is_refused(arguments, said):
    with pytest.raises(InvalidSchedule, match=said):
        Schedule(**arguments)


@pytest.mark.parametrize(
    "schedule",
    [
        Schedule(),
        Schedule(onset="start", walk=0.1),
        Schedule(onset=12, duration=5, ramp=2, recovery=4),
        Schedule(onset=(3, 8), period=6, duty=0.25),
    ],
    ids=repr,
)
def test_plain_data_and_back(schedule):
    data = json.loads(json.dumps(schedule.to_dict()))
    assert Schedule.from_dict(data) == schedule
    assert Schedule.from_dict(data).digest() == schedule.digest()


def test_plain_data_is_checked_like_arguments():
    with pytest.raises(InvalidParameter, match=r"no field 'onsett'. Did you mean 'onset'"):
        Schedule.from_dict({"onsett": 3})
    with pytest.raises(InvalidParameter, match=r"Schedule\.duration is 1\.0"):
        Schedule.from_dict({"duration": 1.0})
    with pytest.raises(InvalidSchedule, match="onset is -3"):
        Schedule.from_dict({"onset": -3})


def test_numpy_integers_are_as_good_as_pythons():
    given = Schedule(onset=np.int64(3), duration=np.int32(4), ramp=np.int64(1))
    assert given == Schedule(onset=3, duration=4, ramp=1)
    assert json.loads(json.dumps(given.to_dict())) == Schedule(onset=3, duration=4, ramp=1).to_dict()
