"""What every network detector keeps: it learns; it is causal, alone, pure and seeded; it can be kept."""

import copy
import dataclasses
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.detectors import make_detector
from offnominal.detectors.detector import Step
from offnominal.detectors.transitions import (
    LSTMDM,
    MLPDM,
    PEDM,
    RIQN,
    network_detector,
    sequence_network,
    transition_network,
)

pytestmark = pytest.mark.long

ROUNDING = {"rtol": 1e-4, "atol": 1e-6}


def separation(detector, fresh, shifted):
    """Probability that a shifted transition scores higher than its nominal twin."""
    pairs = zip(detector.score(fresh), detector.score(shifted), shifted, strict=True)
    return np.concatenate([(strange > usual)[episode.active] for usual, strange, episode in pairs]).mean()


def online(detector, episodes):
    """Scores of episodes of equal length, one transition at a time."""
    state, scores = detector.start(len(episodes)), []
    for t in range(len(episodes[0])):
        step = Step(*(np.stack([part[t + ahead] for part in parts]) for parts, ahead in signals(episodes)))
        state, now = detector.update(state, step)
        scores.append(now)
    return np.stack(scores, axis=1)


def signals(episodes):
    seen, acted = [e.observations for e in episodes], [e.actions for e in episodes]
    return ((seen, 0), (acted, 0), (seen, 1))


def with_observations(episode, observations):
    return Episode(observations, episode.actions, episode.rewards, episode.active, seed=episode.seed)


def test_a_shift_scores_higher_than_its_nominal_twin(fitted, fresh, shifted):
    assert separation(fitted, fresh, shifted) > 0.95


def test_the_first_shifted_transition_is_noticed(fitted, fresh, shifted):
    for usual, strange in zip(fitted.score(fresh), fitted.score(shifted), strict=True):
        np.testing.assert_allclose(strange[:9], usual[:9], **ROUNDING)
        assert strange[9] > usual[9]


def test_training_beats_the_untrained_baseline(build, fitted, nominal, fresh, shifted):
    untrained = fitted.untrained().fit(nominal)
    assert untrained.curve_.shape == (0, 2)
    assert separation(untrained, fresh, shifted) + 0.05 < separation(fitted, fresh, shifted)
    assert (np.concatenate(untrained.score(fresh)) > np.concatenate(fitted.score(fresh))).mean() > 0.9


def test_the_untrained_baseline_has_the_initial_weights(build, nominal):
    start = build(n_epochs=0).fit(nominal, seed=3).state_dict()
    stuck = build(n_epochs=1, learning_rate=1e-12, weight_decay=0.0).fit(nominal, seed=3).state_dict()
    for name in start:
        if name != "curve":
            np.testing.assert_allclose(stuck[name], start[name], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["MLP-DM", "LSTM-DM", "PE-DM", "RIQN"])
def test_the_untrained_baseline_has_an_id(name):
    assert make_detector(f"{name}-untrained").get_params() == make_detector(name).untrained().get_params()  # type: ignore[attr-defined]


def test_a_gradient_clipped_to_nothing_teaches_nothing(build, nominal):
    start = build(n_epochs=0).fit(nominal).state_dict()
    stuck = build(n_epochs=1, max_grad_norm=1e-13, weight_decay=0.0).fit(nominal).state_dict()
    for name in start:
        if name != "curve":
            np.testing.assert_allclose(stuck[name], start[name], atol=1e-3)


def test_the_learning_curve_falls(fitted):
    assert fitted.curve_.shape[1] == 2
    assert np.isfinite(fitted.curve_).all()
    assert (fitted.curve_[-1] < fitted.curve_[0]).all()


