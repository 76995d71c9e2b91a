"""Explanations: contributions of channels to scores."""

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.detectors import MAX_SCORE, make_detector, on_transitions
from offnominal.detectors.rows import HBOS, KNN, Mahalanobis

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
SMALL = {"n_epochs": 1, "device": "cpu"}
DEEP = {"max_iter": 20, "hidden": 8, "latent": 2, "device": "cpu"}
EXACT = {
    "Mahalanobis": {"view": "transition"},
    "HBOS": {"view": "window", "window_length": 2},
    "KNN": {"n_neighbors": 2},
    "Neighbours": {"distance": "gamma"},
    "MLP-DM": {"hidden": (8,), **SMALL},
    "PE-DM": {"hidden": (8,), "n_members": 3, **SMALL},
    "LSTM-DM": {"recurrent_size": 8, "hidden": 8, **SMALL},
    "RIQN": {"recurrent_size": 8, "n_cosines": 8, **SMALL},
    "VAE": {"n_samples": 5, **DEEP},
    "WAE": {"score_name": "mean", "variance": "constant", **DEEP},
    "AAE": {"score_name": "mean", "variance": "scalar", **DEEP},
    "AdVAE": {"n_samples": 5, **DEEP},
}
NETWORKS = {"MLP-DM", "PE-DM", "LSTM-DM", "RIQN", "VAE", "WAE", "AAE", "AdVAE"}


@pytest.fixture(scope="module")
def nominal():
    return off.collect(WORLD, off.expert(WORLD), 8)


@pytest.fixture(scope="module")
def faulty():
    fault = off.Fault("observation/offset", 5.0, schedule=4, channels=[7])
    return off.collect(WORLD, off.expert(WORLD), 1, faults=fault, seed=70)[0]


def fitted(name, nominal, **parameters):
    if name in NETWORKS:
        pytest.importorskip("torch", reason="torch is not installed")
    return make_detector(name, **parameters).fit(nominal)


@pytest.mark.parametrize(("name", "parameters"), list(EXACT.items()), ids=str)
def test_contributions_add_up_to_the_score(name, parameters, nominal, faulty):
    detector = fitted(name, nominal, **parameters)
    found = detector.explain(faulty)
    assert found.exact
    assert found.contributions.shape == (len(faulty), 28)
    assert found.scores == pytest.approx(detector.score([faulty])[0], rel=0)
    assert found.contributions.sum(axis=1) == pytest.approx(found.scores, rel=1e-5)


@pytest.mark.parametrize("aggregation", ["min", "mean"])
def test_other_scores_of_ensembles_add_up_too(aggregation, nominal, faulty):
    found = fitted("PE-DM", nominal, hidden=(8,), n_members=2, aggregation=aggregation, **SMALL).explain(faulty)
    assert found.contributions.sum(axis=1) == pytest.approx(found.scores, rel=1e-6)


def test_distance_to_the_mean_of_neighbours_adds_up(nominal, faulty):
    found = on_transitions(KNN(3, distance="delta")).fit(nominal).explain(faulty)
    assert found.contributions.sum(axis=1) == pytest.approx(found.scores, rel=1e-9)


@pytest.mark.parametrize("method", ["occlusion", "shapley"])
def test_any_detector_is_explained_by_replaced_channels(method, nominal, faulty):
    detector = make_detector("IsolationForest", n_estimators=20).fit(nominal)
    before = {name: values.copy() for name, values in detector.state_dict().items()}
    found = detector.explain(faulty, method=method)
    assert not found.exact
    assert found.method == method
    assert found == detector.explain(faulty, method=method)
    assert all(np.array_equal(before[name], values) for name, values in detector.state_dict().items())
    if method == "shapley":
        assert found.contributions.sum(axis=1) + found.baseline == pytest.approx(found.scores)
    # The rows of this detector are observations, so actions contribute nothing.
    assert not found.contributions[:, 26:].any()


