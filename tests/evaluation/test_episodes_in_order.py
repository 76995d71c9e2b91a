"""Which episodes of a dataset are tested for their order in time."""

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter
from offnominal.datasets import import_log
from offnominal.evaluation.time_order import episodes_in_order


@pytest.fixture
def data(tmp_path):
    rows = np.random.default_rng(0).normal(size=(2001, 2))
    label = np.arange(2001) > 1500
    log = off.episodes_from({"x": rows[:, 0], "y": rows[:, 1], "fault": label}, label="fault", window=10)
    return import_log(log, tmp_path / "made", name="pump", faults={"observation/frozen": None})


def test_all_nominal_episodes_are_taken_in_the_order_of_time(data):
    taken = episodes_in_order(data)
    assert [episode.seed for episode in taken] == list(range(0, 1500, 10))
    assert not any(episode.active.any() for episode in taken)


def test_of_many_transitions_episodes_at_equal_distances_are_taken(data):
    seeds = [episode.seed for episode in episodes_in_order(data, most_steps=500)]
    assert len(seeds) == 50
    assert (seeds[0], seeds[-1]) == (0, 1490)
    assert set(np.diff(seeds)) <= {30, 40}
    assert len(episodes_in_order(data, most_steps=1)) == 30, "fewer could not be tested"
    with pytest.raises(InvalidParameter, match="most_steps is 0"):
        episodes_in_order(data, most_steps=0)
