"""The run of a scenario: simulation and sensors, frame by frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import integer_in
from offnominal.sensing.camera_image import Output, render
from offnominal.sensing.camera_models import CameraModel, camera_model
from offnominal.sensing.lidar_models import LidarModel, lidar_model
from offnominal.sensing.scene import Scene
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.rig_frame import CAMERA_OUTPUTS, record
from offnominal.worlds.road.rigs import LEVEL, Attitude, Rig
from offnominal.worlds.road.rigs import rig as rig_named
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import Scenario
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenes.driving_frame import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.scenes.ego_body import EgoBody
from offnominal.worlds.road.scenes.ego_trace import EgoTrace, could_touch, ego_row
from offnominal.worlds.road.scenes.looks import PLAIN, Look
from offnominal.worlds.road.scenes.looks import look as look_named
from offnominal.worlds.road.scenes.object_motion import ObjectMotion, ObjectPose
from offnominal.worlds.road.scenes.scenario_route import route_of
from offnominal.worlds.road.scenes.session import Session
from offnominal.worlds.road.scenes.town_scene import TownScene
from offnominal.worlds.road.town.errors import InvalidSpawn
from offnominal.worlds.road.town.routes import Route
from offnominal.worlds.road.town.setup import Partner, draw_routes
from offnominal.worlds.road.town.simulation import TownSimulation
from offnominal.worlds.road.town.snapshot import EGO, TICK_SECONDS, Snapshot
from offnominal.worlds.road.town.town import Town, make_town
from offnominal.worlds.road.weather import WEATHERS


@dataclass(frozen=True)
class _Outcome:
    """What is known after the last tick."""

    discards: tuple[str, ...]
    truth: AnomalyTruth | None


class ScenarioRun:
    """A scenario in simulation, as an iterable of frames.

    Each iteration runs the whole scenario again and gives the same bytes. The ego vehicle is not part of its own
    images; everything else is as the state of a frame says, also the labels of rerouted vehicles and of anomalies.

    Args:
        scenario: The scenario.
        rig: Sensor rig; None is that of the scenario.
        twin: Whether to run the nominal twin: the same scenario without its anomaly.
        outputs: Outputs of the cameras.
        samples: Antialiasing of the cameras, see :class:`~offnominal.sensing.Camera`.
        camera: How cameras make their images, or its name; None is that of the rig. ``CAMERA_MODELS`` has some.
        lidar: How lidars measure a turn, or its name; None is that of the rig. ``LIDAR_MODELS`` has some.
        look: How much detail scenes show, or its name; ``LOOKS`` has some.

    Example:
        >>> from offnominal.worlds.road.rigs import Mount
        >>> from offnominal.worlds.road.scenarios import Timing
        >>> scenario = Scenario(
        ...     "short", "residential", "CLEAR_NOON", seed=3, vehicles=5, pedestrians=5, timing=Timing(2, 4)
        ... )
        >>> tiny = Rig("tiny", (Mount("top", (0.0, 0.0, 1.8)),), width=32, height=24, channels=4, columns=32)
        >>> [(frame.number, frame.tick, len(frame.sensors.cameras)) for frame in ScenarioRun(scenario, rig=tiny)]
        [(0, 3, 1), (1, 4, 1), (2, 5, 1), (3, 6, 1)]
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        rig: Rig | str | None = None,
        twin: bool = False,
        outputs: Sequence[Output] = CAMERA_OUTPUTS,
        samples: int = 1,
        camera: CameraModel | str | None = None,
        lidar: LidarModel | str | None = None,
        look: Look | str = PLAIN,
    ) -> None:
        if scenario.timing.tick != TICK_SECONDS:
            raise InvalidScenario(
                f"scenario {scenario.id}: a tick takes {scenario.timing.tick} s; towns are simulated with "
                f"{TICK_SECONDS} s."
            )
        chosen = scenario.rig if rig is None else rig
        self.scenario = scenario
        self.rig: Rig = rig_named(chosen) if isinstance(chosen, str) else chosen
        if camera is not None:
            self.rig = replace(self.rig, camera_model=camera_model(camera))
        if lidar is not None:
            self.rig = replace(self.rig, lidar_model=lidar_model(lidar))
        self.look: Look = look_named(look)
        self.twin = twin
        self.outputs = tuple(outputs)
        self.samples = samples
        self.town: Town = make_town(scenario.town)
        self._nominal = twin or scenario.anomaly is None
        self._outcome: _Outcome | None = None

    def __len__(self) -> int:
        return self.scenario.timing.frames

    def __iter__(self) -> Iterator[DrivingFrame]:
        return self.frames()

    def frames(self, start: int = 0, *, numbers: Collection[int] | None = None) -> Iterator[DrivingFrame]:
        """Return the frames from one on. Frames that are left out are simulated, but not rendered.

        Args:
            start: Number of the first frame.
            numbers: Numbers of the frames; None are all of them.
        """
        first = integer_in("start", start, 0, len(self))
        weather, ticks = WEATHERS[self.scenario.weather], self.scenario.timing.frame_ticks
        scene = TownScene(self.town, seed=self.scenario.seed, look=self.look)
        body = EgoBody()
        for state, pose in self._states():
            body.update(state)
            if state.tick not in ticks or (number := ticks.index(state.tick)) < first:
                continue
            if numbers is not None and number not in numbers:
                continue
            position, yaw = ego_pose(state)
            attitude = self._attitude(body)
            sensors = record(
                scene.at(state, pose=pose, attitude=attitude), self.rig, position, yaw, weather=weather,
                seed=self.scenario.seed, step=state.tick, samples=self.samples, outputs=self.outputs,
                attitude=attitude, motion=body.motion, roughness=self.look.roughness,
            )  # fmt: skip
            yield DrivingFrame(number, state.tick, sensors, state, position, yaw)

    def states(self) -> Iterator[Snapshot]:
        """Return the states of all ticks, from tick 1 on, without rendering."""
        return (state for state, _ in self._states())

    def ego_trace(self) -> EgoTrace:
        """Return what the ego vehicle does in the recorded ticks before the anomaly can have an effect on it.

        They end when the ego vehicle comes near the place of the object, or when the road user begins to behave
        anomalously; those of a scenario that is prepared for an anomaly end where it would be. No states are made, so
        that this takes a fraction of the time of :meth:`states`.
        """
        timing, incident, motion = self.scenario.timing, self._simulation.planned, self._motion
        first, last = timing.settling_ticks + 1, timing.ticks if incident is None else incident.start - 1
        obstacle = None if motion is None else motion.obstacle()
        place = None if obstacle is None else obstacle.pose_on(self.route)
        session = self.session()
        simulation = session.simulation
        vehicles, pedestrians = len(simulation.cars.lane), len(simulation.walkers.walk)
        rows: list[list[float]] = []
        met = False
        # All ticks are simulated, so that it is known afterwards whether the scenario is discarded.
        for tick in range(1, timing.ticks + 1):
            session.advance()
            met = met or (obstacle is not None and place is not None and could_touch(simulation.cars, obstacle, place))
            if not met and first <= tick <= last:
                rows.append(ego_row(simulation.cars, simulation.controls))
        first_hit = min((hit.tick for hit in session.hits), default=None)
        return EgoTrace(np.array(rows).reshape(-1, 5), vehicles, pedestrians, simulation.discards, first_hit)

    def labels(self) -> Iterator[tuple[int, Snapshot, Callable[[], list[NDArray[np.int32]]]]]:
        """Return the number, the state and a function that renders the labels of all cameras, for every tick.

        The number is that of the frame, or -1 for a tick that is not recorded.
        """
        ticks = self.scenario.timing.frame_ticks
        scene = TownScene(self.town, seed=self.scenario.seed, look=self.look)
        body = EgoBody()
        for state, pose in self._states():
            body.update(state)
            number = ticks.index(state.tick) if state.tick in ticks else -1
            yield number, state, partial(self._labels, scene, state, pose, self._attitude(body))

    def scenes(self, *, numbers: Collection[int] | None = None) -> Iterator[tuple[int, Snapshot, Callable[..., Scene]]]:
        """Return the number, the state and the scene of every recorded frame.

        The scene is a function with the options ``ego`` and ``reach`` of :meth:`TownScene.at`.

        Args:
            numbers: Numbers of the frames; None are all of them.
        """
        ticks = self.scenario.timing.frame_ticks
        scene = TownScene(self.town, seed=self.scenario.seed, look=self.look)
        for state, pose in self._states():
            if state.tick in ticks and (numbers is None or ticks.index(state.tick) in numbers):
                yield ticks.index(state.tick), state, partial(scene.at, state, pose=pose)

    def _attitude(self, body: EgoBody) -> Attitude:
        return body.attitude if self.look.sway else LEVEL

    def _labels(
        self, scene: TownScene, state: Snapshot, pose: ObjectPose | None, attitude: Attitude
    ) -> list[NDArray[np.int32]]:
        position, yaw = ego_pose(state)
        around, found = scene.at(state, pose=pose, attitude=attitude), []
        for mount in self.rig.cameras:
            image = render(around, self.rig.camera_at(mount, position, yaw, attitude=attitude), ("label",)).label
            assert image is not None
            found.append(image)
        return found

    def check_placement(self) -> None:
        """Check the description against the town, without a simulation.

        Raises:
            InvalidSpawn: The start is inside a building or off the road, or the object is inside a building.
            NoRoute: No route leads from the start to the end, or the route ends before the object.
        """
        route_of(self.scenario, self.town)
        motion = self._motion
        if motion is None:
            return
        x, y, _ = motion.standing.position
        if self.town.building_at(x, y) is not None:
            raise InvalidSpawn(f"the object {motion.anomaly.name!r} at ({x:.1f}, {y:.1f}) is inside a building.")

    @property
    def route(self) -> Route:
        """Route of the ego vehicle."""
        return self._simulation.route

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded, after the published rules; empty if it is accepted. Simulates all ticks."""
        return self._finished.discards

    @property
    def validity(self) -> tuple[str, ...]:
        """Why the route is not valid, after the published rules; empty if it is valid."""
        return tuple(f"the route is not valid: {problem}" for problem in self.route.problems)

    def anomaly_truth(self) -> AnomalyTruth | None:
        """Return the ground truth of the anomaly, or None for a nominal scenario or twin. Simulates all ticks."""
        return self._finished.truth

    @cached_property
    def _motion(self) -> ObjectMotion | None:
        anomaly = self.scenario.planned
        if not isinstance(anomaly, ContentAnomaly):
            return None
        route = route_of(self.scenario, self.town)
        if route is None:
            drawn = draw_routes(self.town.graph, self.scenario.seed)
            route = next(each for each in drawn if each.length > anomaly.distance)
        return ObjectMotion(anomaly, route)

    @cached_property
    def _simulation(self) -> TownSimulation:
        self.check_placement()
        scenario, motion = self.scenario, self._motion
        simulation = TownSimulation(self.town, behaviour=scenario.behaviour, ego=scenario.ego)
        given = scenario.planned if isinstance(scenario.planned, TemporalAnomaly) else None
        simulation.reset(
            scenario.seed,
            vehicles=scenario.vehicles,
            pedestrians=scenario.pedestrians,
            route=route_of(scenario, self.town) if motion is None else motion.route,
            anomaly=None if given is None else given.kind,
            obstacle=None if motion is None else motion.obstacle(),
            nominal=self._nominal,
            partner=Partner() if given is None else Partner(given.actor.removeprefix("vehicle."), given.lead_distance),
            ticks=None if given is None else given.ticks,
        )
        incident = simulation.incident
        if incident is not None and incident.start > scenario.timing.ticks:
            raise InvalidScenario(
                f"scenario {scenario.id}: the anomaly {incident.kind!r} is possible at tick {incident.start}, but the "
                f"scenario ends at tick {scenario.timing.ticks}; record more ticks, or use another seed."
            )
        return simulation

    def session(self) -> Session:
        """Return a new passage through the scenario, to be advanced tick by tick, also with own controls."""
        # A copy that restarts shares nothing that changes, so two sessions can alternate.
        simulation = copy(self._simulation)
        simulation.restart()
        return Session(simulation, None if self._nominal else self._motion)

    def _states(self) -> Iterator[tuple[Snapshot, ObjectPose | None]]:
        """Run the scenario from its start; give the state and the pose of the object at every tick."""
        session = self.session()
        active: list[int] = []
        noted: Snapshot | None = None
        height = 0.0
        for tick in range(1, self.scenario.timing.ticks + 1):
            state = session.step()
            if state.is_anomalous:
                active.append(tick)
                if noted is None or (session.pose is not None and not session.hits):
                    noted, height = state, 0.0 if session.pose is None else session.pose.bottom
            yield state, session.pose
        anomaly = self.scenario.anomaly
        truth = None
        if noted is not None and anomaly is not None:
            truth = AnomalyTruth.of(anomaly, noted, active, height, hits=session.hits)
        self._outcome = _Outcome(session.simulation.discards, truth)

    @property
    def _finished(self) -> _Outcome:
        if self._outcome is None:
            for _ in self._states():
                pass
        assert self._outcome is not None
        return self._outcome


def ego_pose(state: Snapshot) -> tuple[Triple, float]:
    """Return position and yaw in degrees of the ego vehicle."""
    x, y = (float(each) for each in state.position[EGO])
    return (x, y, 0.0), math.degrees(float(state.heading[EGO]))
