"""Worlds with a compiled kernel step the same way whatever the layout of the actions is."""

import sys

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from numba.core.dispatcher import Dispatcher

from offnominal.core.errors import InvalidParameter
from offnominal.worlds import make_world

pytestmark = pytest.mark.long

WORLDS = ("OOD-CartPole-v0", "OOD-Pendulum-v0", "MJC-CartpoleSwingup-v0", "SAP-Goal1-v0", "CAR-LaneKeep-v0")
N, STEPS = 3, 4


def started(id, n=N):
    world = make_world(id, n)
    world.reset(np.arange(n), seeds=np.arange(5, 5 + n), episodes=np.zeros(n, np.int64))
    return world


def drawn(world, n=N):
    generator = np.random.default_rng(0)
    if isinstance(world.action_space, Discrete):
        return generator.integers(0, world.action_space.n, (STEPS, n))
    return generator.uniform(-1.0, 1.0, (STEPS, n, *world.action_space.shape))


def strided(actions):
    wide = np.repeat(actions, 2, axis=0)
    return wide[::2]


def read_only(actions):
    fixed = actions.copy()
    fixed.flags.writeable = False
    return fixed


def versions_of_machine_code():
    """Return how many argument types the kernels of all worlds are compiled for."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("offnominal.worlds.")]
    found = {id(each): each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)}
    return sum(len(each.overloads) for each in found.values())


LAYOUTS = {"strided": strided, "read-only": read_only, "Fortran": np.asfortranarray}


@pytest.mark.parametrize("id", WORLDS)
@pytest.mark.parametrize("layout", ["strided", "read-only", "Fortran"])
def test_actions_of_any_layout_give_the_same_observations(id, layout):
    usual, other = started(id), started(id)
    for actions in drawn(usual):
        usual.step(actions)
        before = versions_of_machine_code()
        other.step(LAYOUTS[layout](actions))
        assert versions_of_machine_code() == before
        np.testing.assert_array_equal(usual.observations, other.observations)
        np.testing.assert_array_equal(usual.rewards, other.rewards)


@pytest.mark.parametrize("id", WORLDS)
def test_only_the_named_rows_are_stepped(id):
    world, alone = started(id), started(id)
    for actions in drawn(world):
        world.step(actions)
        alone.step(actions)
    before = alone.observations.copy()
    actions = drawn(world)[0]
    world.step(actions)
    alone.step(actions, np.array([0, 2]))
    np.testing.assert_array_equal(alone.observations[[0, 2]], world.observations[[0, 2]])
    np.testing.assert_array_equal(alone.observations[1], before[1])


@pytest.mark.parametrize("id", ["SAP-Goal1-v0", "MJC-CartpoleSwingup-v0", "CAR-LaneKeep-v0"])
def test_actions_of_another_shape_are_refused_before_and_after_the_first_step(id):
    world = started(id)
    actions = drawn(world)[0]
    for wrong in (actions[:, 0], actions[:2], np.zeros((3, actions.shape[1] + 1)), actions[:, 0], actions[:2]):
        with pytest.raises(InvalidParameter, match=r"actions has shape .*; expected \(3, \d\)"):
            world.step(wrong)
        world.step(actions)


@pytest.mark.parametrize("rows", [[3], [-1], [0, 1 << 40]])
def test_rows_that_do_not_exist_are_refused(rows):
    """Compiled code would write beyond the arrays."""
    world = started("SAP-Goal1-v0")
    with pytest.raises(InvalidParameter, match="expected indices from 0 to 2"):
        world.step(drawn(world)[0], np.array(rows))


@pytest.mark.parametrize("id", ["SAP-Goal1-v0", "CAR-LaneKeep-v0"])
def test_actions_of_another_type_are_not_read_as_what_they_are_not(id):
    usual, other = started(id), started(id)
    for actions in drawn(usual).astype(np.float32):
        usual.step(actions.astype(np.float64))
        other.step(actions)
        np.testing.assert_allclose(usual.observations, other.observations, rtol=1e-4, atol=1e-5)
