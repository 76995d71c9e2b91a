"""Alarms before failures."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.failure import ended_by_failure, time_failures


def measured(delays, exposures, failed, replicates=0):
    arrays = np.array(delays), np.array(exposures), np.array(failed)
    return time_failures(*arrays, Resamples.draw(len(delays), replicates))


def test_an_alarm_at_the_failing_transition_is_too_late():
    found = measured([7, 6], [8, 8], [True, True])
    assert (found.detected_before.value, found.lead_time.value) == (0.5, 0.5)


def test_a_missed_failure_has_no_lead_time_and_counts():
    some, fewer = measured([0, 0], [11, 11], [True, True]), measured([0, -1], [11, 11], [True, True])
    assert (some.lead_time.value, fewer.lead_time.value) == (10.0, 5.0)


def test_episodes_that_did_not_fail_do_not_count():
    found = measured([3, 0, -1], [9, 9, 9], [True, False, False])
    assert (found.failures, found.lead_time.value) == (1, 5.0)


def test_few_failures_have_no_interval_of_the_lead_time():
    few, enough = (measured([3] * n, [9] * n, [True] * n, replicates=20) for n in (4, 5))
    assert few.lead_time.low is None
    assert enough.lead_time.low == few.lead_time.value == 5.0
    assert few.detected_before.low < 1.0


def test_without_failures_nothing_is_defined():
    found = measured([3, -1], [9, 9], [False, False], replicates=20)
    assert (found.failures, found.detected_before.value, found.lead_time.value) == (0, None, None)


@pytest.mark.parametrize(
    ("terminated", "success", "failed"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_failure_is_an_end_by_the_world_without_success(terminated, success, failed):
    episode = Episode(
        np.zeros((3, 1)),
        np.zeros((2, 1)),
        np.zeros(2),
        np.zeros(2, bool),
        terminated=terminated,
        extras={"success": np.array([False, success])},
    )
    assert ended_by_failure(episode) is failed
