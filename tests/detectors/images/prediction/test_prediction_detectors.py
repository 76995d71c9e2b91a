"""Properties of every predictive image detector: learning, causality, purity, seeds, saving."""

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.detectors import Step, load_detector, make_detector, save_detector
from offnominal.detectors.images import LDM, LRDM, RSSMPPM, PredAE, PredNet
from offnominal.detectors.images.prediction import prediction_detector

from .conftest import STEP, record

pytestmark = pytest.mark.long

ROUNDING = {"rtol": 1e-4, "atol": 1e-6}
WITHOUT_ACTIONS = ("pred_ae", "prednet")


def first(episode, length):
    return replace(
        episode,
        observations=episode.observations[: length + 1],
        **{name: getattr(episode, name)[:length] for name in ("actions", "rewards", "active")},
    )


def step_at(episodes, t):
    seen = [episode.observations for episode in episodes]
    acted = np.stack([episode.actions[t] for episode in episodes])
    return Step(np.stack([each[t] for each in seen]), acted, np.stack([each[t + 1] for each in seen]))


MARGIN = 0.25
"""How much larger the AUROC of a trained detector is than that of its untrained twin."""
BY_DIRECTION = ("pred_ae", "rssm")
"""Kinds whose untrained twin notices a jump as a large change: for them the bar turns round, which is none."""


def auroc(detector, fresh, faulty):
    """Probability that a faulty transition scores higher than a nominal one from the onset on."""
    nominal, changed = (np.concatenate([scores[7:] for scores in detector.score(part)]) for part in (fresh, faulty))
    return (changed[:, None] > nominal).mean() + 0.5 * (changed[:, None] == nominal).mean()


def learns(trained, fresh, faulty, nominal):
    return auroc(trained, fresh, faulty) > auroc(trained.untrained().fit(nominal), fresh, faulty) + MARGIN


@pytest.fixture(scope="session")
def case(kind, nominal):
    """Nominal episodes to learn from, nominal ones to score, and the same with a fault."""
    if kind not in BY_DIRECTION:
        return nominal, *([record(14, 100 + k, jump=jump, onset=7) for k in range(16)] for jump in (0, 11))
    moves = [(16, 0, 0), (16, 100, 0), (16, 100, -2 * STEP)]
    return tuple(
        [record(14, seed + k, jump=jump, onset=7, moves=(1.0, 1.0)) for k in range(n)] for n, seed, jump in moves
    )


def test_training_beats_the_untrained_twin(kind, build, fitted, case):
    nominal, fresh, faulty = case
    trained = build().fit(nominal) if kind in BY_DIRECTION else fitted
    assert learns(trained, fresh, faulty, nominal)


# The law of learning tells such a training by default.
@pytest.mark.slow
def test_a_training_that_changes_nothing_does_not_beat_the_untrained_twin(build, case):
    nominal, fresh, faulty = case
    idle = build(n_epochs=1, learning_rate=1e-12, weight_decay=0.0).fit(nominal)
    assert len(idle.curve_) == 1
    assert not learns(idle, fresh, faulty, nominal)


def test_training_makes_the_nominal_error_smaller(kind, fitted, nominal, fresh):
    if kind == "rssm":
        pytest.skip("its score is not a prediction error")
    untrained = fitted.untrained().fit(nominal)
    assert untrained.curve_.shape == (0, 2)
    assert np.concatenate(untrained.score(fresh)).mean() > np.concatenate(fitted.score(fresh)).mean()


def test_the_score_changes_at_the_first_faulty_frame(fitted, fresh, faulty):
    for nominal_scores, faulty_scores in zip(fitted.score(fresh), fitted.score(faulty), strict=True):
        np.testing.assert_allclose(faulty_scores[:7], nominal_scores[:7], **ROUNDING)
        assert faulty_scores[7] != nominal_scores[7]


def test_the_prediction_is_better_than_repeating_the_frame(kind, fitted, fresh):
    if kind == "rssm":
        pytest.skip("its score is not a prediction error")
    lowest, highest = fitted.network_.pixel_range
    unit = 255 / (highest - lowest)
    still = [np.square(np.diff(episode.observations / unit, axis=0)).mean() for episode in fresh]
    assert np.concatenate(fitted.score(fresh)).mean() < 0.9 * np.mean(still)


def test_actions_change_the_scores_of_detectors_that_use_them(kind, fitted, fresh):
    (usual,) = fitted.score(fresh[:1])
    (other,) = fitted.score([replace(fresh[0], actions=-fresh[0].actions)])
    assert np.array_equal(usual, other) == (kind in WITHOUT_ACTIONS)


def test_the_untrained_twin_has_the_weights_that_training_starts_from(build, nominal):
    start = build(n_epochs=0).fit(nominal, seed=3).state_dict()
    stuck = build(n_epochs=1, learning_rate=1e-12, weight_decay=0.0).fit(nominal[:2], seed=3).state_dict()
    for name in (name for name in start if name.startswith("network.")):
        np.testing.assert_allclose(stuck[name], start[name], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["PredAE", "LDM", "LRDM", "PredNet", "RSSM-PPM"])
