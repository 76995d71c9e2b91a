"""The arm worlds with a policy and faults, beside a bare `mj_step` loop on the same trajectories."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

import offnominal as off
from benchmarks import peers
from benchmarks.measure import rates
from benchmarks.worlds import Row, mixed_faults, row
from offnominal.agents import NetworkPolicy

BARS = {"URM-Reach-v0": ">= 10,000 and ratio >= 0.8", "URM-PnP-v0": ">= 2,000 and ratio >= 0.8"}
ROWS = 64


class _Replay:
    """Replays an episode of every row in plain MuJoCo: one model per row, the recorded joint targets as controls."""

    def __init__(self, id: str, policy: NetworkPolicy) -> None:
        # From the start, so that the models of the first step are those of the whole episode.
        faults = [fault and replace(fault, schedule="start") for fault in mixed_faults(id, ROWS)]
        envs = off.make_vec(id, ROWS, faults=faults, threads=1)
        unwrapped: Any = envs.unwrapped
        self.world = unwrapped.world
        observations, _ = envs.reset(seed=0)
        self.starts = self.world._qpos.copy()
        self.controls = []
        for step in range(self.world.card.max_steps - 1):
            observations, *_ = envs.step(policy.act(observations, None)[0])
            if step == 0:
                self.models = [self.world._batch.get_model(i) for i in range(ROWS)]
            self.controls.append(self.world._ctrl.copy())
        self.last = self.world._qpos.copy()
        self.data = mujoco.MjData(self.world.model)

    def __call__(self) -> int:
        for i, model in enumerate(self.models):
            mujoco.mj_resetData(model, self.data)
            self.data.qpos[:] = self.starts[i]
            for control in self.controls:
                self.data.ctrl[:] = control[i]
                mujoco.mj_step(model, self.data, self.world.frame_skip)
            # The replay must end where the recording did, bit for bit.
            assert np.array_equal(self.data.qpos, self.last[i])
        return ROWS * len(self.controls)


def arm() -> list[Row]:
    """URM-Reach and URM-PnP with a 2x256 policy and mixed faults, on one thread, beside a bare `mj_step` loop that
    replays such trajectories without policy, inverse kinematics and faults of signals.
    """
    rows = []
    for id, bar in BARS.items():
        envs = off.make_vec(id, ROWS, faults=mixed_faults(id, ROWS), threads=1)
        card = off.worlds.worlds.card(id)
        policy = NetworkPolicy.random(len(card.observation), envs.single_action_space, seed=0)
        measured = rates(
            {
                "ours": peers.vector_env(envs, lambda observations, policy=policy: policy.act(observations, None)[0]),
                "raw": _Replay(id, policy),
            }
        )
        task, name = f"{id}, 64 rows, 2x256 policy, mixed faults", "raw mj_step loop, same trajectories, no policy"
        rows.append(row(task, measured["ours"], name, measured["raw"], bar))
    return rows


def frames() -> list[Row]:
    """Images of 128 x 128 pixels of URM-PnP, drawn 64 at a time: images per CPU-second."""
    world = off.worlds.make_world("URM-PnP-v0", ROWS)
    world.reset(np.arange(ROWS), np.arange(ROWS), np.zeros(ROWS, np.int64))
    measured = rates({"ours": lambda: len(world.frames())})
    return [{"task": "URM-PnP-v0", "images/CPU-s": round(measured["ours"].per_cpu_second), "bar": ">= 400"}]


SECTIONS = {"UR3 arm": arm, "Images of the UR3 arm": frames}
