"""Pong beside Gymnasium's wrappers and beside ale-py's own vector environment, on one thread."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

from benchmarks.measure import rates
from benchmarks.peers import sync, vector_env
from offnominal.anomalies import FaultContext, make_anomaly
from offnominal.anomalies.factory import make_vec
from offnominal.core.streams import Stream
from offnominal.worlds.catalogue import make_vector

PONG = "OOD-Pong-v0"
ROWS = 8
TURNS = 64
CORRUPTIONS = ("gaussian", "impulse", "motion_blur", "pixelate")
Row = dict[str, Any]


def wrapped() -> gymnasium.Env:
    """Return Pong as Gymnasium's wrappers prepare it: the same pictures, the same skip, no sticky actions."""
    env = gymnasium.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
    return FrameStackObservation(AtariPreprocessing(env, noop_max=0), 4)


def _faulty(anomaly: str) -> Any:
    return make_vec(PONG, ROWS, anomaly, strength=3, schedule="start")


def pong() -> list[Row]:
    """Steps of Pong per CPU-second, eight rows, random actions. A step is four frames of the emulator, and what is seen
    after it four grey pictures of 84 by 84. Ours also with more rows than emulators, and under faults of the camera
    that strike at once: every picture is corrupted in colour, and what is seen made of it. Gymnasium's wrappers need
    OpenCV; without it their row is left out."""
    import ale_py

    gymnasium.register_envs(ale_py)
    contenders: dict[str, Callable[[], int]] = {
        "ours": vector_env(make_vector(PONG, ROWS)),
        f"ours, {TURNS} rows that take turns": vector_env(make_vector(PONG, TURNS)),
        "ours, camera/gaussian": vector_env(_faulty("camera/gaussian")),
        "ours, camera/motion_blur": vector_env(_faulty("camera/motion_blur")),
        "ale-py's AtariVectorEnv, one thread": vector_env(
            ale_py.AtariVectorEnv("pong", ROWS, noop_max=0, use_fire_reset=False, num_threads=1)
        ),
    }
    if importlib.util.find_spec("cv2") is not None:
        contenders["Gymnasium's ALE/Pong-v5, AtariPreprocessing, SyncVectorEnv"] = vector_env(sync(wrapped, ROWS))
    measured = rates(contenders, window=1.0)
    return [
        {
            "Pong": name,
            "steps per CPU-second": f"{rate.per_cpu_second:,.0f}",
            "of ours": f"{rate.per_cpu_second / measured['ours'].per_cpu_second:.2f}×",
        }
        for name, rate in measured.items()
    ]


def corruptions() -> list[Row]:
    """Pictures of 210 by 160 pixels per CPU-second that each corruption makes, at severity 3."""
    frame = np.random.default_rng(0).integers(0, 256, (210, 160, 3), dtype=np.uint8)
    stream = Stream.named(0, 0, "anomaly")

    def work(kind: str) -> Callable[[], int]:
        anomaly: Any = make_anomaly(f"camera/{kind}")
        clock = iter(range(10**9))

        def once() -> int:
            anomaly.perturb(frame, 3.0, FaultContext(next(clock), 0, 0, stream, {}))
            return 1

        return once

    measured = rates({kind: work(kind) for kind in CORRUPTIONS}, window=0.3)
    return [
        {"corruption": f"camera/{kind}", "pictures per CPU-second": f"{rate.per_cpu_second:,.0f}"}
        for kind, rate in measured.items()
    ]


SECTIONS = {"Pong": pong, "Corruptions": corruptions}
