"""The peers: the same or the nearest task in other people's software."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.mujoco import MujocoEnv
from gymnasium.spaces import Box

Work = Callable[[], int]


def vector_env(envs: Any, act: Callable[[Any], Any] | None = None) -> Work:
    """Step a Gymnasium vector environment with a policy, or with random actions drawn beforehand."""
    observations, _ = envs.reset(seed=0)
    envs.action_space.seed(0)
    drawn = [envs.action_space.sample() for _ in range(16)]
    state = {"observations": observations, "t": 0}

    def work() -> int:
        state["t"] += 1
        actions = act(state["observations"]) if act else drawn[state["t"] % 16]
        state["observations"] = envs.step(actions)[0]
        return int(envs.num_envs)

    return work


def sync(make: Callable[[], gymnasium.Env], n: int) -> Any:
    """Return Gymnasium's SyncVectorEnv of n environments."""
    return gymnasium.vector.SyncVectorEnv([make] * n)


def envpool(id: str, n: int) -> Any | None:
    """Return an EnvPool on one thread, or None if it is not installed."""
    if importlib.util.find_spec("envpool") is None:
        return None
    import envpool

    pool = envpool.make(id, env_type="gymnasium", num_envs=n, num_threads=1, seed=0)

    class Adapter:
        num_envs = n
        action_space = gymnasium.vector.utils.batch_space(pool.action_space, n)

        def reset(self, seed: int) -> tuple[Any, Any]:
            return pool.reset()

        def step(self, actions: Any) -> Any:
            return pool.step(actions)

    return Adapter()


def highway() -> dict[str, Work]:
    """Step environments of highway-env one at a time; empty if it is not installed."""
    if importlib.util.find_spec("highway_env") is None:
        return {}
    import highway_env

    gymnasium.register_envs(highway_env)
    options = {"lane-keeping-v0": {}, "highway-v0": {"config": {"vehicles_count": 12}}}
    return {f"highway-env {id}": _single_env(gymnasium.make(id, **options[id])) for id in options}


def _single_env(env: gymnasium.Env) -> Work:
    """Step one environment with random actions."""
    env.reset(seed=0)
    env.action_space.seed(0)

    def work() -> int:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        return 1

    return work


def mpe(n: int) -> Work | None:
    """Step n copies of the Multi-Agent Particle Environment `simple` one after the other, or None if not installed."""
    if importlib.util.find_spec("mpe2") is None:
        return None
    from mpe2 import simple_v3

    envs = [simple_v3.parallel_env(max_cycles=50, continuous_actions=True) for _ in range(n)]
    for env in envs:
        env.reset(seed=0)
    action = {"agent_0": np.full(5, 0.3, np.float32)}

    def work() -> int:
        for env in envs:
            if not env.agents:
                env.reset()
            env.step(action)
        return n

    return work


class PlainCartpole(MujocoEnv):
    """Cartpole swing-up as one would write it with Gymnasium's `MujocoEnv`: same model, same reward."""

    metadata = {"render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"]}  # noqa: RUF012
    model_file, frame_skip_ = "cartpole_swingup.xml", 2

    def __init__(self) -> None:
        path = str(files("offnominal.worlds.mujoco") / "models" / self.model_file)
        super().__init__(path, self.frame_skip_, observation_space=None)
        size = self._get_obs().shape
        self.observation_space = Box(-np.inf, np.inf, size, np.float64)

    def step(self, action: Any) -> Any:
        self.do_simulation(action, self.frame_skip)
        observation = self._get_obs()
        reward, success = self._judge(action)
        return observation, reward, False, False, {"is_success": success}

    def _judge(self, action: Any) -> tuple[float, bool]:
        x, angle = self.data.qpos
        error = np.array([x - 0.6 * np.sin(angle), -0.6 * np.cos(angle) - 0.6])
        reward = np.exp(-np.sum(error**2) / 0.6**2) - 0.01 * np.sum(np.square(action))
        return float(reward), bool(np.linalg.norm(error) < 0.025)

    def reset_model(self) -> Any:
        noise = self.np_random.normal(0, 0.1, self.model.nq + self.model.nv)
        self.set_state(self.init_qpos + noise[: self.model.nq], self.init_qvel + noise[self.model.nq :])
        return self._get_obs()

    def _get_obs(self) -> Any:
        return np.concatenate([self.data.qpos, self.data.qvel])


class PlainReacher3D(PlainCartpole):
    """Reacher3D written the same way."""

    model_file, frame_skip_ = "reacher3d.xml", 2

    def _judge(self, action: Any) -> tuple[float, bool]:
        error = self.data.site("fingertip").xpos - self.data.qpos[7:]
        return float(-np.sum(error**2) - 0.01 * np.sum(np.square(action))), bool(np.linalg.norm(error) < 0.1)

    def _get_obs(self) -> Any:
        return np.concatenate([self.data.qpos, self.data.qvel[:7]])


for _id, _env in (("PlainCartpole-v0", PlainCartpole), ("PlainReacher3D-v0", PlainReacher3D)):
    gymnasium.register(id=_id, entry_point=_env, max_episode_steps=200)
