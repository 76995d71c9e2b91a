"""The scene of a town at one tick: ground and places of the town, and its actors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.deterministic_math import sincos
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.sensing.light import Sky
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.catalogue import anomaly_object
from offnominal.worlds.road.assets.people import pedestrian
from offnominal.worlds.road.assets.two_wheelers import bicycle, motorcycle
from offnominal.worlds.road.assets.vehicles import CAR_BODIES, bonnet, bus, car, truck
from offnominal.worlds.road.labels import AGENT_OFFSET, Label
from offnominal.worlds.road.rigs import LEVEL, Attitude, tilted
from offnominal.worlds.road.scenes.clutter import clutter
from offnominal.worlds.road.scenes.details import street_details
from offnominal.worlds.road.scenes.looks import PLAIN, Look
from offnominal.worlds.road.scenes.looks import look as look_named
from offnominal.worlds.road.scenes.object_motion import ObjectPose
from offnominal.worlds.road.scenes.roadside import LIGHT_COLOURS, THEMES, Theme, placed_asset, pose_of, with_facade
from offnominal.worlds.road.scenes.town_ground import TownGround
from offnominal.worlds.road.town.snapshot import EGO, Snapshot
from offnominal.worlds.road.town.town import Town

# Identities of the places: above those of actors and surfaces.
FIRST_PLACE = 10_001
# Distance from the sensors up to which something is part of the scene, m.
REACH = {"building": 420.0, "tree": 240.0, "lamp": 150.0, "light": 180.0, "sign": 120.0, "rail": 160.0}
ACTOR_REACH = 220.0


class TownScene:
    """Everything that is visible in a town.

    Args:
        town: The town.
        seed: Seed of the appearance of the actors.
        look: How much detail is shown, or the name of that.

    Example:
        >>> from offnominal.worlds.road.town import TownSimulation
        >>> simulation = TownSimulation("residential")
        >>> state = simulation.reset(seed=3, vehicles=5, pedestrians=5)
        >>> scene = TownScene(simulation.town).at(state)
        >>> sorted({instance.identity for instance in scene.instances if instance.identity <= 11})[:3]
        [2, 3, 4]
    """

    def __init__(self, town: Town, *, seed: int = 0, look: Look | str = PLAIN) -> None:
        self.town = town
        self.seed = seed
        self.look: Look = look_named(look)
        self._static = _static_scene(town, self.look)

    def at(
        self,
        state: Snapshot,
        *,
        pose: ObjectPose | None = None,
        ego: bool = False,
        reach: float | None = None,
        attitude: Attitude = LEVEL,
    ) -> Scene:
        """Return the scene around the ego vehicle.

        Args:
            state: State of all actors.
            pose: Pose of an anomaly object, the last actor; None stands on the ground.
            ego: Whether the ego vehicle is part of the scene. Its own sensors do not see it, nor its shadow.
            reach: Distance from the ego vehicle up to which everything is part of the scene, m; None depends on the
                size of things: 420 m for buildings, 90 m for benches.
            attitude: Pitch and roll of the ego vehicle.
        """
        if reach is not None:
            number_in("reach", reach, 0.0)
        lights = self._static.n_lights
        if len(state.lights) < lights:
            raise InvalidParameter(f"the state has {len(state.lights)} traffic lights; {self.town.name} has {lights}.")
        centre = state.position[EGO]
        instances = self._static.near(centre, state.lights, reach)
        near = ((state.position - centre) ** 2).sum(axis=1) < (ACTOR_REACH if reach is None else reach) ** 2
        near[EGO] = ego
        instances += self._actors(state, near, pose)
        if self.look.bonnet and not ego:
            instances += _bonnet(state, attitude)
        return Scene(tuple(instances), sky=Sky(label=int(Label.SKY)))

    def _actors(self, state: Snapshot, near: BoolArray, pose: ObjectPose | None) -> list[Instance]:
        found: list[Instance] = []
        for row in np.flatnonzero(near):
            made, identity = actor_asset(state, int(row), self.seed), int(state.instance[row])
            if pose is not None and row == len(state.instance) - 1:
                found += made.placed(pose.position, rotation=pose.rotation, identity=identity)
                continue
            x, y = (float(each) for each in state.position[row])
            z = self._static.ground.height_at(x, y) if state.kind[row] == "pedestrian" else 0.0
            yaw = math.degrees(float(state.heading[row]))
            found += made.placed((x, y, max(0.0, z)), yaw, identity=identity)
        return found


def _bonnet(state: Snapshot, attitude: Attitude) -> tuple[Instance, ...]:
    """Return the bonnet of the ego vehicle at its pose."""
    x, y = (float(each) for each in state.position[EGO])
    yaw = math.degrees(float(state.heading[EGO]))
    rotation = rotated(rotation_about_z(yaw).T, tilted(yaw, attitude)).T.copy()
    return bonnet().placed((x, y, 0.0), rotation=rotation, identity=int(state.instance[EGO]))


class StaticScene:
    """Ground and places of a town, ready to be selected.

    Args:
        town: The town.
        look: How much detail is shown.
    """

    def __init__(self, town: Town, look: Look = PLAIN) -> None:
        theme = THEMES.get(town.name, Theme())
        self.ground = TownGround(town, paved=theme.paved, worn=look.surfaces)
        details = street_details(town, paved=theme.paved)
        if look.clutter:
            details += clutter(town, details, paved=theme.paved)
        where = [(place.x, place.y) for place in town.places] + [(each.x, each.y) for each in details]
        self._position = np.array(where).reshape(-1, 2)
        self._reach = np.array([REACH[place.kind] for place in town.places] + [each.reach for each in details])
        self._head = [place.head for place in town.places] + [-1] * len(details)
        self.n_lights = 1 + max(self._head, default=-1)
        self._instances: list[tuple[tuple[Instance, ...], ...]] = []
        for number, place in enumerate(town.places):
            states = []
            for lit in range(len(LIGHT_COLOURS) if place.kind == "light" else 1):
                made = placed_asset(place, theme, lit=lit)
                made = with_facade(made) if look.surfaces else made
                x, y, yaw = pose_of(place, made, town)
                z = self.ground.height_at(x, y)
                states.append(made.placed((x, y, z), yaw, identity=FIRST_PLACE + number))
            self._instances.append(tuple(states))
        for number, each in enumerate(details, FIRST_PLACE + len(town.places)):
            position = (each.x, each.y, self.ground.height_at(each.x, each.y))
            self._instances.append((each.asset.placed(position, each.yaw, identity=number),))

    def near(self, centre: FloatArray, lights: IntArray, reach: float | None = None) -> list[Instance]:
        """Return the instances near a position, with traffic lights in their states."""
        found = list(self.ground.instances)
        close: BoolArray = ((self._position - centre) ** 2).sum(axis=1) < (self._reach if reach is None else reach) ** 2
        for k in np.flatnonzero(close):
            head = self._head[k]
            found += self._instances[k][int(lights[head]) if head >= 0 else 0]
        return found


@lru_cache(maxsize=8)
def _static_scene(town: Town, look: Look) -> StaticScene:
    return StaticScene(town, look)


def ground_height(town: Town) -> Callable[[float, float], float]:
    """Return a function that gives the height of the ground of a town at a position, m. Its first call builds it."""

    def height(x: float, y: float) -> float:
        return _static_scene(town, PLAIN).ground.height_at(x, y)

    return height


STRIDE = 1.45
PEDAL_TURN = 5.2
STILL = 0.15
POSTURES = 8
CACHED = 8192


def actor_asset(state: Snapshot, row: int, seed: int) -> Asset:
    """Return the asset of an actor with the labels of the state.

    The seed and the instance of an actor decide its colours. Its posture follows from where it is, so that a frame does
    not depend on the frames before.

    Args:
        state: State of the town.
        row: Row of the actor in it.
        seed: Seed of the appearance of all actors.
    """
    phase = 0
    kind = state.kind[row]
    if kind in ("pedestrian", "bicycle"):
        phase = _posture(state, row, STRIDE if kind == "pedestrian" else PEDAL_TURN)
    return _asset(kind, int(state.instance[row]), seed, phase, int(state.label[row]))


def _posture(state: Snapshot, row: int, length: float) -> int:
    """Return the posture of a gait of some length, or -1 for an actor that stands still."""
    if state.speed[row] < STILL:
        return -1 if state.kind[row] == "pedestrian" else 0
    x, y = state.position[row]
    sine, cosine = sincos(float(state.heading[row]))
    return math.floor((float(x) * cosine + float(y) * sine) / length * POSTURES) % POSTURES


@lru_cache(maxsize=CACHED)
def _asset(kind: str, instance: int, seed: int, posture: int, label: int) -> Asset:
    own = (seed * 1009 + instance) % 2**31
    if kind == "pedestrian":
        made = pedestrian(own, standing=posture < 0, phase=(max(posture, 0) + 0.5) / POSTURES)
    elif kind == "bicycle":
        made = bicycle(own, phase=(posture + 0.5) / POSTURES)
    elif kind == "motorcycle":
        made = motorcycle(own)
    elif kind == "truck":
        made = truck(own)
    elif kind == "bus":
        made = bus(own)
    elif kind in CAR_BODIES:
        made = car(own, body=kind)
    else:
        made = anomaly_object(kind).asset()
    return _labelled(made, Label(label))


def _labelled(made: Asset, label: Label) -> Asset:
    """Return an asset with the label of its actor; a rider keeps its own unless its vehicle is an anomaly."""
    if label is Label.TEMPORAL_ANOMALY or len(made.parts) == 1:
        return made.labelled(label)
    agent = label > AGENT_OFFSET
    parts = tuple(replace(part, label=part.label.as_agent() if agent else part.label) for part in made.parts)
    return replace(made, parts=parts)
