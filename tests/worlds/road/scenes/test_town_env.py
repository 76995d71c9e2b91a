"""The town as a Gymnasium environment."""

import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import offnominal  # noqa: F401  registers the environments
from offnominal.core.errors import InvalidParameter, InvalidState, UnknownName
from offnominal.worlds.road.rigs import rig
from offnominal.worlds.road.scenarios import ContentAnomaly
from offnominal.worlds.road.scenes.town_env import SENSORS, TownEnv

pytestmark = pytest.mark.long

SMALL = replace(rig("mono"), width=60, height=40, channels=4, columns=60)
FEW = {"vehicles": 15, "pedestrians": 10}


def test_environment_passes_the_checker_of_gymnasium():
    env = gymnasium.make("offnominal/ROAD-Town-v0", rig=SMALL, sensors=SENSORS, render_mode="rgb_array", **FEW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not symmetric|.*normalized")
        check_env(env.unwrapped, skip_render_check=False)
    assert env.spec.max_episode_steps == 200
    assert set(env.observation_space) == {"state", *(f"top/{name}" for name in SENSORS)}


def test_autopilot_drives_without_a_crash_and_the_same_seed_gives_the_same_bytes():
    env = TownEnv("residential", autopilot=True, rig=SMALL, sensors=("rgb", "lidar"), **FEW)
    episodes = []
    for _ in range(2):
        observation, info = env.reset(seed=4)
        assert info["tick"] == 15
        parts, total = [], 0.0
        for _ in range(20):
            observation, reward, terminated, _, info = env.step(env.action_space.sample())
            assert not terminated
            total += reward
            parts.append({name: value.tobytes() for name, value in observation.items()})
        episodes.append(parts)
    assert episodes[0] == episodes[1]
    assert total > 8.0
    following, _ = env.reset()
    assert following["state"].tobytes() != env.reset(seed=4)[0]["state"].tobytes()


def test_full_throttle_ends_in_a_crash():
    env = TownEnv("small-town", **FEW)
    env.reset(seed=2)
    for _ in range(200):
        observation, reward, terminated, _, info = env.step(np.array((1.0, 0.4, 0.0), np.float32))
        if terminated:
            break
    assert info["crashed"]
    assert reward < -5.0
    assert observation["state"][0] > 1.0
    with pytest.raises(InvalidState, match="has ended"):
        env.step(np.zeros(3, np.float32))


def test_anomalies_are_options():
    env = TownEnv("small-town", autopilot=True, anomaly=ContentAnomaly("cow", distance=70.0), **FEW)
    assert env.reset(seed=1)[1]["active"]
    braking = TownEnv("small-town", autopilot=True, anomaly="sudden-braking", **FEW)
    _, info = braking.reset(seed=1)
    active = [info["active"]]
    for _ in range(150):
        *_, info = braking.step(braking.action_space.sample())
        active.append(info["active"])
    assert active.index(True) == 140 - 15
    with pytest.raises(UnknownName, match="cut-in"):
        TownEnv(anomaly="cutin")


def test_bad_use_is_named():
    with pytest.raises(InvalidParameter, match="sensor"):
        TownEnv(sensors=("radar",))
    with pytest.raises(InvalidState, match="reset"):
        TownEnv().step(np.zeros(3, np.float32))