def test_scores_are_those_of_the_seed(build, nominal, fresh):
    first, again, other = (build(n_epochs=2).fit(nominal, seed=seed).score(fresh)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_global_random_numbers_are_not_affected(build, nominal, fresh):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    detector = build(n_epochs=2).fit(nominal)
    build().load_state_dict(detector.state_dict())
    detector.score(fresh)
    assert torch.equal(torch.rand(3), expected)
    torch.manual_seed(6)
    np.testing.assert_array_equal(build(n_epochs=2).fit(nominal).score(fresh)[0], detector.score(fresh)[0])


def test_online_scores_are_those_of_the_batch(fitted, fresh):
    episodes = [with_length(episode, 15) for episode in fresh]
    np.testing.assert_allclose(online(fitted, episodes), fitted.score(episodes), **ROUNDING)


def with_length(episode, length):
    return Episode(
        episode.observations[: length + 1], episode.actions[:length], episode.rewards[:length], episode.active[:length]
    )


def test_scores_do_not_depend_on_later_steps(fitted, fresh):
    for episode in fresh:
        changed = episode.observations.copy()
        changed[9:] += 1.0
        scores = fitted.score([episode, with_observations(episode, changed)])
        np.testing.assert_allclose(scores[0][:8], scores[1][:8], **ROUNDING)
        assert abs(scores[0][8] - scores[1][8]) > 0.01


def test_scores_do_not_depend_on_other_episodes(fitted, fresh, shifted, monkeypatch):
    together = fitted.score([*fresh, *shifted])
    for episode, scores in zip([*fresh, *shifted], together, strict=True):
        np.testing.assert_allclose(fitted.score([episode])[0], scores, **ROUNDING)
    monkeypatch.setattr(transition_network, "CHUNK", 7)
    monkeypatch.setattr(sequence_network, "CHUNK", 7)
    monkeypatch.setattr(sequence_network, "EPISODES", 3)
    for scores, in_parts in zip(together, fitted.score([*fresh, *shifted]), strict=True):
        np.testing.assert_allclose(in_parts, scores, **ROUNDING)


def test_scoring_changes_nothing(fitted, fresh):
    before, given = fitted.state_dict(), [copy.deepcopy(episode) for episode in fresh]
    first = fitted.score(fresh)
    state = fitted.start(1)
    kept = copy.deepcopy(state)
    step = Step(*(parts[0][ahead : ahead + 1] for parts, ahead in signals(fresh)))
    later, scores = fitted.update(state, step)
    np.testing.assert_array_equal(fitted.update(state, step)[1], scores)
    np.testing.assert_equal(state, kept)
    fitted.update(later, step)
    np.testing.assert_equal(fitted.state_dict(), before)
    assert given == fresh
    for scores, again in zip(first, fitted.score(fresh), strict=True):
        np.testing.assert_array_equal(scores, again)
        assert scores.dtype == np.float64


def test_a_state_dict_can_be_loaded(build, fitted, fresh):
    parameters = json.loads(json.dumps(fitted.get_params()))
    again = type(fitted)(**parameters)
    assert again.get_params() == fitted.get_params()
    state = fitted.state_dict()
    assert {array.dtype.kind for array in state.values()} == {"i", "f"}
    again.load_state_dict(state)
    np.testing.assert_equal(again.state_dict(), state)
    for scores, restored in zip(fitted.score(fresh), again.score(fresh), strict=True):
        np.testing.assert_array_equal(restored, scores)


def test_the_state_dict_is_a_copy(fitted, fresh):
    before = fitted.score(fresh)[0]
    for array in fitted.state_dict().values():
        array[...] = 0.0
    np.testing.assert_array_equal(fitted.score(fresh)[0], before)


def test_the_parameters_are_a_copy():
    detector = MLPDM(dropout=0.25)
    detector.get_params()["dropout"] = 0.5
    assert detector.get_params()["dropout"] == 0.25


def test_arrays_of_another_network_are_refused(build, fitted):
    state = fitted.state_dict()
    missing = {name: array for name, array in state.items() if name != "change.mean"}
    narrower = {**state, "widths": state["widths"] - 1}
    fewer = dict(list(state.items())[:-1])
    for wrong in (missing, narrower, fewer, {}):
        detector = build()
        with pytest.raises(DamagedFile, match=r"missing|expects"):
            detector.load_state_dict(wrong)
        assert not detector.fitted


def test_it_can_be_sent_to_another_process(fitted, fresh):
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).score(fresh)[0], fitted.score(fresh)[0])


def test_a_change_of_a_constant_channel_has_a_high_but_bounded_score(kind, fitted, fresh):
    observations = fresh[0].observations.copy()
    observations[5:, 2] += 2.0
    usual, strange = fitted.score([fresh[0], with_observations(fresh[0], observations)])
    narrowest = np.exp(-10.0) if kind == "pe" else 1.0
    assert 0.3 < strange[4] - usual[4] < 10.0 / narrowest


def test_no_finite_observation_gives_a_score_that_is_not(fitted, fresh):
    observations = fresh[0].observations.astype(np.float64)
    observations[4] = 1e300
    observations[9] = -1e300
    scores = fitted.score([with_observations(fresh[0], observations)])[0]
    assert np.isfinite(scores).all()
    assert scores[3] > 1e3


def test_one_transition_is_enough(build, fresh):
    short = [with_length(episode, 1) for episode in fresh]
    detector = build(n_epochs=2).fit(short)
    assert [scores.shape for scores in detector.score(short)] == [(1,)] * len(short)
    assert np.isfinite(build(n_epochs=2).fit(short[:1]).score(fresh)[0]).all()


def test_any_shape_of_observation_and_action_is_taken(build):
    draw = np.random.default_rng(0)
    images = draw.integers(0, 256, (3, 9, 2, 2), dtype=np.uint8)
    buttons = draw.integers(0, 4, (3, 8))
    episodes = [
        Episode(seen, pressed, np.zeros(8), np.zeros(8, bool)) for seen, pressed in zip(images, buttons, strict=True)
    ]
    detector = build(n_epochs=1).fit(episodes)
    np.testing.assert_allclose(online(detector, episodes), detector.score(episodes), **ROUNDING)


