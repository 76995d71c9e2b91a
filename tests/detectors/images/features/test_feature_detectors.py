"""Properties of every feature detector: detection, causality, purity, seeds, saving."""

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted, UnknownName
from offnominal.detectors import load_detector, make_detector, save_detector
from offnominal.detectors.detector import Step
from offnominal.detectors.images import CLIPSim, DINOPatch, FeatureMahalanobis, KNNResNet
from offnominal.detectors.images.features import feature_detector

pytestmark = pytest.mark.long


def step_of(episodes, t):
    parts = ([each.observations[t] for each in episodes], [each.actions[t] for each in episodes])
    return Step(np.stack(parts[0]), np.stack(parts[1]), np.stack([each.observations[t + 1] for each in episodes]))


def separation(detector, fresh, faulty):
    """Probability that a faulty frame has a higher score than a nominal one."""
    high = np.concatenate([scores[each.active] for scores, each in zip(detector.score(faulty), faulty, strict=True)])
    return (high[:, None] > np.concatenate(detector.score(fresh))).mean()


@pytest.mark.parametrize("what", ["recoloured", "lifted"])
def test_faulty_frames_score_higher(fitted, fresh, what, request):
    assert separation(fitted, fresh, request.getfixturevalue(what)) > 0.9


def test_the_score_belongs_to_the_frame_after_the_transition(fitted, fresh, recoloured):
    for nominal_scores, faulty_scores in zip(fitted.score(fresh), fitted.score(recoloured), strict=True):
        np.testing.assert_array_equal(faulty_scores[:8], nominal_scores[:8])
        assert faulty_scores[8] > nominal_scores[8]


@pytest.mark.parametrize("detector_with_bank", [KNNResNet, CLIPSim, DINOPatch])
def test_frames_in_the_bank_have_score_zero(detector_with_bank, nominal):
    detector = detector_with_bank(n_epochs=0, coreset_fraction=None, device="cpu").fit(nominal)
    np.testing.assert_array_equal(detector.score(nominal[:1])[0], 0.0)


def test_online_scores_equal_batch_scores_bit_for_bit(fitted, fresh):
    together = fitted.score(fresh)
    for episode, scores in zip(fresh, together, strict=True):
        np.testing.assert_array_equal(fitted.score([episode])[0], scores)
    for t in (0, 7):
        state, now = fitted.update(fitted.start(len(fresh)), step_of(fresh, t))
        assert state is None
        np.testing.assert_array_equal(now, [scores[t] for scores in together])


def test_the_batch_size_changes_only_rounding(fitted, fresh, monkeypatch):
    expected = fitted.score(fresh)
    monkeypatch.setitem(feature_detector.BATCH_SIZE, "cpu", 7)
    for scores, again in zip(expected, fitted.score(fresh), strict=True):
        np.testing.assert_allclose(again, scores, rtol=1e-4, atol=1e-5)


def test_scoring_changes_nothing(fitted, fresh):
    before, given = fitted.state_dict(), [copy.deepcopy(episode) for episode in fresh]
    first = fitted.score(fresh)
    fitted.update(None, step_of(fresh, 0))
    np.testing.assert_equal(fitted.state_dict(), before)
    assert given == fresh
    for scores, again in zip(first, fitted.score(fresh), strict=True):
        np.testing.assert_array_equal(scores, again)
        assert scores.dtype == np.float64


