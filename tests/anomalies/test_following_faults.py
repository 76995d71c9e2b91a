"""A fault may follow the first one of its episode: cascades, and faults that begin together."""

import json

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.anomalies import Fault, Schedule
from offnominal.anomalies.factory import make
from offnominal.anomalies.fault_table import FaultTable
from offnominal.core.errors import InvalidSchedule
from offnominal.rollouts import collect

WORLD = "SAP-Goal0-v0"


def episodes(*faults, n=6):
    return collect(WORLD, expert(WORLD), n, seed=3, faults=tuple(faults), max_steps=12)


def offset(target, **schedule):
    return Fault(f"{target}/offset", 0.1, Schedule(**schedule))


def test_a_following_fault_begins_some_transitions_after_the_first():
    found = episodes(offset("observation", onset=(1, 6)), offset("action", after=3))
    onsets = [[event.onset for event in each.events] for each in found]
    assert all(second == first + 3 for first, second in onsets)
    assert len({first for first, _ in onsets}) > 1


def test_faults_that_follow_at_once_begin_together():
    found = episodes(offset("observation", onset=(1, 6)), offset("action", after=0))
    assert all(first.onset == second.onset for first, second in (each.events for each in found))


def test_the_first_fault_is_that_without_a_following_one():
    alone, both = (
        episodes(offset("action", onset=(1, 6))),
        episodes(offset("action", onset=(1, 6)), offset("action", after=2)),
    )
    for one, other in zip(alone, both, strict=True):
        assert one.events[0] == other.events[0]
        until = other.events[1].onset
        np.testing.assert_array_equal(one.observations[: until + 1], other.observations[: until + 1])


def test_onsets_of_the_next_episode_follow_too():
    env = make(WORLD, faults=[offset("observation", onset=(1, 6)), offset("action", after=2)])
    env.reset(seed=0)
    first = [event.onset for event in env.events]
    env.reset()
    second = [event.onset for event in env.events]
    assert first[1] - first[0] == second[1] - second[0] == 2


def test_the_first_fault_cannot_follow():
    with pytest.raises(InvalidSchedule, match="it is the first fault"):
        episodes(offset("action", after=2))


@pytest.mark.parametrize("given", [{"after": -1}, {"after": 1.5}, {"after": 2, "onset": 3}])
def test_invalid_delays_are_named(given):
    with pytest.raises(InvalidSchedule, match="after is"):
        Schedule(**given)


def test_plain_data_of_other_schedules_are_as_before():
    assert "after" not in Schedule(onset=3).to_dict()
    assert Schedule.from_dict(json.loads(json.dumps(Schedule(after=4).to_dict()))) == Schedule(after=4)


def test_the_table_is_the_one_that_places_the_onset(monkeypatch):
    restart = FaultTable.restart

    def unplaced(self, *given):
        self._behind[:] = 0
        restart(self, *given)

    monkeypatch.setattr(FaultTable, "restart", unplaced)
    found = episodes(offset("observation", onset=(2, 6)), offset("action", after=3))
    assert any(second.onset != first.onset + 3 for first, second in (each.events for each in found))
