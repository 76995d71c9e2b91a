"""Detectors of PyOD score transitions online and in a batch; unsuitable ones are refused."""

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.anomalies import Fault
from offnominal.core.errors import UnsupportedEstimator
from offnominal.detectors import Step, on_transitions
from offnominal.laws import check_detector
from offnominal.rollouts import collect

pytest.importorskip("pyod", reason="PyOD is not installed; `pip install pyod` to try its detectors")

from pyod.models.ecod import ECOD
from pyod.models.hbos import HBOS
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from pyod.models.pca import PCA

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def nominal():
    return collect(WORLD, expert(WORLD), 40)


@pytest.fixture(scope="module")
def faulty():
    return collect(WORLD, expert(WORLD), 10, faults=Fault("observation/offset", 1.0, 4), seed=500)


@pytest.mark.parametrize("make", [KNN, IForest, HBOS])
def test_its_detectors_detect_a_fault(make, nominal, faulty):
    detector = on_transitions(make()).fit(nominal)
    healthy = np.concatenate(detector.score(nominal))
    struck = np.concatenate([s[e.active] for s, e in zip(detector.score(faulty), faulty, strict=True)])
    assert np.median(struck) > np.quantile(healthy, 0.9)


@pytest.mark.parametrize("make", [KNN, IForest, HBOS])
@pytest.mark.parametrize("view", ["next_observation", "transition"])
def test_scores_are_its_own_online_and_in_a_batch(make, view, nominal, faulty):
    detector = on_transitions(make(), view=view).fit(nominal)
    (episode, *_), rows = faulty, detector.normaliser_(detector.view.of_episodes(faulty[:1]))
    (scores,) = detector.score([episode])
    np.testing.assert_allclose(scores, detector.row_detector.fitted_.decision_function(rows))  # type: ignore[attr-defined]
    state = detector.start()
    for t, score in enumerate(scores):
        step = Step(episode.observations[[t]], episode.actions[[t]], episode.observations[[t + 1]])
        state, online = detector.update(state, step)
        assert online[0] == pytest.approx(score)


def test_a_wrapped_detector_obeys_the_laws():
    check_detector(lambda: on_transitions(KNN())).raise_if_broken()


def test_scores_that_depend_on_the_batch_are_refused(nominal):
    with pytest.raises(UnsupportedEstimator, match="must not depend on the rest of the batch"):
        on_transitions(ECOD()).fit(nominal)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_infinite_scores_of_nominal_rows_are_refused(nominal):
    with pytest.raises(UnsupportedEstimator, match="scores such as inf"):
        on_transitions(PCA()).fit(nominal)
