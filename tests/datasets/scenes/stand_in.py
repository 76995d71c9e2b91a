"""A stand-in for simulated scenarios: a few objects on a plane, and a rig with tiny sensors."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from offnominal.sensing import Box, Instance, Plane, Scene
from offnominal.sensing.light import Sky
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import record
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame, Hit
from offnominal.worlds.road.town.snapshot import Snapshot
from offnominal.worlds.road.weather import WEATHERS

RIG = replace(RIGS["stereo"], width=24, height=16, channels=4, columns=32)
COW = ContentAnomaly("cow", distance=80.0)
HITS = (Hit(3, 1, 8.0, 1.5, 7.0),)
SCENARIOS = [
    Scenario(f"{weather}-{k}", "grid", weather, seed=k, vehicles=2, pedestrians=1, anomaly=anomaly, timing=Timing(2, 3))
    for k, (weather, anomaly) in enumerate([("CLEAR_NOON", None), ("HARD_RAIN_NOON", COW), ("CLEAR_NOON", COW)])
]


class Run:
    """A run of a scenario; the environment can kill the process in the middle, or discard the scenario."""

    def __init__(self, scenario, *, rig=None, twin=False):
        self.scenario, self.twin, self.rig = scenario, twin, rig or RIG
        self.route = SimpleNamespace(waypoints=(np.array([(float(k), 0.5) for k in range(110)]), None))
        discarded = scenario.id in os.environ.get("DISCARDED", "").split()
        self.discards = ("the ego vehicle brakes with full force",) if discarded else ()

    def anomaly_truth(self):
        if self.scenario.anomaly is None or self.twin:
            return None
        return AnomalyTruth("cow", Label.ANIMAL, 70_000, 1, 5, (1.0, 2.0, 2.0), (9.0, -1.0, 0.0), 80.0, HITS)

    def frames(self, start=0):
        for number in range(start, self.scenario.timing.frames):
            if f"{self.scenario.id} {number}" == os.environ.get("KILLED_AT"):
                os.kill(os.getpid(), signal.SIGKILL)
            if "COUNTED_IN" in os.environ:
                with Path(os.environ["COUNTED_IN"]).open("a") as file:
                    file.write(f"{self.scenario.id} {self.twin} {number}\n")
            yield self.frame(number)

    def frame(self, number):
        tick = self.scenario.timing.frame_ticks[number]
        place, yaw = (1.5 * number, 0.3 * number, 0.0), 2.5 * number
        cow = self.scenario.anomaly is not None and not self.twin
        things = [Instance(Plane(), label=int(Label.ROAD)), Instance(Box((2.0, 2.0, 2.0)), (14.0, 3.0, 1.0), label=14)]
        if cow:
            things.append(Instance(Box((1.0, 2.0, 2.0)), (9.0, -1.0, 1.0), label=int(Label.ANIMAL), identity=70_000))
        weather = WEATHERS[self.scenario.weather]
        scene = Scene(tuple(things), sky=Sky(label=int(Label.SKY)))
        sensors = record(scene, self.rig, place, yaw, weather=weather, seed=self.scenario.seed, step=tick, samples=2)
        return DrivingFrame(number, tick, sensors, self.state(tick, place, yaw, cow), place, yaw)

    def state(self, tick, place, yaw, cow):
        n = 2 + cow
        return Snapshot(
            tick=tick,
            instance=np.array([1, 2, 70_000])[:n],
            kind=("sedan", "pedestrian", "cow")[:n],
            label=np.array([Label.EGO_VEHICLE, Label.PEDESTRIAN, Label.ANIMAL])[:n].astype(np.int64),
            position=np.array([place[:2], (14.0, 3.0), (9.0, -1.0)])[:n],
            heading=np.array([np.deg2rad(yaw), 1.0, 0.0])[:n],
            speed=np.array([15.0, 1.3, 0.0])[:n],
            acceleration=np.array([0.1, 0.0, 0.0])[:n],
            size=np.array([(4.0, 1.8, 1.5), (0.5, 0.5, 1.8), (1.0, 2.0, 2.0)])[:n],
            lights=np.array([0, 1, 2]),
            controls=(0.4, -0.1, 0.0),
            anomalous=np.array([False, False, True])[:n],
        )
