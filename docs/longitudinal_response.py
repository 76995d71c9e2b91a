"""The lane-keeping cars' response to their pedals beside CARLA's vehicle model: `python docs/longitudinal_response.py`.

The cars of CAR-LaneKeep-v0 and CAR-LaneKeep-v1 drive on a straight road. Beside them is a car of the same mass with the
drive train that
CARLA 0.9 publishes: an engine with a torque curve and damping, an automatic gearbox, brakes and drag. Its numbers are
those of a passenger car as `get_physics_control` of CARLA lists them; those of the original's `vehicle.ford.crown` are
not known. The tyres do not slip and the clutch is closed. The table goes to
``docs/measured/longitudinal_response.csv``.
"""

import copy
import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from offnominal.worlds.road import drive_train, vehicle
from offnominal.worlds.road.card import DT
from offnominal.worlds.road.highway import NODES

TABLE = Path(__file__).parent / "measured" / "longitudinal_response.csv"
KMH = 3.6
LONGEST = 900.0
"""Seconds after which a speed counts as steady, or as never reached."""
THROTTLES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
REPORTED = {
    "steady speed at throttle 0.2": "about 14 km/h (carla-simulator/imitation-learning issue 44)",
    "steady speed at throttle 0.5": "about 30 km/h (carla-simulator/carla issue 1316)",
    "steady speed at throttle 0.7": "about 60 km/h (carla-simulator/carla issue 1316)",
}
"""What users of CARLA measured, with other cars and versions."""

Drive = Callable[[float, float], float]
"""Takes a speed and a command in [-1, 1] and returns the speed after a step of 0.05 s."""


class OurCar:
    """The car of a world on a straight road without wind.

    Args:
        geared: Whether it is that of CAR-LaneKeep-v1.
    """

    def __init__(self, *, geared: bool) -> None:
        columns = drive_train.GEARED_STATE if geared else vehicle.STATE
        self.state, self.road = vehicle.new_states(1, columns)[0], np.zeros(NODES)
        self.move = drive_train.move_geared_car if geared else vehicle.move_car

    def __call__(self, speed: float, command: float) -> float:
        """Return the speed after a step of 0.05 s."""
        self.state[vehicle.SPEED], self.state[vehicle.THROTTLE] = speed, command
        self.move(self.state, self.road, 1.0, 0.0)
        return float(self.state[vehicle.SPEED])


def our_car() -> Drive:
    """Return the car of CAR-LaneKeep-v0."""
    return OurCar(geared=False)


def our_geared_car() -> Drive:
    """Return the car of CAR-LaneKeep-v1."""
    return OurCar(geared=True)


class CarlaCar:
    """A car with the drive train of CARLA 0.9 (PhysX): locked clutch, no slip.

    The engine's torque is the throttle times the torque curve, minus damping times engine speed; the damping lies
    between the published ones for full and for no throttle.
    """

    MASS, RADIUS, FINAL_RATIO = vehicle.MASS, 0.3425, 4.0
    GEARS, UP, DOWN, SWITCH_SECONDS, LATENCY = (3.73, 2.05, 1.39, 1.03, 0.82), 0.35, 0.2, 0.5, 1.0
    IDLE_TORQUE, PEAK_TORQUE, PEAK_RPM, LAST_TORQUE, LAST_RPM = 400.0, 500.0, 1890.76, 400.0, 5729.58
    MAX_RPM, INERTIA, DAMPING_FULL, DAMPING_ZERO = 6300.0, 1.0, 0.15, 2.0
    BRAKE_TORQUE, WHEEL_DAMPING, WHEELS = 1500.0, 0.25, 4
    DRAG = 0.5 * 1.25 * 0.3 * 1.8 * 1.4
    """Half the density of air times drag coefficient times width times height of the chassis, N per (m/s)²."""
    SUBSTEPS = 5

    def __init__(self) -> None:
        self.gear, self.since = 0, math.inf

    def __call__(self, speed: float, command: float) -> float:
        """Return the speed after a step of 0.05 s."""
        for _ in range(self.SUBSTEPS):
            speed = self._substep(speed, command, DT / self.SUBSTEPS)
        return speed

    def _substep(self, speed: float, command: float, dt: float) -> float:
        throttle, brake = max(command, 0.0), max(-command, 0.0)
        ratio = self.GEARS[self.gear] * self.FINAL_RATIO / self.RADIUS
        engine = ratio * speed
        self._switch(engine, dt)
        force, mass = 0.0, self.MASS
        if self.since >= self.SWITCH_SECONDS:
            damping = self.DAMPING_ZERO + throttle * (self.DAMPING_FULL - self.DAMPING_ZERO)
            force = ratio * (throttle * self._torque(engine * 30.0 / math.pi) - damping * engine)
            mass += self.INERTIA * ratio * ratio
        force -= self.DRAG * speed * speed + self.WHEELS * self.WHEEL_DAMPING * speed / self.RADIUS**2
        force -= self.WHEELS * brake * self.BRAKE_TORQUE / self.RADIUS
        return max(speed + dt * force / mass, 0.0)

    def _torque(self, rpm: float) -> float:
        """Return the torque at full throttle, N m: linear from idle to its peak, and from there to the last point."""
        if rpm >= self.MAX_RPM:
            return 0.0
        if rpm < self.PEAK_RPM:
            return self.IDLE_TORQUE + (self.PEAK_TORQUE - self.IDLE_TORQUE) * rpm / self.PEAK_RPM
        share = min((rpm - self.PEAK_RPM) / (self.LAST_RPM - self.PEAK_RPM), 1.0)
        return self.PEAK_TORQUE + (self.LAST_TORQUE - self.PEAK_TORQUE) * share

    def _switch(self, engine: float, dt: float) -> None:
        """Change the gear if the engine is too fast or too slow, and the last change is long enough ago."""
        self.since += dt
        share = engine * 30.0 / math.pi / self.MAX_RPM
        step = int(share > self.UP and self.gear < len(self.GEARS) - 1) - int(share < self.DOWN and self.gear > 0)
        if step and self.since > self.LATENCY:
            self.gear, self.since = self.gear + step, 0.0


