"""PredNet with the errors of the public code."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.detectors.detector import Step
from offnominal.detectors.images.prediction.prednet import PredNet
from offnominal.papers.anomaly_gym.published_prednet import PublishedPredNet

pytestmark = pytest.mark.long

STEPS = 12


def episode(brightness):
    """An episode of grey images, one brightness per frame."""
    frames = np.tile(np.asarray(brightness, np.uint8)[:, None, None, None], (1, 3, 32, 32))
    return Episode(frames, np.zeros((STEPS, 1)), np.zeros(STEPS), np.zeros(STEPS, bool))


@pytest.fixture(scope="module")
def detectors():
    flat = [episode(np.full(STEPS + 1, 200))]
    options = {"channels": 2, "layers": 2, "n_epochs": 10, "learning_rate": 0.03, "device": "cpu"}
    return {kind: kind(**options).fit(flat) for kind in (PredNet, PublishedPredNet)}


def jump_in_frame_six(kind, detectors):
    return detectors[kind].score([episode([200] * 6 + [255] + [200] * (STEPS - 6))])[0]


def test_the_score_comes_one_step_late(detectors):
    ours, published = (jump_in_frame_six(kind, detectors) for kind in (PredNet, PublishedPredNet))
    assert np.argmax(ours[2:]) + 2 == 5
    assert np.argmax(published[2:]) + 2 == 6


def test_dark_pixels_have_a_large_error_even_if_they_never_change(detectors):
    black = detectors[PublishedPredNet].score([episode(np.zeros(STEPS + 1))])[0]
    assert black.min() >= 1.0
    bright = detectors[PublishedPredNet].score([episode(np.full(STEPS + 1, 200))])[0]
    assert bright[3:].max() < 0.1


def test_online_scores_are_those_of_the_batch(detectors):
    detector, one = detectors[PublishedPredNet], episode(np.linspace(40, 250, STEPS + 1))
    state, scores = detector.start(1), []
    for t in range(STEPS):
        parts = one.observations[t], one.actions[t], one.observations[t + 1]
        state, now = detector.update(state, Step(*(part[None] for part in parts)))
        scores.append(now[0])
    np.testing.assert_allclose(scores, detector.score([one])[0], rtol=1e-4)
