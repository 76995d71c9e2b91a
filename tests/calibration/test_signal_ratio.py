"""The signal-to-nominal ratio of faults whose change is known."""

import math

import numpy as np
import pytest

from offnominal.agents import expert, scripted_expert
from offnominal.calibration.signal_ratio import SignalRatio
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

WORLD = "MJC-CartpoleSwingup-v0"


@pytest.fixture(scope="module")
def ratio():
    found = SignalRatio(WORLD, [expert(WORLD), scripted_expert(WORLD)], episodes=20)
    found.prepare()
    return found


@pytest.fixture(scope="module")
def deviations(ratio):
    from offnominal.calibration.signal_ratio import SIGNAL_SEED

    halves = [collect(WORLD, policy, 10, seed=SIGNAL_SEED + 10 * index) for index, policy in enumerate(ratio.policies)]
    return np.concatenate([each.observations for half in halves for each in half]).astype(float).std(axis=0)


def test_an_offset_changes_each_channel_by_its_size_in_deviations(ratio, deviations):
    expected = 0.3 / deviations
    assert ratio.of("observation/offset", 0.3) == pytest.approx((np.median(expected), expected.max()), rel=1e-5)


def test_noise_changes_each_channel_by_its_standard_deviation(ratio, deviations):
    expected = 0.3 / deviations
    assert ratio.of("observation/noise", 0.3) == pytest.approx((np.median(expected), expected.max()), rel=0.1)


def test_an_action_fault_is_what_the_actuator_executes_beyond_the_command(ratio):
    huge, double = ratio.of("action/offset", 1e3), ratio.of("action/offset", 2e3)
    assert huge == double  # the motor is at its limit in both
    assert 0.0 < huge[0] == huge[1] < 10.0


def test_a_dynamics_fault_is_its_effect_in_one_step(ratio):
    small, large = ratio.of("dynamics/force", 1.0), ratio.of("dynamics/force", 2.0)
    assert large[1] == pytest.approx(2.0 * small[1], rel=0.05)
    assert 0.0 < small[1] < 0.1


def test_a_fault_without_effect_has_no_ratio(ratio):
    assert all(map(math.isnan, ratio.of("observation/offset", 0.0)))
    assert all(map(math.isnan, ratio.of("dynamics/mass", 1.0)))


def test_a_fault_that_begins_after_the_end_of_an_episode_changes_nothing_there():
    short = SignalRatio("SAP-Goal0-v0", [expert("SAP-Goal0-v0")], episodes=30, max_steps=2)
    assert short.of("dynamics/force", 2.0)[1] > 0.0


def test_channels_that_are_constant_are_left_out():
    arm = SignalRatio("URM-Reach-v0", [scripted_expert("URM-Reach-v0")], episodes=4, max_steps=40)
    _, largest = arm.of("observation/offset", 0.1)
    assert largest < 100.0
