"""Row detectors and estimators of other packages on episodes."""

import numpy as np
import pytest
from sklearn.covariance import EllipticEnvelope
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import LocalOutlierFactor

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, ModuleNotAllowed, UnsupportedEstimator
from offnominal.detectors import (
    KNN,
    OnTransitions,
    Step,
    View,
    load_detector,
    make_detector,
    on_transitions,
    save_detector,
)
from offnominal.detectors.catalogue import detectors, name_of
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.rows import IsolationForest, RowDetector


def test_score_t_belongs_to_transition_t(nominal):
    detector = make_detector("KNN").fit(nominal)
    episode = nominal[0]
    rows = np.concatenate([each.observations[1:] for each in nominal])
    expected = Normaliser.of(rows)(episode.observations[1:])
    strange = episode.observations.copy()
    strange[3] += 100.0
    from dataclasses import replace

    (scores,) = detector.score([replace(episode, observations=strange)])
    assert scores.argmax() == 2
    assert len(scores) == len(episode) == len(expected)


@pytest.mark.parametrize("name", ["KNN", "IsolationForest", "OneClassSVM", "Mahalanobis"])
def test_faulty_steps_have_higher_scores_than_nominal_ones(name, nominal, faulty):
    detector = make_detector(name).fit(nominal[:40])
    healthy = np.concatenate(detector.score(nominal[40:]))
    struck = np.concatenate([s[e.active] for s, e in zip(detector.score(faulty), faulty, strict=True)])
    assert np.median(struck) > np.quantile(healthy, 0.9)


def test_views_have_the_documented_columns(nominal):
    episode = nominal[0]
    after, before = episode.observations[1:], episode.observations[:-1]
    np.testing.assert_array_equal(View("next_observation").of_episodes([episode]), after)
    np.testing.assert_array_equal(
        View("transition").of_episodes([episode]), np.concatenate([before, episode.actions, after], axis=1)
    )
    window = View("window", 3).of_episodes([episode])
    np.testing.assert_array_equal(window[0], np.concatenate([after[0]] * 3))
    np.testing.assert_array_equal(window[1], np.concatenate([after[0], after[0], after[1]]))
    np.testing.assert_array_equal(window[5], np.concatenate([after[3], after[4], after[5]]))


@pytest.mark.parametrize("view", ["next_observation", "transition", "window"])
def test_online_scores_equal_batch_scores(view, nominal, restless):
    detector = on_transitions(KNN(), view=view, window_length=4).fit(nominal)
    state = detector.start(len(restless))
    length = min(map(len, restless))
    batch = detector.score(restless)
    for t in range(length):
        step = Step(
            np.stack([e.observations[t] for e in restless]),
            np.stack([e.actions[t] for e in restless]),
            np.stack([e.observations[t + 1] for e in restless]),
        )
        state, scores = detector.update(state, step)
        np.testing.assert_array_equal(scores, [each[t] for each in batch])


def test_a_constant_channel_keeps_its_unit():
    rows = np.array([[1.0, 5.0], [3.0, 5.0]])
    normaliser = Normaliser.of(rows)
    np.testing.assert_allclose(normaliser(np.array([[2.0, 5.5]])), [[0.0, 0.5]])
    tiny = Normaliser.of(np.array([[1e9], [1e9 + 1e-3]]))
    assert tiny.scale[0] == 1.0


@pytest.mark.parametrize("estimator", [LocalOutlierFactor(novelty=True), EllipticEnvelope(random_state=0)])
def test_estimators_of_scikit_learn_become_detectors(estimator, nominal, faulty):
    detector = on_transitions(estimator).fit(nominal, seed=3)
    assert not hasattr(estimator, "offset_")
    healthy = np.concatenate(detector.score(nominal))
    struck = np.concatenate([s[e.active] for s, e in zip(detector.score(faulty), faulty, strict=True)])
    assert np.median(struck) > np.median(healthy)