@pytest.mark.parametrize("method", ["occlusion", "shapley"])
def test_replaced_channels_find_the_faulty_one(method):
    rows = np.random.default_rng(0).normal(size=(9, 40, 4))
    rows[-1, 20:, 2] += 6.0
    *known, shifted = (off.Episode(each, np.zeros((39, 1)), np.zeros(39), np.zeros(39, bool)) for each in rows)
    found = make_detector("LOF").fit(known).explain(shifted, method=method)
    assert found.top(1)[0].channel == "observation 2"
    assert found.contributions[20:].mean(axis=0).argmax() == 2
    assert found.contributions[:15, 2].mean() < 0.1 * found.contributions[20:, 2].mean()


def test_the_faulty_channel_has_the_largest_contribution(nominal, faulty):
    found = on_transitions(Mahalanobis()).fit(nominal).explain(faulty)
    assert found.top(1)[0].channel == "observation 7"
    assert sum(each.share for each in found.top(28)) == pytest.approx(1.0)
    assert "observation 7" in repr(found)
    assert found.table(2).splitlines()[1].startswith("observation 7")
    with pytest.raises(InvalidParameter, match="n is 0"):
        found.top(0)


def test_an_invalid_channel_has_the_largest_score_alone(nominal, faulty):
    observations = faulty.observations.copy()
    observations[5, [1, 2]] = np.nan
    broken = off.Episode(observations, faulty.actions, faulty.rewards, faulty.active)
    for method in ("auto", "occlusion"):
        found = on_transitions(HBOS()).fit(nominal).explain(broken, method=method)
        assert np.isfinite(found.contributions).all()
        assert found.contributions[4:6, [1, 2]].tolist() == [[MAX_SCORE / 2, MAX_SCORE / 2]] * 2
        assert found.contributions[4:6].sum(axis=1).tolist() == [MAX_SCORE] * 2


def test_a_score_that_overflows_is_shared_by_its_channels(nominal, faulty):
    observations = faulty.observations.astype(np.float64)
    observations[5, 7] = 1e29
    huge = off.Episode(observations, faulty.actions, faulty.rewards, faulty.active)
    detector = on_transitions(Mahalanobis()).fit(nominal)
    vars(detector.row_detector)["precision_"] *= 1e9
    found = detector.explain(huge)
    assert found.scores[4] == MAX_SCORE
    assert found.contributions[4].argmax() == 7
    assert found.contributions[4].sum() == pytest.approx(MAX_SCORE)


def test_channels_can_have_names(nominal, faulty):
    detector = on_transitions(HBOS()).fit(nominal)
    names = [f"sensor {number}" for number in range(28)]
    assert detector.explain(faulty, names=names).channels == tuple(names)
    for wrong, message in (
        (names[:3], "3 names for 28 channels"),
        ("abc", "expected a list"),
        ([1], "expected a list"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            detector.explain(faulty, names=wrong)


def test_invalid_input_is_named(nominal, faulty):
    detector = on_transitions(HBOS()).fit(nominal)
    with pytest.raises(InvalidParameter, match="expected one Episode"):
        detector.explain([faulty])
    with pytest.raises(InvalidParameter, match="method"):
        detector.explain(faulty, method="guess")
    with pytest.raises(NotFitted):
        on_transitions(HBOS()).explain(faulty)


def test_images_have_no_channels_to_explain():
    pytest.importorskip("torch", reason="torch is not installed")
    frames = np.random.default_rng(0).integers(0, 255, (5, 3, 32, 32), np.uint8)
    episode = off.Episode(frames, np.zeros((4, 2)), np.zeros(4), np.zeros(4, bool))
    detector = make_detector("LDM", n_epochs=0, device="cpu").fit([episode, episode])
    with pytest.raises(InvalidParameter, match="LDM scores images"):
        detector.explain(episode)


def test_the_figure_has_scores_and_channels(nominal, faulty):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    figure = on_transitions(HBOS()).fit(nominal).explain(faulty).plot()
    scores, channels = figure.axes[:2]
    assert scores.get_ylabel() == "anomaly score"
    assert len(channels.get_yticks()) == 12
