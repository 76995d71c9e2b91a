"""The ground truth of an episode can be applied to another episode."""

import numpy as np
import pytest

from offnominal.core.episode import Event
from offnominal.evaluation.ground_truth import GroundTruth

from .cases import episode


@pytest.mark.parametrize(
    ("truth", "length", "expected"),
    [
        (GroundTruth(np.array([0, 0, 1, 1], bool), (Event("a", 1.0, 2),)), 3, [0, 0, 1]),
        (GroundTruth(np.array([0, 0, 1, 1], bool), (Event("a", 1.0, 2),)), 6, [0, 0, 1, 1, 1, 1]),
        (GroundTruth(np.array([0, 0], bool), (Event("a", 1.0, 3),)), 6, [0, 0, 0, 1, 1, 1]),
        (GroundTruth(np.array([0, 1], bool), (Event("a", 1.0, 1, 4),)), 6, [0, 1, 1, 1, 0, 0]),
        (GroundTruth(np.array([0, 1, 0, 0], bool), (Event("a", 1.0, 1, 2),)), 6, [0, 1, 0, 0, 0, 0]),
        (GroundTruth(np.array([0, 1, 0, 1], bool), (Event("a", 1.0, 1, 4),)), 6, [0, 1, 0, 1, 0, 0]),
        (GroundTruth(np.array([1, 0], bool), (Event("a", 1.0, 0, 1), Event("b", 1.0, 4))), 6, [1, 0, 0, 0, 1, 1]),
        (GroundTruth(np.array([0, 1], bool)), 4, [0, 1, 1, 1]),
        (GroundTruth(np.array([1, 0], bool)), 4, [1, 0, 0, 0]),
        (GroundTruth(np.zeros(0, bool), (Event("a", 1.0, 1),)), 3, [0, 1, 1]),
        (GroundTruth(np.zeros(0, bool)), 2, [0, 0]),
    ],
)
def test_labels_beyond_the_episode_follow_the_events(truth, length, expected):
    assert truth.over(length).tolist() == [bool(label) for label in expected]


def test_the_ground_truth_is_that_of_its_episode():
    struck = episode(6, 4)
    truth = GroundTruth.of(struck)
    assert truth.onset == struck.onset == 4
    assert truth.events == struck.events
    assert GroundTruth.of(episode(3, 7)).onset is None