class Ranked:
    """An estimator whose scores are ranks within the batch."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y=None):
        return self

    def decision_function(self, X):
        return np.argsort(np.argsort(X[:, 0])).astype(float)


class Pairs(Ranked):
    """An estimator that cannot score one row."""

    def decision_function(self, X):
        if len(X) < 2:
            raise IndexError("too few rows")
        return X[:, 0]


class Infinite(Ranked):
    """An estimator to which everything is infinitely strange."""

    def decision_function(self, X):
        return np.full(len(X), -np.inf)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (Ranked(), "must not depend on the rest of the batch"),
        (Pairs(), "cannot score a single row .IndexError"),
        (Infinite(), "scores such as inf"),
        (LinearRegression(), "give an outlier estimator"),
        (LocalOutlierFactor(), "novelty=True"),
    ],
)
def test_estimators_that_cannot_be_used_online_are_refused(estimator, words, nominal):
    with pytest.raises(UnsupportedEstimator, match=words):
        on_transitions(estimator).fit(nominal)


def test_a_wrong_view_names_the_nearest():
    with pytest.raises(InvalidParameter, match="Did you mean 'transition'"):
        make_detector("KNN", view="transitions")


class Watching(RowDetector):
    """Remembers what it was given."""

    stops_early = True

    def fit(self, rows, y=None, *, validation=None, seed=0):
        self.given = rows, validation
        return super().fit(rows, validation=validation, seed=seed)

    def _fit(self, rows, seed):
        pass

    def _score(self, rows):
        return np.zeros(len(rows))

    def _state_dict(self):
        return {}

    def _load_state_dict(self, state):
        pass


def numbered(*numbers):
    """Episodes whose observations say which they are."""
    steps = [np.full((4, 1), float(number)) + 0.1 * np.arange(4)[:, None] for number in numbers]
    return [Episode(seen, np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool)) for seen in steps]


def shown(detector, rows):
    """Return which episodes rows are of."""
    raw = rows * detector.normaliser_.scale + detector.normaliser_.mean
    return [int(number) for number in np.floor(raw[:, 0] + 1e-9)]


def test_validation_episodes_are_passed_on():
    row_detector = Watching()
    detector = OnTransitions(row_detector).fit(numbered(*range(5)), validation=numbered(7, 8))
    rows, validation = row_detector.given
    assert set(shown(detector, rows)) == set(range(5))
    assert shown(detector, validation) == [7, 7, 7, 8, 8, 8]


def test_without_validation_whole_episodes_are_held_out():
    row_detector = Watching()
    detector = OnTransitions(row_detector).fit(numbered(*range(20)), seed=3)
    state, held = (shown(detector, rows) for rows in row_detector.given)
    assert len(set(held)) == 2
    assert not set(held) & set(state)
    assert {number: (state + held).count(number) for number in range(20)} == dict.fromkeys(range(20), 3)
    other = Watching()
    OnTransitions(other).fit(numbered(*range(20)), seed=4)
    assert set(shown(detector, other.given[1])) != set(held)


def test_a_single_episode_is_training_and_validation():
    row_detector = Watching()
    OnTransitions(row_detector).fit(numbered(1))
    np.testing.assert_array_equal(*row_detector.given)


def test_a_row_detector_without_early_stopping_trains_on_all_episodes(monkeypatch):
    monkeypatch.setattr(Watching, "stops_early", False)
    row_detector = Watching()
    detector = OnTransitions(row_detector).fit(numbered(*range(20)))
    assert set(shown(detector, row_detector.given[0])) == set(range(20))
    assert row_detector.given[1] is None


def test_a_registered_row_detector_takes_its_parameters_and_those_of_the_view():
    detector = make_detector("KNN", n_neighbors=3, view="window", window_length=4)
    assert detector.name == "KNN"
    assert detector.get_params() == {
        "n_neighbors": 3,
        "distance": "kappa",
        "algorithm": "kd_tree",
        "view": "window",
        "window_length": 4,
    }


def test_an_unknown_parameter_names_the_nearest():
    with pytest.raises(InvalidParameter, match=r"KNN has no parameter 'n_neighbours'\. Did you mean 'n_neighbors'"):
        make_detector("KNN", n_neighbours=3)


@pytest.mark.parametrize("target", ["os:system", "json:JSONDecoder", "offnominal.core.files:write_bytes"])
def test_only_row_detectors_of_registered_packages_are_made(target):
    with pytest.raises((ModuleNotAllowed, InvalidParameter)):
        make_detector("KNN", row_detector=target)


def test_ids_that_share_a_class_are_found_by_their_options():
    for id in ("KNN", "Neighbours", "IsolationForest", "SubspaceForest", "OneClassSVM", "KernelSVM"):
        assert name_of(make_detector(id)) == id
    assert name_of(on_transitions(IsolationForest(5, max_samples=0.5, backend="numba", bootstrap=False))) == (
        "SubspaceForest"
    )


def test_every_row_detector_is_registered_by_its_class():
    for spec in detectors:
        if "row_detector" in spec.options:
            assert detectors.parts(spec.id, {})[0].target == spec.options["row_detector"]


def test_a_row_detector_on_transitions_is_saved_and_loaded(nominal, tmp_path):
    detector = on_transitions(KNN(2, distance="gamma"), view="transition").fit(nominal[:5])
    save_detector(tmp_path / "knn", detector)
    loaded = load_detector(tmp_path / "knn")
    np.testing.assert_array_equal(loaded.score(nominal[:2])[1], detector.score(nominal[:2])[1])


def test_a_row_detector_that_is_given_episodes_says_how_to_use_it(nominal):
    with pytest.raises(InvalidParameter, match="on_transitions"):
        KNN().fit(nominal)


def test_constant_columns_have_the_scale_that_is_asked_for(nominal):
    constant = [
        Episode(np.pad(each.observations, ((0, 0), (0, 1))), each.actions, each.rewards, each.active)
        for each in nominal
    ]
    moved = Episode(constant[0].observations + 1e-3, constant[0].actions, constant[0].rewards, constant[0].active)
    usual, published = (make_detector("KNN", **each).fit(constant) for each in ({}, {"constant_scale": 1e-6}))
    assert usual.score([moved])[0].max() < 10.0 < published.score([moved])[0].min()
    assert (usual.get_params().get("constant_scale"), published.get_params()["constant_scale"]) == (None, 1e-6)
