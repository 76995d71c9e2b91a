"""The fusion averages ranks among nominal scores."""

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import InvalidParameter
from offnominal.detectors import KNN, load_detector, make_detector, on_transitions, save_detector
from offnominal.detectors.nominal_scores import NominalScores
from offnominal.detectors.policies import Fusion

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def nominal():
    return off.collect(WORLD, off.expert(WORLD), 25, max_steps=20)


@pytest.fixture(scope="module")
def faulty():
    return off.collect(WORLD, off.expert(WORLD), 3, faults=off.Fault("observation/offset", 0.5, 4), seed=500)


def test_ranks_increase_with_the_score_and_stay_below_one():
    nominal = np.sort(np.random.default_rng(0).normal(size=500))
    scores = np.sort(np.r_[np.random.default_rng(1).normal(size=300), 10.0, 100.0, 1e6])
    found = NominalScores(nominal).ranks(scores)
    assert (np.diff(found) >= 0.0).all()
    assert (np.diff(found[-3:]) > 0.0).all()
    assert found.min() >= 0.0
    assert found.max() < 1.0


def test_ranks_of_nominal_scores_are_uniform():
    draw = np.random.default_rng(0)
    scores = draw.normal(size=4000)
    found = NominalScores.of(draw.normal(size=2000)).ranks(scores)
    np.testing.assert_allclose(np.quantile(found, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.03)


def test_the_score_is_the_mean_of_the_ranks(nominal, faulty):
    fused = Fusion(("KNN", "Mahalanobis")).fit(nominal[:20], validation=nominal[20:])
    parts = []
    for name in ("KNN", "Mahalanobis"):
        detector = make_detector(name).fit(nominal[:20])
        border = NominalScores.of(np.concatenate(detector.score(nominal[20:])))
        parts.append(border.ranks(detector.score(faulty)[0]))
    np.testing.assert_allclose(fused.score(faulty)[0], np.mean(parts, axis=0), rtol=1e-12)


def test_without_validation_ranks_come_from_held_out_episodes(nominal):
    fused = Fusion(("KNN",)).fit(nominal)
    # A nearest neighbour among what was learned by heart would be at distance zero throughout.
    assert fused.nominal_[0].values.max() > 0.0


def test_one_episode_is_enough(nominal):
    assert np.isfinite(Fusion(("KNN",)).fit(nominal[:1]).score(nominal[1:2])[0]).all()


def test_one_detector_keeps_its_order(nominal, faulty):
    fused, alone = Fusion(("KNN",)).fit(nominal), make_detector("KNN")
    alone.fit([episode for number, episode in enumerate(nominal) if number % 5])
    order = np.argsort(alone.score(faulty)[0], kind="stable")
    assert (np.diff(fused.score(faulty)[0][order]) >= 0.0).all()


def test_parameters_are_saved(nominal, faulty, tmp_path):
    fused = Fusion((on_transitions(KNN(n_neighbors=3)), ("Mahalanobis", {"view": "transition"}))).fit(nominal)
    card = save_detector(tmp_path / "fused", fused)
    assert card.parameters["detectors"][0] == [
        "KNN",
        {"n_neighbors": 3, "distance": "kappa", "algorithm": "kd_tree", "view": "next_observation"},
    ]
    again = load_detector(tmp_path / "fused")
    np.testing.assert_array_equal(again.score(faulty)[0], fused.score(faulty)[0])


def test_rows_restart_independently(nominal, faulty):
    fused = Fusion(("Time", "KNN")).fit(nominal)
    state = fused.start(2)
    state = fused.restart(
        tuple(each + 5 if each is not None and not isinstance(each, tuple) else each for each in state), np.array([1])
    )
    assert state[0].tolist() == [5, 0]


@pytest.mark.parametrize("given", [(), "KNN"])
def test_an_empty_fusion_raises_an_error(given):
    with pytest.raises(InvalidParameter, match="at least one"):
        Fusion(given)
