"""Simulations in other processes do what they would do here."""

import numpy as np
import pytest

from offnominal.agents.training.simulations import SubprocessSimulations, SyncSimulations, make_simulations
from offnominal.core.errors import InvalidState
from offnominal.worlds import make_world

pytestmark = pytest.mark.long

WORLD = "OOD-CartPole-v0"


def test_processes_change_nothing_and_an_error_in_one_of_them_is_raised():
    alone, crowd = SyncSimulations(WORLD, 5), SubprocessSimulations(WORLD, 5, 2, make_world(WORLD, 1))
    try:
        np.testing.assert_array_equal(crowd.reset(7), alone.reset(7))
        generator = np.random.default_rng(0)
        for _ in range(40):
            actions = generator.integers(0, 2, 5)
            for each in (crowd, alone):
                each.send(actions)
            for theirs, ours in zip(crowd.receive(), alone.receive(), strict=True):
                np.testing.assert_array_equal(theirs, ours)
        crowd.send(np.full(5, 9))
        with pytest.raises(InvalidState, match="simulations 0 to 1 stopped: InvalidAction"):
            crowd.receive()
    finally:
        crowd.close()


def test_options_of_a_world_reach_every_process():
    pytest.importorskip("ale_py")
    world = "OOD-Pong-v0"
    crowd = make_simulations(world, 2, 2, noops=30)
    seen = crowd.reset(0)
    crowd.close()
    np.testing.assert_array_equal(seen, make_simulations(world, 2, 0, noops=30).reset(0))
    assert (seen != make_simulations(world, 2, 0).reset(0)).any()


def test_worlds_of_numbers_need_no_processes():
    assert isinstance(make_simulations(WORLD, 3), SyncSimulations)
