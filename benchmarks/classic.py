"""CartPole and Pendulum beside Gymnasium's own, all with random actions and automatic resets."""

from __future__ import annotations

from functools import partial

import gymnasium

import offnominal as off
from benchmarks import peers
from benchmarks.measure import rates
from benchmarks.worlds import Row, mixed_faults, row
from offnominal.worlds import make_vector

ROWS = 1024
LIMIT = 200
TASKS = {
    "OOD-CartPole-v0": ("CartPole-v1", ">= 2,000,000; ratio >= 30"),
    "OOD-Pendulum-v0": ("Pendulum-v1", ">= 1,000,000; ratio >= 30"),
}


def classic() -> list[Row]:
    """CartPole and Pendulum beside Gymnasium's SyncVectorEnv and, of CartPole, its native vector in NumPy."""
    rows = []
    for id, (theirs, bar) in TASKS.items():
        contenders = {
            "nominal": peers.vector_env(make_vector(id, ROWS)),
            "mixed faults": peers.vector_env(off.make_vec(id, ROWS, faults=mixed_faults(id, ROWS))),
            "SyncVectorEnv": peers.vector_env(
                peers.sync(partial(gymnasium.make, theirs, max_episode_steps=LIMIT), ROWS)
            ),
        }
        if gymnasium.spec(theirs).vector_entry_point is not None:
            contenders["native vector"] = peers.vector_env(gymnasium.make_vec(theirs, num_envs=ROWS))
        measured = rates(contenders)
        for task in ("nominal", "mixed faults"):
            rows += [
                row(f"{id}, {ROWS} rows, {task}", measured[task], f"Gymnasium {theirs}, {peer}", measured[peer], goal)
                for peer, goal in (("SyncVectorEnv", bar if task == "nominal" else ""), ("native vector", ""))
                if peer in measured
            ]
    return rows


SECTIONS = {"Worlds: classic": classic}
