"""Discrete actions are one-hot encoded, online and in a batch."""

from functools import partial

import numpy as np
import pytest

from offnominal.agents import RandomPolicy
from offnominal.anomalies import Fault
from offnominal.core.errors import InvalidParameter
from offnominal.detectors import make_detector
from offnominal.detectors.detector import TransitionDetector
from offnominal.laws import check_detector
from offnominal.rollouts import collect
from offnominal.worlds import make_world

pytestmark = pytest.mark.long

WORLD = "OOD-CartPole-v0"


@pytest.fixture(scope="module")
def episodes():
    policy = RandomPolicy(make_world(WORLD, 1).action_space)
    return [collect(WORLD, policy, 12, faults=fault, seed=s) for fault, s in ((None, 0), (FAULT, 100))]


FAULT = Fault("dynamics/push_force", 60.0, 4)


@pytest.mark.parametrize(
    "make",
    [
        partial(make_detector, "KNN", view="transition"),
        partial(make_detector, "MLP-DM", n_epochs=2),
        partial(make_detector, "LSTM-DM", n_epochs=2),
    ],
    ids=["KNN", "MLP-DM", "LSTM-DM"],
)
def test_laws_hold_for_discrete_actions(make, episodes):
    check_detector(make, episodes=episodes[0], fresh=episodes[1]).raise_if_broken()


def test_discrete_actions_are_one_hot_encoded(episodes):
    detector = make_detector("KNN", view="transition").fit(episodes[0])
    assert detector.widths_ == (4, 2)
    assert detector.normaliser_.mean.shape == (4 + 2 + 4,)  # type: ignore[attr-defined]
    share = np.mean(np.concatenate([episode.actions for episode in episodes[0]]))
    np.testing.assert_allclose(detector.normaliser_.mean[4:6], [1 - share, share])  # type: ignore[attr-defined]


class Listener(TransitionDetector):
    """Scores an action by its number."""

    raw_discrete_actions = True

    def _fit(self, episodes, validation, seed):
        self.kinds_ = {episode.actions.dtype.kind for episode in episodes}

    def _score_transitions(self, observations, actions, after):
        return actions[:, 0].astype(np.float64)

    def get_params(self):
        return {}


def test_a_detector_can_use_raw_discrete_actions(episodes):
    detector = Listener().fit(episodes[0])
    assert detector.kinds_ == {"i"}
    for episode, scores in zip(episodes[1], detector.score(episodes[1]), strict=True):
        np.testing.assert_array_equal(scores, episode.actions)


def test_continuous_in_place_of_discrete_actions_are_refused(episodes):
    (numbers,) = collect("OOD-Pendulum-v0", lambda seen: seen[:, :1], 1, max_steps=5)
    with pytest.raises(InvalidParameter, match="width 3 and actions of width 1"):
        make_detector("KNN", view="transition").fit(episodes[0]).score([numbers])