def test_validation_episodes_decide_when_to_stop(build, nominal, shifted):
    detector = build(n_epochs=50, patience=2).fit(nominal, validation=shifted)
    assert len(detector.curve_) < 50
    assert detector.curve_[:, 1].argmin() == len(detector.curve_) - 3


def test_bad_input_is_named(build, fitted, fresh):
    with pytest.raises(NotFitted):
        build().score(fresh)
    with pytest.raises(NotFitted):
        build().state_dict()
    broken = fresh[0].observations.copy()
    broken[3, 1] = np.nan
    with pytest.raises(InvalidParameter, match="finite"):
        build().fit([with_observations(fresh[0], broken)])
    with pytest.raises(InvalidParameter, match="width"):
        fitted.score([with_observations(fresh[0], fresh[0].observations[:, :2])])


@pytest.mark.parametrize("kind", ["lstm", "riqn"], indirect=True)
def test_a_state_of_another_number_of_episodes_is_named(fitted, fresh):
    step = Step(*(parts[0][ahead : ahead + 1] for parts, ahead in signals(fresh)))
    with pytest.raises(InvalidParameter, match="that of 3 episodes; the step is of 1"):
        fitted.update(fitted.start(3), step)


@pytest.mark.parametrize(
    ("detector", "wrong"),
    [
        (MLPDM, {"n_epochs": -1}),
        (MLPDM, {"patience": 0}),
        (MLPDM, {"batch_size": 1.5}),
        (MLPDM, {"learning_rate": 0.0}),
        (MLPDM, {"learning_rate": None}),
        (MLPDM, {"learning_rate": "fast"}),
        (MLPDM, {"weight_decay": -1.0}),
        (MLPDM, {"max_grad_norm": 0.0}),
        (MLPDM, {"hidden": ()}),
        (MLPDM, {"hidden": (8, 0)}),
        (MLPDM, {"dropout": 1.0}),
        (LSTMDM, {"recurrent_size": 0}),
        (PEDM, {"n_members": 0}),
        (PEDM, {"hidden": ()}),
        (PEDM, {"aggregation": "median"}),
        (PEDM, {"beta": 1.5}),
        (RIQN, {"n_quantiles": 0}),
    ],
)
def test_a_wrong_parameter_is_named(detector, wrong):
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        detector(**wrong)


WITHOUT_TORCH = """
import sys
import offnominal.detectors.transitions as networks
assert "torch" not in sys.modules, "at import"
sys.modules["torch"] = None
from offnominal.core.errors import MissingDependency
for name in ("LSTMDM", "MLPDM", "PEDM", "RIQN"):
    try:
        getattr(networks, name)
    except MissingDependency as error:
        assert "pip install" in str(error)
    else:
        raise AssertionError(name)
"""


def test_without_torch_the_import_works_and_use_says_what_to_install():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "detector",
    [
        MLPDM(hidden=(7,)),
        MLPDM(hidden=(12, 9, 5)),
        PEDM(hidden=(6,), n_members=2),
        PEDM(hidden=(12, 9, 5), n_members=3),
        PEDM(hidden=(6, 5), n_members=3, aggregation="min"),
        PEDM(hidden=(6, 5), n_members=3, aggregation="mean"),
        LSTMDM(recurrent_size=5, hidden=4),
        RIQN(recurrent_size=5, n_cosines=6, use_actions=True),
        RIQN(recurrent_size=5, n_cosines=6, n_quantiles=3),
    ],
    ids=lambda detector: type(detector).__name__,
)
def test_one_episode_has_the_scores_of_the_batch_online(detector, nominal, fresh):
    fitted = dataclasses.replace(detector, n_epochs=1, device="cpu").fit(nominal)
    np.testing.assert_allclose(online(fitted, fresh[:1])[0], fitted.score(fresh)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("detector", [MLPDM(hidden=(4,)), PEDM(hidden=(4,), n_members=2)])
def test_a_batch_can_be_as_long_as_an_episode(detector, nominal):
    fitted = dataclasses.replace(detector, n_epochs=1, episode_batches=True, device="cpu").fit(nominal)
    assert fitted._rows_per_step(nominal[:3]) == round(np.mean([len(episode) for episode in nominal[:3]]))
    assert dataclasses.replace(detector, batch_size=7)._rows_per_step(nominal) == 7


@pytest.mark.parametrize("device", ["cuda"], indirect=True)
def test_training_from_a_graph_is_training_without_one(build, nominal, fresh, monkeypatch):
    replayed = build(n_epochs=6).fit(nominal)
    monkeypatch.setattr(network_detector, "replayed_on_gpu", lambda update, random: update)
    launched = build(n_epochs=6).fit(nominal)
    np.testing.assert_equal(replayed.state_dict(), launched.state_dict())
    for scores, others in zip(replayed.score(fresh), launched.score(fresh), strict=True):
        np.testing.assert_array_equal(scores, others)
