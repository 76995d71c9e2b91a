"""Noise of a noisy policy: level, reproducibility and state."""

import numpy as np
import pytest
from gymnasium.spaces import Box

from offnominal.agents.noisy_policy import NoisyPolicy
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import FunctionPolicy, Policy, RandomPolicy

SPACE = Box(-2.0, 2.0, (1,), dtype=np.float64)
STILL = FunctionPolicy(lambda seen: np.zeros((len(seen), 1)))


def acted(policy, seeds, steps=400):
    state = policy.start(seeds, np.zeros(len(seeds), np.int64))
    rows = []
    for _ in range(steps):
        actions, state = policy.act(np.zeros((len(seeds), 3)), state)
        rows.append(actions[:, 0])
    return np.array(rows)


def test_every_fifth_episode_is_clean_and_the_others_get_noisier():
    spreads = acted(NoisyPolicy(STILL, SPACE, 0.2), np.arange(5), 4000).std(axis=0)
    np.testing.assert_allclose(spreads, [0.0, 0.1, 0.2, 0.3, 0.4], rtol=0.06)


def test_actions_stay_within_the_limits():
    assert np.abs(acted(NoisyPolicy(STILL, SPACE, 5.0), np.arange(5))).max() == 2.0


def test_an_episode_does_not_depend_on_its_neighbours():
    policy = NoisyPolicy(RandomPolicy(SPACE), SPACE, 0.3)
    together, alone = acted(policy, np.array([3, 8, 9])), acted(policy, np.array([9]))
    np.testing.assert_array_equal(together[:, 2], alone[:, 0])
    state = policy.start(np.array([3, 9]), np.zeros(2, np.int64))
    kept = policy.take(state, np.array([1]))
    np.testing.assert_array_equal(policy.act(np.zeros((1, 3)), kept)[0][0], alone[0])


class Listener(Policy):
    """Remembers what it was told was done."""

    def act(self, observations, state):
        return np.zeros((len(observations), 1)), state

    def record_actions(self, state, actions):
        return actions


def test_executed_actions_are_recorded_in_the_state_of_the_other_policy():
    policy = NoisyPolicy(Listener(), SPACE, 0.3)
    actions, state = policy.act(np.zeros((5, 3)), policy.start(np.arange(5), np.zeros(5, np.int64)))
    np.testing.assert_array_equal(state.inner, actions)
    assert policy.record_actions(state, "something else").inner == "something else"


@pytest.mark.parametrize("spread", [-0.1, float("nan")])
def test_a_spread_that_is_none_is_refused(spread):
    with pytest.raises(InvalidParameter, match="at least 0"):
        NoisyPolicy(STILL, SPACE, spread)
