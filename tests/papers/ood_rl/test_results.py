"""Outcomes, from rows made up."""

import numpy as np
import pyarrow as pa
import pytest

from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG

pytestmark = pytest.mark.long

AUCS = {(0, 0): 0.6, (0, 1): 0.8, (1, 0): 0.9, (1, 1): 0.9}
"""By agent and trial."""


def row(world, agent, trial, *, anomaly="dynamics/gravity", value, returns=100.0, auc=0.5):
    about = {"key": "5f", "world": world, "policy": "ensemble", "name": "Uncertainty", "anomaly": anomaly}
    numbers = {"value": value, "seed": agent, "trial": trial, "threshold": 0.1, "episodes": 20, "length": 99.0}
    returns = {"return_mean": returns, "return_square": returns**2 + 4.0}
    nominal = {"nominal_return_mean": -150.0, "nominal_return_square": 150.0**2 + 100.0}
    return about | numbers | dict.fromkeys(SEPARATION_METRICS, auc) | returns | nominal


def outcomes_of(rows):
    return OODResults.of(pa.Table.from_pylist(rows))


def test_both_variances_are_told_apart():
    rows = [row(CARTPOLE, *place, value=98.0, auc=auc) for place, auc in AUCS.items()]
    (detections,) = outcomes_of(rows).detections
    assert detections.label == "Ensemble"
    assert detections.mean("auc") == pytest.approx([0.8])
    within = np.mean([np.var([0.6, 0.8], ddof=1), 0.0])
    assert detections.between_evaluations("auc") == pytest.approx([np.sqrt(within)])
    assert detections.between_agents("auc") == pytest.approx([np.sqrt(np.var([0.7, 0.9], ddof=1) - within / 2)])


def test_agents_that_differ_no_more_than_trials_do_not_differ():
    rows = [row(CARTPOLE, agent, trial, value=98.0, auc=0.6 + 0.2 * trial) for agent in (0, 1) for trial in (0, 1)]
    assert outcomes_of(rows).detections[0].between_agents("auc") == [0.0]


def test_an_agent_that_fails_in_the_unmodified_world_does_not_count():
    rows = [row(CARTPOLE, agent, 0, value=98.0, returns=returns) for agent, returns in enumerate((200.0, 100.0, 100.0))]
    for made, nominal in zip(rows, (200.0, 190.0, 190.0), strict=True):
        made |= {"nominal_return_mean": nominal, "nominal_return_square": nominal**2}
    (returns,) = outcomes_of(rows).returns
    assert (returns.failed.tolist(), returns.mostly_failed.tolist()) == ([[False, True, True]], [False])
    (alone,) = outcomes_of(rows[1:]).returns
    assert alone.mostly_failed.tolist() == [True]


def test_a_game_of_pong_is_failed_below_a_lead_of_15():
    rows = [
        row(PONG, 0, 0, anomaly="camera/pixelate", value=value, returns=returns)
        for value, returns in ((1.0, 15.0), (5.0, 14.8))
    ]
    assert outcomes_of(rows).returns[0].mostly_failed.tolist() == [False, True]


def test_a_cart_pole_fails_below_195_and_a_pendulum_far_below_its_own():
    rows = [row(CARTPOLE, 0, 0, value=value, returns=returns) for value, returns in ((98.0, 194.0), (0.98, 196.0))]
    rows += [row(PENDULUM, 0, 0, value=value, returns=returns) for value, returns in ((20.0, -175.0), (50.0, -185.0))]
    pole, pendulum = outcomes_of(rows).returns
    assert dict(zip((each.parameter for each in pole.settings), pole.mostly_failed, strict=True)) == {
        0.98: False,
        98.0: True,
    }
    assert pendulum.limit == pytest.approx([-150.0 - 3.0 * 10.0 * np.sqrt(20 / 19)])
    assert pendulum.mostly_failed.tolist() == [False, True]


def test_the_interval_of_a_return_knows_all_its_episodes():
    rows = [row(CARTPOLE, 0, trial, value=98.0) for trial in (0, 1)]
    assert outcomes_of(rows).returns[0].half == pytest.approx(1.96 * np.sqrt(4.0 / 39))