def test_the_untrained_twin_is_registered(name):
    assert make_detector(f"{name}-untrained").get_params() == make_detector(name).untrained().get_params()  # type: ignore[attr-defined]


def test_the_learning_curve_falls(fitted):
    assert fitted.curve_.shape[1] == 2
    assert np.isfinite(fitted.curve_).all()
    assert (fitted.curve_[-1] < fitted.curve_[0]).all()


def test_scores_depend_on_the_seed_only(build, nominal, fresh):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    short = [first(episode, 6) for episode in nominal[:2]]
    once, again, other = (build(n_epochs=1).fit(short, seed=seed).score(fresh[:1])[0] for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    np.testing.assert_array_equal(once, again)
    assert not np.allclose(once, other)


@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed")
def test_bfloat16_trains_about_as_well_as_float32(build, nominal):
    short = [first(episode, 3) for episode in nominal[:2]]
    fine, coarse = (build(n_epochs=1, precision=each).fit(short) for each in ("float32", "bfloat16"))
    assert {values.dtype.name for values in coarse.state_dict().values()} <= {"int64", "float32", "float64"}
    assert coarse.curve_[0, 0] != fine.curve_[0, 0]
    np.testing.assert_allclose(coarse.curve_, fine.curve_, rtol=0.05)


def test_online_scores_equal_batch_scores(fitted, fresh):
    episodes, state, online = [first(episode, 12) for episode in fresh], fitted.start(len(fresh)), []
    for t in range(12):
        state, scores = fitted.update(state, step_at(episodes, t))
        online.append(scores)
    np.testing.assert_allclose(np.transpose(online), fitted.score(episodes), **ROUNDING)


def test_a_restarted_row_has_the_initial_state(fitted, fresh):
    episodes = fresh[:2]
    state, _ = fitted.update(fitted.start(2), step_at(episodes, 3))
    fresh_start = fitted.restart(state, np.array([1]))
    _, scores = fitted.update(fresh_start, step_at(episodes, 0))
    np.testing.assert_allclose(scores[1], fitted.score([episodes[1]])[0][0], **ROUNDING)


def test_scores_do_not_depend_on_later_frames(fitted, fresh):
    changed = fresh[0].observations.copy()
    changed[9:] = 255 - changed[9:]
    scores = fitted.score([fresh[0], replace(fresh[0], observations=changed)])
    np.testing.assert_allclose(scores[0][:8], scores[1][:8], **ROUNDING)
    assert abs(scores[0][8] - scores[1][8]) > 1e-4


def test_scores_do_not_depend_on_other_episodes(fitted, fresh, faulty, monkeypatch):
    episodes = [fresh[0], first(faulty[1], 3), fresh[3]]
    together = fitted.score(episodes)
    for episode, scores in zip(episodes, together, strict=True):
        np.testing.assert_allclose(fitted.score([episode])[0], scores, **ROUNDING)
    monkeypatch.setattr(prediction_detector, "MAX_PIXELS", 7 * 32 * 32)
    monkeypatch.setattr(prediction_detector, "MAX_EPISODES", 2)
    for scores, in_parts in zip(together, fitted.score(episodes), strict=True):
        np.testing.assert_allclose(in_parts, scores, **ROUNDING)


def test_scoring_changes_nothing(fitted, fresh):
    before, given = fitted.state_dict(), copy.deepcopy(fresh[:2])
    scores = fitted.score(fresh[:2])
    state = fitted.start(2)
    kept = copy.deepcopy(state)
    later, once = fitted.update(state, step_at(fresh[:2], 0))
    np.testing.assert_array_equal(fitted.update(state, step_at(fresh[:2], 0))[1], once)
    np.testing.assert_equal(state, kept)
    fitted.update(later, step_at(fresh[:2], 1))
    np.testing.assert_equal(fitted.state_dict(), before)
    assert given == fresh[:2]
    for first, again in zip(scores, fitted.score(fresh[:2]), strict=True):
        np.testing.assert_array_equal(first, again)
        assert first.dtype == np.float64


def test_a_saved_detector_gives_the_same_scores(fitted, fresh, tmp_path):
    save_detector(tmp_path / "detector", fitted)
    loaded = load_detector(tmp_path / "detector")
    assert loaded.get_params() == json.loads(json.dumps(fitted.get_params()))
    for other in (loaded, pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_equal(other.state_dict(), fitted.state_dict())
        np.testing.assert_array_equal(other.score(fresh[:1])[0], fitted.score(fresh[:1])[0])


def test_arrays_of_another_network_are_refused(build, fitted):
    state = fitted.state_dict()
    missing = {name: array for name, array in state.items() if name != "action.mean"}
    larger = {**state, "shape": np.array([3, 72, 60])}
    fewer = dict(list(state.items())[:-1])
    for wrong in (missing, fewer, {}) if isinstance(fitted, PredNet) else (missing, larger, fewer, {}):
        detector = build()
        with pytest.raises(DamagedFile, match=r"missing|expects|was fitted to"):
            detector.load_state_dict(wrong)
        assert not detector.fitted


def test_validation_episodes_decide_when_to_stop(build, nominal):
    short = [first(each, 6) for each in nominal[:2]]
    blank = [replace(each, observations=np.zeros_like(each.observations)) for each in short[:1]]
    detector = build(n_epochs=30, patience=2).fit(short, validation=blank)
    best = 0 if len(detector.curve_) == 2 else detector.curve_[:, 1].argmin() + 1
    assert len(detector.curve_) in (best + 2, 30)


def test_one_transition_is_enough(build, fresh):
    short = [first(episode, 1) for episode in fresh]
    detector = build(n_epochs=1).fit(short)
    assert [scores.shape for scores in detector.score(short)] == [(1,)] * len(short)
    assert np.isfinite(build(n_epochs=1).fit(short[:1]).score(fresh[:1])[0]).all()


@pytest.mark.parametrize("shape", [(40, 56), (64, 64), (72, 96)])
def test_images_of_any_size_are_accepted(build, fresh, shape):
    frames = np.random.default_rng(0).integers(0, 256, (4, 3, *shape), dtype=np.uint8)
    episode = replace(first(fresh[0], 3), observations=frames)
    scores = build(n_epochs=0).fit([episode]).score([episode])[0]
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


class LazyEpisodes(Sequence):
    """Episodes that are created when they are read."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        return record(4, range(self.count)[number])


def test_episodes_are_read_in_groups(fitted, monkeypatch):
    score_group, sizes = prediction_detector.FrameScorer.score_group, []

    def counted(self, episodes):
        sizes.append(len(episodes))
        return score_group(self, episodes)

    monkeypatch.setattr(prediction_detector, "MAX_EPISODES", 2)
    monkeypatch.setattr(prediction_detector.FrameScorer, "score_group", counted)
    scores = fitted.score(LazyEpisodes(5))
    assert sizes == [2, 2, 1]
    np.testing.assert_allclose(scores[3], fitted.score([record(4, 3)])[0], **ROUNDING)


def test_invalid_input_raises_a_named_error(build, fitted, fresh):
    with pytest.raises(NotFitted):
        build().score(fresh)
    vector = replace(fresh[0], observations=np.zeros((len(fresh[0]) + 1, 4)))
    for call in (lambda: build().fit([vector]), lambda: fitted.score([vector])):
        with pytest.raises(InvalidParameter, match=r"expected images \(3, H, W\) uint8: record with frames=True"):
            call()
    last = np.moveaxis(fresh[0].observations, 1, -1)
    floats = fresh[0].observations / 255
    larger = record(12, 0, side=40).observations
    for wrong in (last, floats, larger):
        with pytest.raises(InvalidParameter, match="images"):
            fitted.score([replace(fresh[0], observations=wrong)])
    good = step_at(fresh, 0)
    with pytest.raises(InvalidParameter, match="images"):
        fitted.update(fitted.start(4), replace(good, next_observation=good.next_observation / 255))
    with pytest.raises(InvalidParameter, match="that of 3 episodes; the step is of 4"):
        fitted.update(fitted.start(3), good)
    with pytest.raises(InvalidParameter, match="at least 32"):
        build().fit([record(3, 0, side=24)])
    with pytest.raises(InvalidParameter, match=r"expected \(3, 32, 32\)"):
        build().fit([fresh[0], record(3, 0, side=40)])


def test_prednet_requires_divisible_sides():
    with pytest.raises(InvalidParameter, match="36 × 36 pixels; PredNet with 4 layers needs sides divisible by 8"):
        PredNet(n_epochs=0).fit([record(3, 0, side=36)])


@pytest.mark.parametrize(
    ("detector", "wrong"),
    [
        (PredAE, {"channels": 0}),
        (PredAE, {"precision": "half"}),
        (PredAE, {"n_epochs": -1}),
        (LDM, {"latent": 1.5}),
        (LRDM, {"recurrent_size": 0}),
        (LRDM, {"sequence_length": 0}),
        (PredNet, {"layers": 0}),
        (RSSMPPM, {"score_name": "entropy"}),
        (RSSMPPM, {"stochastic": 0}),
    ],
)
def test_an_invalid_parameter_is_named(detector, wrong):
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        detector(**wrong)


WITHOUT_TORCH = """
import sys
import offnominal.detectors.images as images
assert "torch" not in sys.modules, "at import"
sys.modules["torch"] = None
from offnominal.core.errors import MissingDependency
for name in images.__all__:
    try:
        getattr(images, name)
    except MissingDependency as error:
        assert "pip install" in str(error)
    else:
        raise AssertionError(name)
"""


def test_without_torch_the_import_works_and_use_raises_a_hint():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_epoch_has_at_least_the_required_number_of_updates(nominal):
    detector = LDM(channels=2, latent=4, n_epochs=1, batch_size=1000, min_updates=3, device="cpu")
    updates = []
    batches = detector._batches
    detector._batches = lambda dataset, episodes, random: (
        updates.append(random is not None) or batch for batch in batches(dataset, episodes, random)
    )
    detector.fit(nominal[:1])
    assert updates.count(True) == 3
