"""Scenes with tiny sensors: boxes on a plane, around an ego vehicle that drives ahead."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pytest

from offnominal.datasets.scenes import VoxelSettings
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.sensing import Box, Instance, Plane, Scene
from offnominal.sensing.light import Sky
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import record
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, TemporalAnomaly, Timing
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

RIG = replace(RIGS["mono"], width=32, height=20, channels=8, columns=64)
OBJECT, CAR = 50, 60
BRAKING = range(4, 7)


@dataclass
class FakeScene:
    """A scene in memory with the attributes of a recorded one."""

    scenario: Scenario
    twin: bool = False
    voxel_settings: VoxelSettings | None = None
    frames: list = field(default_factory=list)

    def __post_init__(self):
        self.id, self.town, self.weather = self.scenario.id, self.scenario.town, self.scenario.weather
        anomaly = None if self.twin else self.scenario.anomaly
        content = isinstance(anomaly, ContentAnomaly)
        self.scenario_id, self.size = self.scenario.id, anomaly.size if content else None
        self.kind = "content" if content else "normal" if anomaly is None else "temporal"
        self.truth = None
        if isinstance(anomaly, ContentAnomaly):
            self.truth = AnomalyTruth(anomaly.name, anomaly.label, OBJECT, 1, 9, (1, 1, 1), (0, 0, 0), 80.0)
        elif anomaly is not None:
            self.truth = AnomalyTruth(anomaly.kind, anomaly.label, CAR, 5, 7, (4, 2, 1.5), (0, 0, 0))
        self.frames = [self.frame(number, anomaly) for number in range(8)]

    def frame(self, number, anomaly):
        place = (3.0 * number, 0.0, 0.0)
        content, braking = isinstance(anomaly, ContentAnomaly), anomaly is not None and number in BRAKING
        things = [Instance(Plane(), label=int(Label.ROAD)), Instance(Box((2.0, 2.0, 2.0)), (26.0, 7.0, 1.0), label=3)]
        if content:
            things.append(Instance(Box((0.6, 0.8, 0.8)), (16.0, -1.0, 0.8), label=int(anomaly.label), identity=OBJECT))
        else:
            label = Label.TEMPORAL_ANOMALY if braking else Label.AGENT_CAR
            ahead = (place[0] + 9.0, 0.5, 0.7)
            things.append(Instance(Box((2.0, 0.9, 0.7)), ahead, label=int(label), identity=CAR))
        scene = Scene(tuple(things), sky=Sky(label=int(Label.SKY)))
        sensors = record(scene, RIG, place, 0.0, seed=self.scenario.seed, step=number)
        state = Snapshot(
            tick=number + 1,
            instance=np.array([1, OBJECT if content else CAR]),
            kind=("sedan", "other"),
            label=np.array([214, 14]),
            position=np.array([place[:2], (16.0, -1.0)]),
            heading=np.zeros(2),
            speed=np.zeros(2),
            acceleration=np.zeros(2),
            size=np.ones((2, 3)),
            lights=np.zeros(0, np.int64),
            controls=(0.0, 0.0, 0.0),
            anomalous=np.array([False, content or braking]),
        )
        return DrivingFrame(number, number + 1, sensors, state, place, 0.0)

    def __iter__(self):
        return iter(self.frames)

    def voxels(self, number):
        return self.voxel_settings.truth(self.frames[number])


def scenario(id, town, weather, anomaly=None, seed=0):
    return Scenario(id, town, weather, seed, 1, 1, anomaly=anomaly, timing=Timing(0, 8))


@pytest.fixture(scope="package")
def scenes():
    """Two sizes of objects, a temporal anomaly, and normal scenes."""
    braking = TemporalAnomaly("sudden-braking", "vehicle.sedan", lead_distance=9, ticks=(5, 7))
    return [
        FakeScene(scenario("cow", "grid", "CLEAR_NOON", ContentAnomaly("cow", 80.0))),
        FakeScene(scenario("cow2", "rural", "HARD_RAIN_NOON", ContentAnomaly("cow", 80.0), 1)),
        FakeScene(scenario("backpack", "grid", "CLEAR_NOON", ContentAnomaly("backpack", 80.0), 2)),
        FakeScene(scenario("braking", "grid", "CLEAR_NOON", braking, 3)),
        FakeScene(scenario("braking2", "rural", "CLEAR_NOON", braking, 4)),
        FakeScene(scenario("normal", "grid", "CLEAR_NOON", None, 5)),
    ]


def scores_of(frame, value, sensors=("camera", "lidar")):
    """Scores by a function of labels."""
    cameras = {name: value(each.image.label) for name, each in frame.sensors.cameras.items()}
    lidars = {name: value(each.measured.label[each.measured.returned]) for name, each in frame.sensors.lidars.items()}
    return FrameScores(cameras=cameras if "camera" in sensors else {}, lidars=lidars if "lidar" in sensors else {})


def anomalous(label):
    return np.isin(label, [each for each in Label if each.is_anomaly])


def noisy(rng, label):
    return (anomalous(label) + 0.5 * rng.random(label.shape)).astype(np.float32)


@pytest.fixture(scope="package")
def perfect():
    """Scores that are higher inside anomalies, with some noise."""

    def score(frames, sensors=("camera", "lidar")):
        for frame in frames:
            rng = np.random.default_rng(frame.number)
            yield scores_of(frame, partial(noisy, rng), sensors)

    return score
