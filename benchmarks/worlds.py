"""Worlds with faults on, through the public vector API."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import mujoco
import numpy as np

import offnominal as off
from benchmarks import peers
from benchmarks.measure import Rate, rates
from offnominal.anomalies import make_anomaly
from offnominal.laws import anomalies_of
from offnominal.laws.anomaly import visible_parameter
from offnominal.worlds.world_source import build_world

CHEETAH = "MJC-HalfCheetah-v0"
Row = dict[str, Any]


def mixed_faults(id: str, n: int) -> list[off.Fault | None]:
    """Return one fault per row, cycling through every anomaly the world has and no fault at all."""
    world = build_world(id, 1)
    kinds: list[off.Fault | None] = [None]
    for name in anomalies_of(id):
        anomaly = make_anomaly(name)
        kinds.append(off.Fault(anomaly, visible_parameter(anomaly, world)))
    return [kinds[i % len(kinds)] for i in range(n)]


def row(task: str, rate: Rate, peer: str, peer_rate: Rate, bar: str = "") -> Row:
    return {
        "task": task,
        "ours, steps/CPU-s": round(rate.per_cpu_second),
        "peer": peer,
        "peer, steps/CPU-s": round(peer_rate.per_cpu_second),
        "ratio": rate.per_cpu_second / peer_rate.per_cpu_second,
        "bar": bar,
    }


def particles() -> list[Row]:
    """Particle worlds beside Gymnasium's NumPy-vectorised CartPole and the Multi-Agent Particle Environment."""
    rows = []
    for id in ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"):
        for n, bar in ((1024, ">= 1,000,000"), (64, ">= 400,000")):
            contenders = {
                "ours": peers.vector_env(off.make_vec(id, n, faults=mixed_faults(id, n))),
                "Gymnasium CartPole-v1, native vector": peers.vector_env(gymnasium.make_vec("CartPole-v1", num_envs=n)),
            }
            if (mpe := peers.mpe(64)) is not None:
                contenders["MPE2 simple_v3, one after the other"] = mpe
            measured = rates(contenders)
            ours = measured.pop("ours")
            rows += [row(f"{id}, {n} rows, mixed faults", ours, name, rate, bar) for name, rate in measured.items()]
    return rows


def cheetah() -> list[Row]:
    """HalfCheetah with a 2x256 policy and mixed faults, on one thread."""
    n = 64
    envs = off.make_vec(CHEETAH, n, faults=mixed_faults(CHEETAH, n), threads=1)
    policy = off.agents.NetworkPolicy.random(18, envs.single_action_space, seed=0)
    theirs = off.agents.NetworkPolicy.random(17, envs.single_action_space, seed=0)

    def act(observations: Any) -> Any:
        return theirs.act(observations, None)[0]

    contenders = {
        "ours": peers.vector_env(envs, lambda observations: policy.act(observations, None)[0]),
        "Gymnasium SyncVectorEnv HalfCheetah-v5, same policy": peers.vector_env(
            peers.sync(partial(gymnasium.make, "HalfCheetah-v5"), 8), act
        ),
    }
    if (pool := peers.envpool("HalfCheetah-v4", n)) is not None:
        contenders["EnvPool HalfCheetah-v4, same policy, no faults possible"] = peers.vector_env(pool, act)
    measured = rates(contenders)
    ours = measured.pop("ours")
    bars = {"Gymnasium": "ratio >= 1.6", "EnvPool": "ratio > 1"}
    return [
        row("HalfCheetah, 64 rows, 2x256 policy, mixed faults", ours, name, rate, bars[name.split()[0]])
        for name, rate in measured.items()
    ]


def raw_loop() -> list[Row]:
    """HalfCheetah with policy and faults beside a bare `mj_step` loop that replays the same trajectories."""
    n, steps = 64, 200
    faults = mixed_faults(CHEETAH, n)
    world = build_world(CHEETAH, 1)
    policy = off.agents.NetworkPolicy.random(18, world.action_space, seed=0)
    recorded = off.collect(CHEETAH, policy, n, faults=faults, threads=1)
    replay = _Replay(world.model, recorded)  # type: ignore[attr-defined]
    replay()
    replay.check(recorded)

    def ours() -> int:
        off.collect(CHEETAH, policy, n, faults=faults, threads=1)
        return n * steps

    measured = rates({"ours": ours, "raw": replay})
    return [
        row(
            "HalfCheetah, 64 episodes recorded with policy and faults",
            measured["ours"],
            "raw mj_step loop, same trajectories, no policy",
            measured["raw"],
            "ratio >= 0.8",
        )
    ]


