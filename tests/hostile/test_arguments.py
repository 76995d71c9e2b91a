"""Calls of detectors, alarms and monitors with values of wrong types are named errors, or work."""

from contextlib import suppress

import numpy as np
import pandas
import pytest

import offnominal as off
from offnominal.alarms import Monitor, OnlineMonitor, alarms, load_alarm, make_alarm, save_alarm, simulate_scores
from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.detectors import Step, detectors, load_detector, make_detector, save_detector

from .saved_detectors import episodes, fitted
from .wrong_values import WRONG, value_of

pytestmark = pytest.mark.long

QUICK = ("KNN", "IsolationForest", "LSTM-DM", "VAE", "LDM", "TDResidual", "Fusion", "Random")


def named_or_fine(call, *arguments, **options):
    """Make a call; an error that is none of ours fails the test by itself."""
    with suppress(OffnominalError):
        return call(*arguments, **options)
    return None


def calls(detector, nominal, wrong, folder):
    """Return calls with a wrong value in one place each."""
    state, episode = detector.start(), nominal[0]
    before, action, after = episode.observations[:1], episode.actions[:1], episode.observations[1:2]
    step = Step(before, action, after)
    yield from (
        lambda: detector.score(wrong),
        lambda: detector.score([wrong]),
        lambda: detector.score([episode, wrong]),
        lambda: detector.start(wrong),
        lambda: detector.restart(wrong, [0]),
        lambda: detector.restart(state, wrong),
        lambda: detector.update(wrong, step),
        lambda: detector.update(state, wrong),
        lambda: detector.update(state, Step(wrong, action, after)),
        lambda: detector.update(state, Step(before, wrong, after)),
        lambda: detector.update(state, Step(before, action, wrong)),
        lambda: detector.score([off.Episode(wrong, episode.actions, episode.rewards, episode.active)]),
        lambda: detector.score([off.Episode(episode.observations, wrong, episode.rewards, episode.active)]),
        lambda: detector.load_state_dict(wrong),
        lambda: detector.load_state_dict({"widths": wrong}),
        lambda: save_detector(wrong, detector) if not isinstance(wrong, str | bytes) else None,
        lambda: save_detector(folder / "detector", wrong),
        lambda: load_detector(wrong),
    )


def fits(detector, nominal, wrong):
    """Return attempts to learn from something wrong."""
    episode = nominal[0]
    yield from (
        lambda: detector.fit(wrong),
        lambda: detector.fit([wrong]),
        lambda: detector.fit(nominal, validation=wrong),
        lambda: detector.fit([off.Episode(wrong, episode.actions, episode.rewards, episode.active)]),
    )


def attacked(name, what, folder):
    detector, nominal = fitted(name)
    expected = detector.score(nominal)
    for call in calls(detector, nominal, value_of(what), folder):
        named_or_fine(call)
    for first, again in zip(expected, detector.score(nominal), strict=True):
        np.testing.assert_array_equal(first, again)
    for call in fits(make_detector(name, **detector.get_params()), nominal, value_of(what)):
        named_or_fine(call)


@pytest.mark.parametrize("what", WRONG)
def test_wrong_values_are_named_errors_or_work(what, tmp_path):
    draw = np.random.default_rng(list(what.encode()))
    attacked(QUICK[draw.integers(len(QUICK))], what, tmp_path)
    attacked("KNN", what, tmp_path)


@pytest.mark.hostile
@pytest.mark.parametrize("name", detectors.ids())
def test_every_detector_names_every_wrong_value(name, tmp_path):
    for what in WRONG:
        attacked(name, what, tmp_path)


def constructed(name):
    """Make a detector with each of its parameters wrong in turn; what is made may be used."""
    known = make_detector(name).get_params()
    nominal = episodes("SAP-Goal0-v0", False)
    for parameter in known:
        for what in WRONG:
            detector = named_or_fine(make_detector, name, **{parameter: value_of(what)})
            if detector is not None and name in ("KNN", "LODA", "HBOS", "Mahalanobis", "OneClassSVM"):
                named_or_fine(detector.fit, nominal)


@pytest.mark.parametrize(
    "name", ["KNN", "HBOS", "LODA", "KernelSVM", "PIDForest", "VAE", "PE-DM", "RSSM-PPM", "Entropy"]
)
def test_parameters_of_wrong_types_are_named_errors(name):
    constructed(name)


