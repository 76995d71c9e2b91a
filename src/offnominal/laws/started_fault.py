"""The law of faults that start and stop at run time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule
from offnominal.core.types import Array
from offnominal.laws.require import require
from offnominal.worlds.world import World

STEPS = 10
START = 4
STOP = 7


def check_started_fault(world: World, fault: Fault, act: Callable[[Array], Array], *, frames: bool) -> None:
    """Require that starting and stopping a fault gives the same bytes as a schedule.

    Args:
        world: A world of one row.
        fault: The fault; its schedule is replaced.
        act: Returns actions for observations.
        frames: Whether to compare frames too.
    """
    scheduled = replace(fault, schedule=Schedule(onset=START, duration=STOP - START))
    environment = EnvironmentInfo.of(world, has_images=frames)
    expected = _run(world, Injection([(scheduled,)], environment), act, frames)
    injection = Injection([()], environment, keep_history=True)
    started = _run(world, injection, act, frames, replace(fault, schedule=Schedule()))
    for t, (one, other) in enumerate(zip(expected, started, strict=False)):
        differing = ", ".join(name for name in one if one[name] != other[name])
        require(
            not differing,
            f"{differing} of transition {t} differs between a fault scheduled for {START} to {STOP - 1} and the same "
            "one started and stopped at run time",
        )
    require(len(expected) == len(started), f"the episodes have {len(expected)} and {len(started)} transitions")
    injection.release(np.zeros(1, np.int64))
    injection.begin(*np.zeros((3, 1), np.int64))
    require(injection.events(0) == (), "a fault that was started belongs to the next episode too")


def _run(
    world: World, injection: Injection, act: Callable[[Array], Array], frames: bool, fault: Fault | None = None
) -> list[dict[str, Any]]:
    """Run an episode of seed 0; return what was recorded in each transition."""
    row, recorded = np.zeros(1, np.int64), []
    injection.release(row)
    world.reset(row, row, row)
    injection.begin(row, row, row)
    if frames:
        injection.apply_camera_faults(world.frames(row), row)
    observations = world.observations.copy()
    kind = np.int64 if isinstance(world.action_space, Discrete) else np.float64
    for t in range(STEPS):
        if fault is not None and t == START:
            require(injection.start(0, fault) == 0, "the first fault does not have the index 0")
        if fault is not None and t == STOP:
            injection.stop(0)
        executed = injection.act(act(observations), row).astype(kind)
        world.step(executed, row)
        observations = injection.observe(world.observations, row)
        recorded.append(
            {
                "the label": bool(injection.active[0]),
                "the parameter": injection.applied[0].tolist() if t >= START else [],
                "the action": executed.tobytes(),
                "the true observation": world.observations.tobytes(),
                "the observation": observations.tobytes(),
                "the image": injection.apply_camera_faults(world.frames(row), row).tobytes() if frames else b"",
                "the event": injection.events(0) if t >= STOP else (),
            }
        )
        if world.terminated[0] or world.truncated[0]:
            break
    return recorded
