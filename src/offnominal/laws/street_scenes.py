"""Small driving scenes for the laws of scene detectors: a street with houses, cars ahead and, if asked for, a cow."""

from __future__ import annotations

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.sensing import Box, Instance, Material, Plane
from offnominal.sensing.light import Sky
from offnominal.sensing.scene import Scene
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import record
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

STREET_RIG = Rig("street", (Mount("top", (0.0, 0.0, 1.8)),), width=48, height=32, channels=12, columns=96)
EGO_ID, CAR_ID, COW_ID = 1, 2, 70_000
SPEED, BRAKE = 8.0, 8.0
TICK = 0.1
BETWEEN = 4
"""Ticks between two frames."""


def street_scene(
    n_frames: int = 4,
    *,
    seed: int = 0,
    anomaly: bool = False,
    braking_from: int | None = None,
    rig: Rig = STREET_RIG,
) -> list[DrivingFrame]:
    """Return the frames of a drive along a street.

    Args:
        n_frames: Number of frames.
        seed: Seed of the houses, the cars and the noise of the lidar.
        anomaly: Whether a cow stands on the lane.
        braking_from: Frame from which the car ahead brakes hard; None for never.
        rig: Sensors of the ego vehicle.

    Example:
        >>> frames = street_scene(2, anomaly=True)
        >>> [frame.state.is_anomalous for frame in frames], frames[0].sensors.cameras["top"].image.rgb.shape
        ([True, True], (32, 48, 3))
    """
    draws = Stream.named(seed, 0, "street").uniform(40)
    houses = [_house(k, draws[4 * k : 4 * k + 4]) for k in range(8)]
    return [
        _frame(number, houses, _car(number, draws[32:], braking_from), seed, anomaly, rig) for number in range(n_frames)
    ]


def _house(k: int, u: FloatArray) -> Instance:
    left = 1.0 if k % 2 else -1.0
    size = (6.0 + 4.0 * u[0], 6.0, 4.0 + 6.0 * u[1])
    place = (10.0 + 12.0 * (k // 2) + 4.0 * u[2], left * (10.0 + 2.0 * u[3]), 0.5 * size[2])
    colour = (0.4 + 0.4 * u[0], 0.4 + 0.2 * u[1], 0.4 + 0.2 * u[2])
    return Instance(Box(size), place, material=Material(colour), label=int(Label.BUILDING), identity=100 + k)


def _car(number: int, u: FloatArray, braking_from: int | None) -> Instance:
    seconds = BETWEEN * TICK * number
    braking = 0.0 if braking_from is None else max(0.0, seconds - BETWEEN * TICK * (braking_from - 1))
    braking = min(braking, SPEED / BRAKE)
    after = 0.0 if braking_from is None else max(0.0, seconds - BETWEEN * TICK * (braking_from - 1) - braking)
    ahead = SPEED * (seconds - after) - 0.5 * BRAKE * braking**2
    place = (14.0 + 6.0 * float(u[0]) + ahead, 3.5 * round(float(u[1])), 0.75)
    body = Material((0.8 * float(u[2]), 0.2, 0.5))
    return Instance(Box((4.0, 1.8, 1.5)), place, material=body, label=int(Label.CAR), identity=CAR_ID)


def _frame(number: int, houses: list[Instance], car: Instance, seed: int, anomaly: bool, rig: Rig) -> DrivingFrame:
    tick = 16 + BETWEEN * number
    ego = (SPEED * BETWEEN * TICK * number, 0.0, 0.0)
    things = [Instance(Plane(), material=Material((0.3, 0.3, 0.3)), label=int(Label.ROAD)), *houses]
    things.append(car)
    if anomaly:
        brown = Material((0.9, 0.6, 0.1))
        cow = Instance(
            Box((1.5, 2.4, 1.6)), (11.0, -0.5, 0.8), material=brown, label=int(Label.ANIMAL), identity=COW_ID
        )
        things.append(cow)
    scene = Scene(tuple(things), sky=Sky(label=int(Label.SKY)))
    sensors = record(scene, rig, ego, 0.0, seed=seed, step=tick)
    return DrivingFrame(number, tick, sensors, _state(tick, ego, car.position, anomaly), ego, 0.0)


def _state(tick: int, ego: tuple[float, ...], car: tuple[float, ...], anomaly: bool) -> Snapshot:
    n = 2 + anomaly
    return Snapshot(
        tick=tick,
        instance=np.array([EGO_ID, CAR_ID, COW_ID])[:n],
        kind=("sedan", "sedan", "cow")[:n],
        label=np.array([Label.EGO_VEHICLE, Label.CAR, Label.ANIMAL], np.int64)[:n],
        position=np.array([ego[:2], car[:2], (11.0, -0.5)])[:n],
        heading=np.zeros(n),
        speed=np.array([SPEED, SPEED, 0.0])[:n],
        acceleration=np.zeros(n),
        size=np.array([(4.0, 1.8, 1.5), (4.0, 1.8, 1.5), (1.5, 2.4, 1.6)])[:n],
        lights=np.zeros(1, np.int64),
        controls=(0.3, 0.0, 0.0),
        anomalous=np.array([False, False, True])[:n],
    )