@pytest.mark.hostile
@pytest.mark.parametrize("name", detectors.ids())
def test_every_parameter_of_every_detector_is_checked(name):
    constructed(name)


@pytest.mark.parametrize("id", alarms.ids())
def test_alarms_name_wrong_values(id, tmp_path):
    nominal = simulate_scores(100, seed=3)
    alarm = make_alarm(id).fit(nominal)
    for what in WRONG:
        wrong = value_of(what)
        for call in (
            lambda wrong=wrong: make_alarm(id).fit(wrong),
            lambda wrong=wrong: make_alarm(id).fit([wrong]),
            lambda wrong=wrong: alarm.alarm(wrong),
            lambda wrong=wrong: alarm.first_alarms([wrong]),
            lambda wrong=wrong: alarm.start(wrong),
            lambda wrong=wrong: alarm.restart(wrong, [0]),
            lambda wrong=wrong: alarm.restart(alarm.start(3), wrong),
            lambda wrong=wrong: alarm.update(alarm.start(3), wrong),
            lambda wrong=wrong: alarm.update(wrong, [1.0]),
            lambda wrong=wrong: load_alarm(wrong),
            lambda wrong=wrong: save_alarm(tmp_path / "alarm.json", wrong),
            lambda wrong=wrong: save_alarm(wrong, alarm) if not isinstance(wrong, str | bytes) else None,
        ):
            named_or_fine(call)
        for option in alarm.to_dict()["options"]:
            made = named_or_fine(make_alarm, id, **{option: wrong})
            named_or_fine(made.fit, nominal)


def test_monitors_name_wrong_values():
    detector, nominal = fitted("KNN")
    alarm = make_alarm("Maximum").fit(detector.score(nominal))
    env, episode = off.make("SAP-Goal0-v0"), nominal[0]
    before, action, after = episode.observations[:1], episode.actions[:1], episode.observations[1:2]
    for what in WRONG:
        wrong, watch = value_of(what), OnlineMonitor(detector, alarm)
        for call in (
            lambda wrong=wrong: OnlineMonitor(wrong, alarm),
            lambda wrong=wrong: OnlineMonitor(detector, wrong),
            lambda wrong=wrong: OnlineMonitor(detector, alarm, n=wrong),
            lambda wrong=wrong: OnlineMonitor(detector, alarm, on_alarm=wrong),
            lambda wrong=wrong: OnlineMonitor(detector, alarm, log=wrong),
            lambda wrong=wrong: Monitor(env, wrong, alarm),
            lambda wrong=wrong: Monitor(env, detector, wrong),
            lambda wrong=wrong: Monitor(env, detector, alarm, fallback=wrong),
            lambda wrong=wrong, watch=watch: watch.update(wrong, action, after),
            lambda wrong=wrong, watch=watch: watch.update(before, wrong, after),
            lambda wrong=wrong, watch=watch: watch.update(before, action, wrong),
            lambda wrong=wrong, watch=watch: watch.update(before, action, after, ignore=wrong),
            lambda wrong=wrong, watch=watch: watch.reset(wrong),
        ):
            named_or_fine(call)


def test_numeric_data_frames_and_lists_are_accepted():
    detector, nominal = fitted("KNN")
    rows = detector.normaliser_(nominal[0].observations)
    expected = detector.row_detector.score(rows)
    np.testing.assert_array_equal(detector.row_detector.score(pandas.DataFrame(rows)), expected)
    np.testing.assert_array_equal(detector.row_detector.score(rows.tolist()), expected)


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16])
def test_integers_of_numpy_are_integers(kind):
    for name, parameter in (
        ("KNN", "n_neighbors"),
        ("LSTM-DM", "recurrent_size"),
        ("VAE", "latent"),
        ("Entropy", "passes"),
    ):
        value = make_detector(name, **{parameter: kind(3)}).get_params()[parameter]
        assert type(value) is int
        assert value == 3


def test_episodes_of_different_width_are_refused_in_fit():
    nominal = episodes("SAP-Goal0-v0", False)
    narrow = off.Episode(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2), np.zeros(2, bool))
    with pytest.raises(InvalidParameter, match=r"episode 12 has observations of shape \(2,\)"):
        make_detector("KNN").fit([*nominal, narrow])
