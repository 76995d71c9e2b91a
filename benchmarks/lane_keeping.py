"""The lane-keeping world with faults, beside highway-env."""

from __future__ import annotations

import numpy as np

import offnominal as off
from benchmarks import peers
from benchmarks.measure import rates
from benchmarks.worlds import Row, mixed_faults
from offnominal.laws import anomalies_of
from offnominal.worlds.road.card import LANE_KEEP

WORLD = LANE_KEEP.id
ROWS = 64
HINT = "highway-env is not installed: pip install highway-env"


def _kernel() -> peers.Work:
    """Step the world itself, without Gymnasium; each row has a fault of the dynamics or none."""
    world = off.worlds.make_world(WORLD, ROWS)
    rows = np.arange(ROWS)
    world.reset(rows, rows, np.zeros(ROWS, np.int64))
    faulty = [name for name in anomalies_of(WORLD) if name.startswith("dynamics/")]
    values = {parameter.name: parameter.typical for parameter in LANE_KEEP.physics_parameters}
    policy = off.agents.LaneFollower()
    drawn = []
    for _ in range(200):
        drawn.append(policy.act(world.observations, None)[0])
        world.step(drawn[-1])
    episodes = {"done": 0, "t": len(drawn)}

    def work() -> int:
        if episodes["t"] == len(drawn):
            episodes["t"], episodes["done"] = 0, episodes["done"] + 1
            world.reset(rows, rows, np.full(ROWS, episodes["done"]))
            for k, name in enumerate(faulty):
                each = rows[k :: len(faulty) + 1]
                parameter = name.removeprefix("dynamics/")
                world.set_physics_parameter(parameter, each, np.full(len(each), values[parameter]))
        world.step(drawn[episodes["t"]])
        episodes["t"] += 1
        return ROWS

    return work


def lane_keeping() -> list[Row]:
    """CAR-LaneKeep, 64 rows: the world itself with faults of the dynamics, driven by recorded actions of the scripted
    expert; and its vector environment with mixed faults of all kinds and random actions, resets included. Beside one
    environment `lane-keeping-v0` and one `highway-v0` with 12 other cars of highway-env, neither of which has faults.
    """
    contenders = {
        "world with dynamics faults": _kernel(),
        "vector environment, mixed faults": peers.vector_env(
            off.make_vec(WORLD, ROWS, faults=mixed_faults(WORLD, ROWS))
        ),
    }
    ours = list(contenders)
    measured = rates(contenders | peers.highway())
    bars = dict(zip(ours, (">= 400,000", ""), strict=True))
    theirs = {name: rate for name, rate in measured.items() if name not in ours}
    rows = []
    for name in ours:
        speed = measured[name].per_cpu_second
        for peer, rate in theirs.items() or {HINT: None}.items():
            rows.append(
                {
                    "task": f"{WORLD}, {ROWS} rows, {name}",
                    "ours, steps/CPU-s": round(speed),
                    "peer": peer,
                    "peer, steps/CPU-s": None if rate is None else round(rate.per_cpu_second),
                    "ratio": None if rate is None else speed / rate.per_cpu_second,
                    "bar": bars[name],
                }
            )
    return rows


def frames() -> list[Row]:
    """Images of the highway, drawn 16 at a time: images per CPU-second."""
    world = off.worlds.make_world(WORLD, 16)
    world.reset(np.arange(16), np.arange(16), np.zeros(16, np.int64))
    policy = off.agents.LaneFollower()
    for _ in range(100):
        world.step(policy.act(world.observations, None)[0])
    measured = rates({str(size): lambda size=size: len(world.frames(size=size)) for size in (128, 256)})
    return [
        {"task": f"{WORLD}, {size} x {size} pixels", "images/CPU-s": round(rate.per_cpu_second, 1)}
        for size, rate in measured.items()
    ]


SECTIONS = {"Lane keeping": lane_keeping, "Images of the highway": frames}
