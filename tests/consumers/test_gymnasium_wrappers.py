"""Gymnasium's own wrappers and vector tools accept our environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.wrappers import RecordEpisodeStatistics, RescaleAction
from gymnasium.wrappers.vector import DictInfoToList
from gymnasium.wrappers.vector import RecordEpisodeStatistics as VectorStatistics

import offnominal as off
from offnominal.worlds import worlds

pytestmark = pytest.mark.long


@pytest.mark.parametrize("id", [id for id in worlds.ids() if id != "OOD-Pong-v0"])  # thousands of steps long
def test_single_environments_take_wrappers(id: str) -> None:
    env = gymnasium.make(f"offnominal/{id}")
    env = RecordEpisodeStatistics(RescaleAction(env, -1.0, 1.0) if isinstance(env.action_space, Box) else env)
    env.reset(seed=0)
    env.action_space.seed(0)
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        over = terminated or truncated
    assert info["episode"]["l"] <= off.worlds.worlds.make(id, n=1).card.max_steps


def test_vector_environments_take_wrappers() -> None:
    envs = DictInfoToList(VectorStatistics(off.make_vec("SAP-Goal0-v0", 4, "action/offset", strength=0.5)))
    envs.reset(seed=0)
    envs.action_space.seed(0)
    ended = 0
    for _ in range(60):
        _, _, terminated, truncated, infos = envs.step(envs.action_space.sample())
        ended += int(np.sum(terminated | truncated))
        assert len(infos) == 4
        assert isinstance(infos[0]["active"], bool | np.bool_)
    assert ended >= 4


def test_a_vector_of_our_single_environments_equals_our_vector() -> None:
    sync = gymnasium.make_vec("offnominal/MJC-HalfCheetah-v0", num_envs=3, vectorization_mode="sync")
    native = gymnasium.make_vec("offnominal/MJC-HalfCheetah-v0", num_envs=3)
    first, second = sync.reset(seed=5)[0], native.reset(seed=5)[0]
    assert np.array_equal(first, second)
    sync.action_space.seed(0)
    for _ in range(30):
        actions = sync.action_space.sample()
        assert np.array_equal(sync.step(actions)[0], native.step(actions)[0])


def test_rendering_through_gymnasium() -> None:
    env = gymnasium.make("offnominal/MJC-Reacher3D-v0", render_mode="rgb_array", render_size=200)
    env.reset(seed=0)
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert frame.shape == (200, 200, 3)
    assert frame.dtype == np.uint8
    envs = gymnasium.make_vec("offnominal/SAP-Goal2-v0", num_envs=2, render_mode="rgb_array")
    envs.reset(seed=0)
    assert [each.shape for each in envs.render()] == [(480, 480, 3)] * 2
