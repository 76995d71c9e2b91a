"""Detection against failure: Aalen and Johansen, by hand, by redistribution of weights, and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.alarms.share_interval import clopper_pearson
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.cumulative_incidence import _variance as variance_of
from offnominal.evaluation.cumulative_incidence import estimate_cumulative_incidence

ENDS = ("detected", "failed", "ended")


def test_a_curve_computed_by_hand():
    # Delays 1, 1, 3; a failure in step 1 and one in step 4; an episode that ended after step 2.
    delays, exposures = np.array([1, 1, 3, -1, -1, -1]), np.array([9, 9, 9, 2, 5, 3])
    found = estimate_cumulative_incidence(delays, exposures, np.array([False, False, False, True, True, False]))
    assert found.at_risk.tolist() == [6, 6, 3, 2, 1]
    np.testing.assert_allclose(found.detected.share, [0, 2 / 6, 2 / 6, 3 / 6, 3 / 6])
    np.testing.assert_allclose(found.failed.share, [0, 1 / 6, 1 / 6, 1 / 6, 2 / 6])
    np.testing.assert_allclose(found.ended.share, [0, 0, 1 / 6, 1 / 6, 1 / 6])


def test_a_recording_that_is_cut_off_is_censored_and_the_rest_shares_its_weight():
    delays, exposures, cut = np.array([-1, 2, -1]), np.array([2, 5, 5]), np.array([True, False, False])
    found = estimate_cumulative_incidence(delays, exposures, np.array([False, False, True]), cut)
    np.testing.assert_allclose(found.detected.share, [0, 0, 0.5, 0.5, 0.5])
    np.testing.assert_allclose(found.failed.share, [0, 0, 0, 0, 0.5])


CASES = st.lists(
    st.tuples(st.integers(1, 12), st.integers(-1, 11), st.booleans(), st.booleans()), min_size=1, max_size=12
).map(
    lambda rows: (
        np.array([delay if delay < length else -1 for length, delay, _, _ in rows], np.int64),
        np.array([length for length, *_ in rows], np.int64),
        np.array([failed for _, _, failed, _ in rows]),
        np.array([cut for *_, cut in rows]),
    )
)


@settings(max_examples=80)
@given(CASES)
def test_without_cut_recordings_each_incidence_is_a_share_with_its_exact_interval(case):
    delays, exposures, failed, _ = case
    found = estimate_cumulative_incidence(delays, exposures, failed)
    n, last = len(delays), exposures - 1
    for d in range(len(found.delays)):
        shares = (
            np.mean((delays >= 0) & (delays <= d)),
            np.mean((delays < 0) & failed & (last <= d)),
            np.mean((delays < 0) & ~failed & (last <= d)),
        )
        for name, share in zip(ENDS, shares, strict=True):
            incidence = getattr(found, name)
            assert incidence.share[d] == pytest.approx(share, abs=1e-12)
            expected = clopper_pearson(round(share * n), n)
            assert (incidence.low[d], incidence.high[d]) == pytest.approx(expected, abs=1e-6)


def redistributed(case, d):
    """Return the incidence of detection and of failure: a censored weight is shared by all that last longer (Efron)."""
    delays, exposures, failed, cut = case
    weights = np.full(len(delays), 1.0 / len(delays))
    last = np.where(delays < 0, exposures - 1, delays)
    censored = (delays < 0) & cut
    for time in range(int(last.max()) + 1):
        leaving = censored & (last == time)
        staying = last > time
        if leaving.any() and staying.any():
            weights[staying] *= 1.0 + weights[leaving].sum() / weights[staying].sum()
            weights[leaving] = 0.0
    soon = last <= d
    return (
        weights[(delays >= 0) & soon].sum(),
        weights[(delays < 0) & failed & ~censored & soon].sum(),
        weights[(delays < 0) & ~failed & ~censored & soon].sum(),
    )


@settings(max_examples=80)
@given(CASES)
def test_cut_recordings_share_their_weight_among_those_that_last_longer(case):
    found = estimate_cumulative_incidence(*case)
    for d in range(len(found.delays)):
        shares = [getattr(found, name).share[d] for name in ENDS]
        assert shares == pytest.approx(redistributed(case, d), abs=1e-9)
        assert sum(shares) <= 1.0 + 1e-9


def test_the_variance_without_cut_recordings_is_binomial():
    rng = np.random.default_rng(0)
    last = np.minimum(rng.geometric(0.2, 40), rng.geometric(0.15, 40))
    mine = rng.random(40) < 0.5
    events = np.bincount(last[mine], minlength=last.max() + 1).astype(float)
    everything = np.bincount(last).astype(float)
    at_risk = len(last) - np.concatenate([[0], np.cumsum(everything)[:-1]])
    open_before = at_risk / len(last)
    share = np.cumsum(events) / len(last)
    found = variance_of(share, events, everything, at_risk.astype(np.int64), open_before)
    np.testing.assert_allclose(found, share * (1.0 - share) / len(last), atol=1e-12)


def test_intervals_with_cut_recordings_contain_the_truth():
    rng = np.random.default_rng(4)
    inside, n = [], 40
    for _ in range(500):
        alarm, failure, cut = rng.geometric(0.1, n) - 1, rng.geometric(0.05, n) - 1, rng.integers(2, 30, n)
        exposures = np.minimum(failure, cut) + 1
        found = estimate_cumulative_incidence(
            np.where(alarm < exposures, alarm, -1), exposures, failure <= cut, cut < failure
        )
        # In each step the alarm comes with 0.1, and the failure comes with 0.05 unless there is an alarm.
        truth = sum(0.1 * 0.855**j for j in range(9))
        inside.append(found.detected.low[8] <= truth <= found.detected.high[8])
    assert np.mean(inside) == pytest.approx(0.955, abs=0.03)


def test_no_episodes_give_no_curve():
    empty = np.empty(0, np.int64)
    found = estimate_cumulative_incidence(empty, empty, np.empty(0, np.bool_))
    assert len(found.detected.share) == len(found.at_risk) == 0


def test_long_recordings_take_little_memory():
    found = estimate_cumulative_incidence(np.array([5, -1]), np.array([9, 300_000]), np.array([False, False]))
    assert found.detected.share[-1] == found.ended.share[-1] == 0.5


def test_every_episode_has_one_value_of_each():
    with pytest.raises(InvalidParameter, match="failed has shape"):
        estimate_cumulative_incidence(np.array([1, 2]), np.array([3, 3]), np.array([True]))