def test_scores_depend_on_the_seed(build, nominal, fresh):
    torch.manual_seed(3)
    first, again, other = (build(max_updates=2).fit(nominal[:4], seed=seed).score(fresh)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_fit_does_not_change_the_global_generator(build, nominal):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    build(max_updates=1).fit(nominal[:2])
    assert torch.equal(torch.rand(3), expected)


def test_the_untrained_twin_has_the_weights_that_training_starts_from(build, fitted, nominal):
    start = fitted.untrained().fit(nominal[:4], seed=3)
    stuck = build(max_updates=1, learning_rate=1e-12).fit(nominal[:4], seed=3)
    assert start.curve_.shape == (0,)
    assert start.backbone_name == "random encoder"
    for name, values in start.state_dict().items():
        if name.startswith("network."):
            np.testing.assert_allclose(stuck.state_dict()[name], values, rtol=1e-5, atol=1e-6)
    assert not np.allclose(fitted.state_dict()["network.pool.weight"], start.state_dict()["network.pool.weight"])


@pytest.mark.parametrize("name", ["KNN-ResNet", "CLIP-Sim", "DINO-Patch", "Feature-Mahalanobis"])
def test_the_backbone_name_is_that_of_the_parameters(name):
    detector = make_detector(name)
    assert detector.backbone_name == detector.get_params()["backbone"] == "encoder"  # type: ignore[attr-defined]
    assert make_detector(name, backbone="dino_vits16").backbone_name == "dino_vits16"  # type: ignore[attr-defined]


def test_it_can_be_saved(fitted, fresh, tmp_path):
    card = save_detector(tmp_path / "detector", fitted)
    assert card.parameters == json.loads(json.dumps(fitted.get_params()))
    loaded = load_detector(tmp_path / "detector")
    for scores, restored in zip(fitted.score(fresh), loaded.score(fresh), strict=True):
        np.testing.assert_array_equal(restored, scores)
    np.testing.assert_equal(loaded.state_dict(), fitted.state_dict())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).score(fresh)[0], fitted.score(fresh)[0])


def test_arrays_of_another_detector_are_refused(build, fitted):
    state = fitted.state_dict()
    for missing in ("precision" if "precision" in state else "bank", "shape", "network.pool.weight"):
        detector = build()
        with pytest.raises(DamagedFile, match=f"{missing} is missing|missing or unknown are"):
            detector.load_state_dict({name: array for name, array in state.items() if name != missing})
        assert not detector.fitted


def test_the_distribution_is_that_of_the_nominal_features(nominal, fresh):
    from sklearn.covariance import LedoitWolf

    def colours(images):
        return torch.cat([images.mean(dim=(2, 3)), images.amax(dim=(2, 3))[:, :1]], dim=1)

    detector = FeatureMahalanobis(backbone=colours, device="cpu").fit(nominal)
    rows = [
        colours(torch.from_numpy(each.observations[1:].astype(np.float32) / 255.0)).numpy()
        for each in [*nominal, *fresh]
    ]
    known = np.concatenate(rows[: len(nominal)]).astype(np.float64)
    deviation = known.std(axis=0)
    deviation[deviation <= 1e-6] = 1.0
    gaussian = LedoitWolf().fit((known - known.mean(axis=0)) / deviation)
    for scores, part in zip(detector.score(fresh), rows[len(nominal) :], strict=True):
        expected = gaussian.mahalanobis((part.astype(np.float64) - known.mean(axis=0)) / deviation)
        np.testing.assert_allclose(scores, np.sqrt(expected), rtol=1e-3)
    assert len(FeatureMahalanobis(bank_size=30, n_epochs=0, device="cpu").fit(nominal).gaussian_.mean_) == 256


def test_a_distribution_of_other_features_is_refused(nominal):
    detector = FeatureMahalanobis(n_epochs=0, device="cpu").fit(nominal)
    state = detector.state_dict()
    with pytest.raises(DamagedFile, match="the distribution has vectors of width 255; random encoder has width 256"):
        FeatureMahalanobis(n_epochs=0, device="cpu").load_state_dict(
            state | {"mean": state["mean"][1:], "precision": state["precision"][1:, 1:]}
        )


def test_the_bank_has_a_maximal_size(nominal):
    assert len(DINOPatch(n_epochs=0, bank_size=30, device="cpu").fit(nominal).bank_) == 30
    assert len(KNNResNet(n_epochs=0, bank_size=40, device="cpu").fit(nominal).bank_) == 40
    assert len(CLIPSim(n_epochs=0, coreset_fraction=0.1, device="cpu").fit(nominal).bank_) == 12


def test_the_kth_neighbour_and_the_mean_of_k(nominal, fresh):
    nearest, third, mean = (
        KNNResNet(n_epochs=0, device="cpu", **more).fit(nominal).score(fresh)[0]
        for more in ({}, {"n_neighbors": 3}, {"n_neighbors": 3, "reduce": "mean"})
    )
    assert (nearest <= mean).all()
    assert (mean <= third).all()
    assert (nearest < third).any()