def seconds_until(drive: Drive, speed: float, command: float, reached: Callable[[float], bool]) -> float:
    """Return the time until a speed is reached; infinite if it never is."""
    for step in range(1, int(LONGEST / DT)):
        speed = drive(speed, command)
        if reached(speed):
            return step * DT
    return math.inf


def steady_speed(drive: Drive, command: float) -> float:
    """Return the mean speed of the last minute of a long drive that begins at rest."""
    speeds = [0.0]
    for _ in range(int(LONGEST / DT)):
        speeds.append(drive(speeds[-1], command))
    return float(np.mean(speeds[-int(60.0 / DT) :]))


def settled(drive: Drive, speed: float) -> float:
    """Drive faster than a speed, coast down to it and return it, so that the gearbox is where coasting leaves it."""
    seconds_until(drive, 0.0, 1.0, lambda now: now > 1.3 * speed)
    seconds_until(drive, 1.3 * speed, 0.0, lambda now: now < speed)
    return speed


def keeping_throttle(drive: Drive, speed: float) -> float:
    """Return the throttle that keeps a speed in the current gear."""
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        if copy.deepcopy(drive)(speed, middle) < speed:
            low = middle
        else:
            high = middle
    return low


def responses(made: Callable[[], Drive]) -> dict[str, str]:
    """Return the measured quantities of a car."""
    found = {}
    for low, high in ((0, 50), (0, 100)):
        seconds = seconds_until(made(), low / KMH, 1.0, lambda speed, high=high: speed >= high / KMH)  # type: ignore[misc]
        found[f"{low} to {high} km/h at full throttle"] = f"{seconds:.1f} s"
    drive = made()
    at = settled(drive, 50.0 / KMH)
    found["deceleration at 50 km/h without throttle"] = f"{(at - drive(at, 0.0)) / DT:.2f} m/s²"
    found["throttle that keeps 50 km/h"] = f"{keeping_throttle(drive, at):.2f}"
    seconds = seconds_until(drive, at, 0.0, lambda speed: speed <= 25.0 / KMH)
    found["50 to 25 km/h without throttle"] = f"{seconds:.1f} s"
    for brake in (0.5, 1.0):
        seconds = seconds_until(made(), 50.0 / KMH, -brake, lambda speed: speed <= 1e-6)
        found[f"mean deceleration from 50 km/h to rest at brake {brake:g}"] = f"{50.0 / KMH / seconds:.1f} m/s²"
    for throttle in THROTTLES:
        found[f"steady speed at throttle {throttle:g}"] = f"{KMH * steady_speed(made(), throttle):.0f} km/h"
    return found


def rows() -> list[dict[str, str]]:
    """Return the table."""
    ours, geared, carla = (responses(made) for made in (our_car, our_geared_car, CarlaCar))
    return [
        {
            "quantity": name,
            "CAR-LaneKeep-v0": ours[name],
            "CAR-LaneKeep-v1": geared[name],
            "CARLA's vehicle model": carla[name],
            "reported for CARLA": REPORTED.get(name, ""),
        }
        for name in ours
    ]


if __name__ == "__main__":
    table = rows()
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    for row in table:
        print(" | ".join(row.values()))
