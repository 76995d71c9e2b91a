"""A broken sensor has the largest score, does no harm to what comes after it, and never stops a loop."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.core.errors import InvalidParameter
from offnominal.detectors import Step, load_detector, make_detector, save_detector
from offnominal.detectors.observation_limits import MAX_READING, MAX_SCORE, all_valid, bounded
from offnominal.rollouts import collect

WORLD = "SAP-Goal0-v0"
KINDS = {
    "KNN": {},
    "KNN of a window": {"view": "window", "window_length": 3},
    "LSTM-DM": {"recurrent_size": 8, "hidden": 8, "n_epochs": 0, "device": "cpu"},
    "Fusion": {"detectors": ["KNN", "Time"]},
    "Random": {},
}


@pytest.fixture(scope="module")
def nominal():
    return collect(WORLD, expert(WORLD), 15)


@pytest.fixture(scope="module")
def fitted(nominal):
    return {kind: make_detector(kind.split()[0], **options).fit(nominal) for kind, options in KINDS.items()}


def broken(episode, reading, place=slice(4, 6), channel=1):
    observations = episode.observations.astype(np.float64)
    observations[place, channel] = reading
    return replace(episode, observations=observations)


def watched(detector, episode):
    state, scores = detector.start(), []
    for o, a, after in zip(episode.observations, episode.actions, episode.observations[1:], strict=False):
        state, score = detector.update(state, Step(o[None], a[None], after[None]))
        scores.append(score[0])
    return np.array(scores)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reading", [np.nan, np.inf, -np.inf, 1e160, -1.1 * MAX_READING])
def test_transitions_around_an_invalid_reading_have_the_largest_score(kind, reading, fitted, nominal):
    detector, episode = fitted[kind], broken(nominal[0], reading)
    (expected,), (scores,) = detector.score(nominal[:1]), detector.score([episode])
    assert (scores[3:6] == MAX_SCORE).all()
    np.testing.assert_allclose(scores[:3], expected[:3], rtol=1e-6)
    assert (scores[6:] < MAX_SCORE).all()
    np.testing.assert_allclose(watched(detector, episode), scores, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", ["KNN", "KNN of a window"])
def test_scores_recover_when_no_invalid_reading_is_in_the_window(kind, fitted, nominal):
    (expected,), (scores,) = fitted[kind].score(nominal[:1]), fitted[kind].score([broken(nominal[0], np.nan)])
    np.testing.assert_array_equal(scores[8:], expected[8:])


def test_a_recurrent_network_recovers(fitted, nominal):
    detector = fitted["LSTM-DM"]
    (expected,), (scores,) = detector.score(nominal[:1]), detector.score([broken(nominal[0], np.nan)])
    assert np.abs(scores[-1] / expected[-1] - 1.0) < 0.1


def test_a_sensor_that_is_broken_from_the_first_to_the_last_step_is_scored(fitted, nominal):
    episode = broken(nominal[0], np.nan, slice(None), slice(None))
    for detector in fitted.values():
        np.testing.assert_array_equal(detector.score([episode])[0], MAX_SCORE)
        np.testing.assert_array_equal(watched(detector, episode), MAX_SCORE)


def test_actions_are_readings_too(fitted, nominal):
    actions = nominal[0].actions.astype(np.float64)
    actions[5, 0] = np.inf
    (scores,) = fitted["KNN"].score([replace(nominal[0], actions=actions)])
    (expected,) = fitted["KNN"].score(nominal[:1])
    np.testing.assert_array_equal(np.flatnonzero(scores == MAX_SCORE), [5])
    np.testing.assert_array_equal(np.delete(scores, 5), np.delete(expected, 5))


def test_masked_entries_are_missing_readings(fitted, nominal):
    observations = np.ma.array(nominal[0].observations, mask=False)
    observations.mask[4:6, 1] = True
    (masked,) = fitted["KNN"].score([replace(nominal[0], observations=observations)])
    np.testing.assert_array_equal(masked, fitted["KNN"].score([broken(nominal[0], np.nan)])[0])


def test_a_loaded_detector_treats_broken_sensors_alike(fitted, nominal, tmp_path):
    save_detector(tmp_path / "lstm", fitted["LSTM-DM"])
    episode = broken(nominal[0], np.nan)
    (expected,), (loaded,) = fitted["LSTM-DM"].score([episode]), load_detector(tmp_path / "lstm").score([episode])
    np.testing.assert_array_equal(loaded, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_ordinary_scores_keep_every_bit(kind, fitted, nominal):
    detector = fitted[kind]
    for given, scores in zip(detector._score(nominal), detector.score(nominal), strict=True):
        assert given.tobytes() == scores.tobytes()


@pytest.mark.parametrize("reading", [np.nan, 1e160])
def test_fit_refuses_invalid_readings(reading, nominal):
    with pytest.raises(
        InvalidParameter, match="the observations of episode 1 have values that are not finite or too large"
    ):
        make_detector("KNN").fit([nominal[0], broken(nominal[1], reading)])
    detector = make_detector("KNN").fit(nominal)
    with pytest.raises(InvalidParameter):
        detector.fit([broken(nominal[1], reading)])
    assert detector.fitted


def test_the_largest_score_is_finite_in_later_arithmetic():
    scores = np.full(1000, MAX_SCORE)
    assert np.isfinite(scores.astype(np.float32).sum())
    assert np.isfinite(np.square(scores).sum())
    assert np.isfinite((scores - scores.mean()) / 1e-200).all()


def test_bytes_are_always_valid_and_small_types_are_compared_as_they_are():
    assert all_valid(np.array([255], np.uint8))
    assert all_valid(np.array([6e4], np.float16))
    assert not all_valid(np.array([np.inf], np.float16))
    assert not all_valid(np.array([1e31], np.float32))
    assert all_valid(np.zeros((0, 3)))


def test_bounded_scores_are_the_same_array_if_none_is_too_large():
    scores = np.array([-1.7e308, 0.0, MAX_SCORE])
    assert bounded(scores) is scores