def test_the_score_is_the_largest_patch_distance():
    tokens = torch.tensor([[[0.0], [1.0]], [[5.0], [1.0]]])
    detector = DINOPatch(device="cpu")
    detector.bank_ = feature_detector.FeatureBank(torch.tensor([[0.0], [1.0]]))  # type: ignore[attr-defined]
    np.testing.assert_allclose(detector._anomaly_scores(tokens), [0.0, 4.0])


def mean_colour(images):
    return images.mean(dim=(2, 3))


def test_a_function_can_be_the_backbone(nominal, fresh, recoloured, tmp_path):
    detector = KNNResNet(backbone=mean_colour, normalise=False, device="cpu").fit(nominal)
    assert detector.backbone_name == "mean_colour"
    assert detector.bank_.rows.shape[1] == 3
    assert separation(detector, fresh, recoloured) > 0.9
    with pytest.raises(InvalidParameter, match="mean_colour"):
        save_detector(tmp_path / "detector", detector)
    with pytest.raises(InvalidParameter, match="no patches"):
        DINOPatch(backbone=mean_colour, device="cpu").fit(nominal)
    with pytest.raises(InvalidParameter, match=r"\(1,\)"):
        KNNResNet(backbone=lambda images: images.mean(dim=(1, 2, 3)), device="cpu").fit(nominal)


def test_a_function_with_feature_maps_has_patches(nominal, fresh, recoloured):
    detector = DINOPatch(backbone=torch.nn.AvgPool2d(4), device="cpu").fit(nominal)
    assert separation(detector, fresh, recoloured) > 0.9


def test_invalid_input_raises_a_named_error(build, fitted, fresh):
    with pytest.raises(NotFitted):
        build().score(fresh)
    with pytest.raises(NotFitted):
        build().state_dict()
    episode = fresh[0]
    vector = Episode(np.zeros((6, 4)), np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
    for given in (
        vector,
        replace(episode, observations=episode.observations / 255.0),
        replace(episode, observations=np.moveaxis(episode.observations, 1, -1)),
    ):
        with pytest.raises(InvalidParameter, match="expects images"):
            fitted.score([given])
        with pytest.raises(InvalidParameter, match="expects images"):
            build().fit([given])
    flat = replace(episode, observations=episode.observations.reshape(len(episode) + 1, 3, 16, 64))
    with pytest.raises(InvalidParameter, match=r"\(3, 16, 64\)"):
        fitted.score([flat])
    with pytest.raises(InvalidParameter, match="episode 1"):
        build(n_epochs=0).fit([episode, flat])
    with pytest.raises(InvalidParameter, match="actions of width"):
        fitted.score([replace(episode, actions=np.zeros((len(episode), 2)))])


@pytest.mark.parametrize(
    ("detector", "wrong", "error"),
    [
        (KNNResNet, {"backbone": "resnet19"}, UnknownName),
        (KNNResNet, {"backbone": 3}, InvalidParameter),
        (KNNResNet, {"backbone": "timm:"}, InvalidParameter),
        (KNNResNet, {"n_neighbors": 0}, InvalidParameter),
        (KNNResNet, {"reduce": "median"}, InvalidParameter),
        (CLIPSim, {"bank_size": 0}, InvalidParameter),
        (CLIPSim, {"n_epochs": -1}, InvalidParameter),
        (CLIPSim, {"max_updates": 0}, InvalidParameter),
        (CLIPSim, {"learning_rate": 0.0}, InvalidParameter),
        (DINOPatch, {"coreset_fraction": 0.0}, InvalidParameter),
        (DINOPatch, {"coreset_fraction": 1.5}, InvalidParameter),
    ],
)
def test_an_invalid_parameter_is_named(detector, wrong, error):
    with pytest.raises(error, match=next(iter(wrong))):
        detector(**wrong)


def test_more_neighbours_than_vectors_raise_an_error(nominal):
    with pytest.raises(InvalidParameter, match="n_neighbors is 500"):
        KNNResNet(n_neighbors=500, n_epochs=0, device="cpu").fit(nominal)


WITHOUT_TORCH = """
import sys
import offnominal.detectors.images as features
assert "torch" not in sys.modules, "at import"
sys.modules["torch"] = None
from offnominal.core.errors import MissingDependency
for name in features.__all__:
    try:
        getattr(features, name)
    except MissingDependency as error:
        assert "pip install" in str(error)
    else:
        raise AssertionError(name)
"""


def test_without_torch_the_import_works_and_use_raises_a_hint():
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH], check=True)
