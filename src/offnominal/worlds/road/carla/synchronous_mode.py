"""Synchronous mode: the server simulates one tick per call, and its settings are restored at the end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from offnominal.worlds.road.carla.errors import CarlaError, server_errors

SUBSTEP = 0.01


@contextmanager
def synchronous_mode(world: Any, traffic: Any, tick: float) -> Iterator[None]:
    """Simulate in ticks of a fixed duration within a block. The settings before it are restored on every way out.

    Args:
        world: World of the server.
        traffic: Its Traffic Manager.
        tick: Duration of a tick, s. The physics has steps of at most 0.01 s.
    """
    with server_errors("give its settings"):
        before = world.get_settings()
        settings = world.get_settings()
    settings.synchronous_mode = True
    settings.fixed_delta_seconds = tick
    settings.substepping = True
    settings.max_substep_delta_time = SUBSTEP
    settings.max_substeps = math.ceil(round(tick / SUBSTEP, 6))
    settings.deterministic_ragdolls = True
    try:
        with server_errors("change to synchronous mode"):
            world.apply_settings(settings)
            traffic.set_synchronous_mode(True)
        yield
    finally:
        # The server may be gone, and the error that ends the block is the one to report.
        with suppress(RuntimeError):
            traffic.set_synchronous_mode(False)
        with suppress(RuntimeError):
            world.apply_settings(before)


def advance(world: Any, timeout: float) -> int:
    """Simulate one tick and return the number of the frame."""
    with server_errors("simulate a tick"):
        frame = int(world.tick(timeout))
        shown = world.get_snapshot().frame
    if shown != frame:
        raise CarlaError(
            f"the CARLA server simulated frame {frame}, but shows frame {shown}; is another client connected that "
            "simulates ticks as well?"
        )
    return frame
