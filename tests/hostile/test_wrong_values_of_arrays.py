"""Arrays of a wrong shape, and sizes below zero, are named before they reach compiled code."""

from collections.abc import Callable

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

import offnominal as off
from offnominal.agents import EnergyPump, FunctionPolicy, Gait, NetworkPolicy, PoleBalance, RandomPolicy, SwingUp
from offnominal.agents.uncertainty import DenseNetworks
from offnominal.alarms import EpisodeEwma, Maximum, TimeBand, simulate_scores
from offnominal.anomalies import Blur, CameraDelay, FaultContext, Pixelate
from offnominal.core import Stream, stream_keys
from offnominal.core.errors import InvalidParameter, InvalidScores, InvalidState, OffnominalError
from offnominal.datasets.scenes import DrivingScene
from offnominal.detectors import IsolationForest
from offnominal.evaluation import Estimate, estimate_cumulative_incidence
from offnominal.evaluation.resampling_units import block_bounds
from offnominal.evaluation.scenes import collect_scores
from offnominal.evaluation.scenes.as_published import measure_as_published

FLAT = np.zeros((3, 2))
FRAME = np.zeros((4, 5, 3), np.uint8)


def context() -> FaultContext:
    return FaultContext(0, 0, 0, Stream.named(0, 0, "anomaly"), {})


@pytest.mark.parametrize(
    "call",
    [
        lambda: stream_keys(np.arange(2), np.zeros(3, np.int64), "reset"),
        lambda: Stream.named(0, 0, "anomaly").normal(-1),
        lambda: EnergyPump().act(FLAT, None),
        lambda: Gait().act(FLAT, None),
        lambda: PoleBalance().act(FLAT, None),
        lambda: SwingUp().act(FLAT, None),
        lambda: RandomPolicy(Discrete(3)).act(np.array(1.0), None),
        lambda: FunctionPolicy(np.asarray).act(np.array(1.0), None),
        lambda: NetworkPolicy.random(-1, Box(-1, 1, (2,))),
        lambda: DenseNetworks.random((4, 2), members=0),
        lambda: DenseNetworks.of_layers([]),
        lambda: Blur().perturb(FLAT.astype(np.uint8), 1.0, context()),
        lambda: Pixelate().corrupt(FLAT.astype(np.uint8), 0.5, context()),
        lambda: EpisodeEwma().fit(simulate_scores(100, seed=0)).run_statistic(np.zeros(3)),
        lambda: Estimate.of(np.array(1.0)),
        lambda: estimate_cumulative_incidence(np.array([1, 2]), np.array([3]), np.array([True])),
        lambda: block_bounds(np.array([0, 10]), 0),
        lambda: off.calibrate("SAP-Goal0-v0", anomalies=["action/delay"], levels=[0.75], budget=0),
    ],
)
def test_a_wrong_shape_or_size_is_a_named_error(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter):
        call()


def test_a_delayed_camera_needs_the_first_image() -> None:
    with pytest.raises(InvalidState, match="call observe with its first image"):
        CameraDelay().perturb(FRAME, 2.0, context())


@pytest.mark.parametrize("alarm", [Maximum().fit_threshold, TimeBand().fit_statistic])
def test_a_threshold_needs_an_episode(alarm: Callable[[list[object]], None]) -> None:
    with pytest.raises(InvalidScores, match="no episode was given"):
        alarm([])


def test_faults_are_given_for_every_row() -> None:
    from offnominal.anomalies import InjectedVectorEnv

    with pytest.raises(OffnominalError, match="there are faults for 1 rows; the environment has 2"):
        InjectedVectorEnv(off.make_vec("SAP-Goal0-v0", 2), [()])


def test_a_function_that_returns_no_scores_is_named() -> None:
    with pytest.raises(InvalidScores, match="the score function returned None"):
        collect_scores(lambda frames: None, [object.__new__(DrivingScene)])


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [(np.zeros((3, 1)), [5]), (np.zeros((1, 2, 3)), [5]), (np.zeros((3, 2)), [6]), (np.zeros((3, 2)), [3, 0])],
)
def test_a_forest_walks_only_its_own_columns_and_trees(rows: np.ndarray, numbers: list[int]) -> None:
    forest = IsolationForest(n_estimators=5).fit(np.random.default_rng(0).normal(size=(40, 2)), seed=1)
    with pytest.raises(InvalidParameter):
        forest.staged_scores(rows, np.array(numbers))


@pytest.mark.parametrize("broken", [0, 1])
def test_published_metrics_of_a_score_that_is_no_number_end(broken: int) -> None:
    scores = [np.array([0.5, 0.6]), np.array([0.1, 0.2])]
    scores[broken][0] = np.nan
    with pytest.raises(InvalidScores, match="not a number"):
        measure_as_published(*scores)