class _Replay:
    """Replays recorded episodes in plain MuJoCo: one model per episode, physics swapped at the onset."""

    def __init__(self, model: mujoco.MjModel, episodes: list[off.Episode]) -> None:
        self.nominal, self.episodes = model, episodes
        self.data = mujoco.MjData(model)
        self.models = [self._faulty(episode) for episode in episodes]
        self.last = np.zeros((len(episodes), model.nq))
        self.starts = [self._start(episode) for episode in episodes]

    def _start(self, episode: off.Episode) -> tuple[Any, Any]:
        world = build_world(CHEETAH, 1)
        zero = np.zeros(1, np.int64)
        world.reset(zero, zero + episode.seed, zero)
        return world._qpos[0].copy(), world._qvel[0].copy()  # type: ignore[attr-defined]

    def _faulty(self, episode: off.Episode) -> mujoco.MjModel:
        model = copy.copy(self.nominal)
        event = episode.events[0] if episode.events else None
        if event and event.anomaly == "dynamics/mass":
            model.body_mass[:] *= event.parameter
            model.body_inertia[:] *= event.parameter
            mujoco.mj_setConst(model, mujoco.MjData(model))
        if event and event.anomaly == "dynamics/friction":
            model.dof_frictionloss[3:9] += event.parameter
        return model

    def __call__(self) -> int:
        done = 0
        for i, episode in enumerate(self.episodes):
            data, model = self.data, self.nominal
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = self.starts[i]
            onset = episode.onset
            pushed = bool(episode.events) and episode.events[0].anomaly == "dynamics/force"
            for t, action in enumerate(episode.extras["executed_actions"]):
                if t == onset:
                    model = self.models[i]
                    if pushed:
                        data.xfrc_applied[model.body("ffoot").id, 0] = -episode.events[0].parameter
                data.ctrl[:] = action
                mujoco.mj_step(model, data, 5)
            self.last[i] = data.qpos
            done += len(episode)
        return done

    def check(self, episodes: list[off.Episode]) -> None:
        """The replay must end where the recording did, bit for bit."""
        for last, episode in zip(self.last, episodes, strict=True):
            assert np.array_equal(last[1:].astype(np.float32), episode.extras["clean_observations"][-1, 1:9])


def other_mujoco() -> list[Row]:
    """Cartpole and Reacher3D with mixed faults beside the same tasks as ordinary Gymnasium environments."""
    rows = []
    for id, peer, bar in (
        ("MJC-CartpoleSwingup-v0", "PlainCartpole-v0", "ratio >= 4"),
        ("MJC-Reacher3D-v0", "PlainReacher3D-v0", ""),
    ):
        measured = rates(
            {
                "ours": peers.vector_env(off.make_vec(id, 256, faults=mixed_faults(id, 256), threads=1)),
                "sync": peers.vector_env(peers.sync(partial(gymnasium.make, peer), 8)),
            }
        )
        task, name = f"{id}, 256 rows, mixed faults", "Gymnasium SyncVectorEnv of MujocoEnv, same model and reward"
        rows.append(row(task, measured["ours"], name, measured["sync"], bar))
    return rows


def second_thread() -> list[Row]:
    """Wall-clock gain of a second thread; only an idle machine shows it."""
    contenders: dict[str, Callable[[], int]] = {}
    for threads in (1, 2):
        envs = off.make_vec(CHEETAH, 256, faults=mixed_faults(CHEETAH, 256), threads=threads)
        policy = off.agents.NetworkPolicy.random(18, envs.single_action_space, seed=0)
        contenders[str(threads)] = peers.vector_env(envs, lambda o, policy=policy: policy.act(o, None)[0])
    measured = rates(contenders)
    return [
        {
            "task": "HalfCheetah, 256 rows, policy, mixed faults: steps per second of wall time",
            "one thread": round(measured["1"].per_second),
            "two threads": round(measured["2"].per_second),
            "gain": measured["2"].per_second / measured["1"].per_second,
            "bar": "gain >= 1.6 on an idle machine",
            "processors": len(os.sched_getaffinity(0)),
        }
    ]


MEMORY = """
import offnominal as off
faults = [off.Fault("dynamics/mass", 1.0 + 0.001 * (i + 1), schedule="start") for i in range(256)]
policy = off.agents.RandomPolicy(off.worlds.make_world("MJC-HalfCheetah-v0", 1).action_space)
off.collect("MJC-HalfCheetah-v0", policy, 256, faults=faults)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024)
"""
IMPORT = """
import sys, time
start = time.process_time()
import offnominal
print(time.process_time() - start)
assert not {"torch", "matplotlib", "numba", "gymnasium"} & set(sys.modules)
"""


def footprint() -> list[Row]:
    """Memory of the whole process and cost of the import, in a fresh interpreter."""
    memory = min(_fresh(MEMORY) for _ in range(2))
    seconds = min(_fresh(IMPORT) for _ in range(5))
    return [
        {
            "what": "256 HalfCheetah episodes with distinct physics, whole process",
            "value": f"{memory:.0f} MiB",
            "bar": "< 500 MiB",
        },
        {"what": "import offnominal", "value": f"{seconds:.3f} CPU-s", "bar": "< 0.5 CPU-s"},
    ]


def _fresh(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


SECTIONS = {
    "Particle worlds": particles,
    "HalfCheetah": cheetah,
    "HalfCheetah beside bare MuJoCo": raw_loop,
    "Cartpole and Reacher3D": other_mujoco,
    "A second thread": second_thread,
    "Footprint": footprint,
}
