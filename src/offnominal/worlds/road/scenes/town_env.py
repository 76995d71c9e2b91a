"""A town as a Gymnasium environment with dict observations: `gymnasium.make("offnominal/ROAD-Town-v0")`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict

from offnominal.core.checks import one_of
from offnominal.core.errors import InvalidState
from offnominal.core.streams import Stream, check_seed
from offnominal.core.types import Array, FloatArray, Frame
from offnominal.sensing.camera_image import Output
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.road.rig_frame import RigFrame, record
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.rigs import rig as rig_named
from offnominal.worlds.road.scenarios.anomaly import LEAD_KINDS, ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import Scenario, town_plans
from offnominal.worlds.road.scenes.ego_view import HIGH, LOW, EgoView
from offnominal.worlds.road.scenes.run import ScenarioRun, ego_pose
from offnominal.worlds.road.scenes.session import Session
from offnominal.worlds.road.scenes.town_scene import TownScene
from offnominal.worlds.road.town.errors import AnomalyNotPossible
from offnominal.worlds.road.town.simulation import ON_ROAD
from offnominal.worlds.road.town.snapshot import TICK_SECONDS, WARM_UP, Snapshot
from offnominal.worlds.road.weather import WEATHERS

SENSORS = ("rgb", "depth", "label", "instance", "lidar")
"""Sensors that an observation can have, besides the vector state."""
Observation: TypeAlias = dict[str, Array]
FARTHEST = 1000.0
ATTEMPTS = 50
CRASH_COST, OFFSET_COST = 10.0, 0.2
LEAD_DISTANCE = 9
IMAGE_SIZE = (240, 160)
INSTANCES = 2**31 - 1


class TownEnv(gymnasium.Env[Any, Any]):
    """Drive through the traffic of a town.

    An action is throttle in [0, 1], steering in [-1, 1], positive to the left, and brake in [0, 1]. A step takes 0.1 s.
    The reward of a step is the progress along the route as a share of the speed limit, minus 0.2 per 3.5 m beside the
    route, minus 10 for a crash. An episode ends with a crash, off the road, or at the end of the route.

    Observations are a dict: ``"state"`` is a vector, see `CHANNELS` of :mod:`offnominal.worlds.road.scenes.ego_view`;
    sensors add ``"NAME/rgb"`` and so on, for every camera or lidar NAME of the rig. A lidar gives x, y, z relative to
    the vehicle and intensity; all are zero without a return.

    Args:
        town: Name of the town.
        weather: Name of the weather.
        sensors: Some of `SENSORS`.
        rig: Sensor rig; None is ``mono`` with images of 240 x 160 pixels.
        autopilot: Whether the behaviour agent drives; actions are then ignored.
        anomaly: Name of a temporal anomaly, a content anomaly on the route, or None.
        vehicles: Number of other vehicles; None is the town's default.
        pedestrians: Number of pedestrians; None is the town's default.
        render_mode: None, or ``"rgb_array"`` for the image of the first camera.

    Example:
        >>> env = TownEnv("residential", vehicles=5, pedestrians=5, autopilot=True)
        >>> observation, info = env.reset(seed=1)
        >>> observation["state"].shape, info["active"]
        ((14,), False)
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1.0 / TICK_SECONDS)}  # noqa: RUF012

    def __init__(
        self,
        town: str = "small-town",
        *,
        weather: str = "CLEAR_NOON",
        sensors: Sequence[str] = (),
        rig: Rig | str | None = None,
        autopilot: bool = False,
        anomaly: str | ContentAnomaly | None = None,
        vehicles: int | None = None,
        pedestrians: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        width, height = IMAGE_SIZE
        small = replace(rig_named("mono"), width=width, height=height)
        self.rig: Rig = small if rig is None else rig_named(rig) if isinstance(rig, str) else rig
        self.sensors = tuple(one_of("a sensor", each, SENSORS) for each in sensors)
        self.autopilot = autopilot
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, ("rgb_array",))
        self._scenario = Scenario(
            "episode", town, weather, seed=0, vehicles=0, pedestrians=0, ego="avoiding", anomaly=_anomaly(anomaly)
        )
        plan = town_plans()[self._scenario.town]
        self._scenario = self._scenario.replace(
            vehicles=plan.vehicles if vehicles is None else vehicles,
            pedestrians=plan.pedestrians if pedestrians is None else pedestrians,
        )
        self._controls = Box(np.array((0.0, -1.0, 0.0), np.float32), np.ones(3, np.float32))
        self.action_space = self._controls
        self.observation_space = Dict(self._spaces())
        self._used = _with_sensors(self.rig, self.sensors)
        self._seed: int | None = None
        self._episode = -1
        self._scene: TownScene
        self._session: Session
        self._view: EgoView
        self._state: Snapshot | None = None
        self._ended = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode after the traffic has settled; without a seed, the next one of the current seed."""
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if seed is None and self._seed is None:
            seed = int(self.np_random.integers(2**62))
        if seed is None:
            self._episode += 1
        else:
            self._seed, self._episode = seed, 0
        self._ended = False
        run = self._drawn_run()
        self._scene = TownScene(run.town, seed=run.scenario.seed)
        self._session, self._view = run.session(), EgoView(run.route)
        for _ in range(WARM_UP):
            self._state = self._session.step()
            self._view.update(self._state)
        return self._observation(), self._info(crashed=False)

    def step(self, action: FloatArray) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Advance by one tick."""
        if self._state is None:
            raise InvalidState("step was called before the first reset; call reset first.")
        if self._ended:
            raise InvalidState("the episode has ended; call reset before the next step.")
        given = checked_actions(action, (3,), self._controls)
        self._state = state = self._session.step(None if self.autopilot else given)
        moved, offset = self._view.update(state), abs(self._view.offset(state))
        crashed = self._crashed(state)
        reward = min(1.0, moved / (self._view.limit * TICK_SECONDS)) - OFFSET_COST * min(1.0, offset / 3.5)
        self._ended = crashed or self._view.remaining <= 1
        return self._observation(), reward - CRASH_COST * crashed, self._ended, False, self._info(crashed=crashed)

    def render(self) -> Frame | None:
        """Return the image of the first camera, or None without a render mode."""
        if self.render_mode is None or self._state is None:
            return None
        first = replace(self.rig, mounts=(replace(self.rig.cameras[0], lidar=False),))
        image = self._recorded(first, ("rgb",)).cameras[first.cameras[0].name].image.rgb
        assert image is not None
        return image

    def _drawn_run(self) -> ScenarioRun:
        """Return the scenario of the episode: the first drawn seed for which the anomaly is possible."""
        assert self._seed is not None
        draws = Stream.named(self._seed, self._episode, "town")
        for attempt in range(ATTEMPTS):
            chosen = int(draws.uniform(1, step=attempt)[0] * 2**53)
            run = ScenarioRun(self._scenario.replace(seed=chosen), rig=self.rig)
            try:
                _ = run.route
            except AnomalyNotPossible:
                continue
            return run
        raise AnomalyNotPossible(f"{self._scenario.town} has no place for the anomaly in {ATTEMPTS} draws.")

    def _crashed(self, state: Snapshot) -> bool:
        x, y = (float(each) for each in state.position[0])
        graph = self._view.route.graph
        ego = int(state.instance[0])
        if any(hit.tick == state.tick and hit.vehicle == ego for hit in self._session.hits):
            return True
        return abs(graph.to_lane(x, y).d) > ON_ROAD or any(
            ego in pair for pair in self._session.simulation.collisions()
        )

    def _info(self, *, crashed: bool) -> dict[str, Any]:
        state = self._state
        assert state is not None
        success = self._view.remaining <= 1 and not crashed
        return {"active": state.is_anomalous, "crashed": crashed, "success": success, "tick": state.tick}

    def _recorded(self, rig: Rig, outputs: Sequence[Output]) -> RigFrame:
        state = self._state
        assert state is not None
        scene = self._scene.at(state, pose=self._session.pose)
        sky = WEATHERS[self._scenario.weather]
        pose, seed = ego_pose(state), self._scene.seed
        return record(scene, rig, *pose, weather=sky, seed=seed, step=state.tick, outputs=outputs)

    def _observation(self) -> Observation:
        assert self._state is not None
        found: Observation = {"state": self._view.vector(self._state, self._session.simulation)}
        if not self.sensors:
            return found
        outputs: tuple[Any, ...] = tuple(name for name in self.sensors if name != "lidar")
        frame = self._recorded(self._used, outputs)
        for name, camera in frame.cameras.items():
            for output in outputs:
                found[f"{name}/{output}"] = _as_observation(output, getattr(camera.image, output))
        position, yaw = ego_pose(self._state)
        for name, lidar in frame.lidars.items():
            cloud = lidar.measured
            points = rotated(cloud.points - np.array(position), rotation_about_z(yaw).T)
            both = np.concatenate([points, np.asarray(cloud.intensity)[..., None]], axis=2)
            found[f"{name}/lidar"] = np.where(cloud.returned[..., None], both, 0.0).astype(np.float32)
        return found

    def _spaces(self) -> dict[str, gymnasium.Space[Any]]:
        size, cloud = (self.rig.height, self.rig.width), (self.rig.channels, self.rig.columns, 4)
        reach = 2.0 * self.rig.lidar_range
        kinds: dict[str, gymnasium.Space[Any]] = {
            "rgb": Box(0, 255, (*size, 3), np.uint8),
            "depth": Box(0.0, FARTHEST, size, np.float32),
            "label": Box(0, 255, size, np.uint8),
            "instance": Box(0, INSTANCES, size, np.int32),
            "lidar": Box(-reach, reach, cloud, np.float32),
        }
        found: dict[str, gymnasium.Space[Any]] = {"state": Box(LOW, HIGH)}
        for name in self.sensors:
            mounts = self.rig.lidars if name == "lidar" else self.rig.cameras
            found.update({f"{mount.name}/{name}": kinds[name] for mount in mounts})
        return found


def _with_sensors(rig: Rig, sensors: Sequence[str]) -> Rig:
    """Return a rig with only the cameras and lidars that an observation needs."""
    lidar, camera = "lidar" in sensors, any(name != "lidar" for name in sensors)
    chosen = [(each, each.camera and camera, each.lidar and lidar) for each in rig.mounts]
    mounts = tuple(replace(each, camera=sees, lidar=scans) for each, sees, scans in chosen if sees or scans)
    return replace(rig, mounts=mounts) if mounts else rig


def _anomaly(given: str | ContentAnomaly | None) -> ContentAnomaly | TemporalAnomaly | None:
    if not isinstance(given, str):
        return given
    actor = "walker.pedestrian" if given == "jaywalker" else "vehicle.sedan"
    return TemporalAnomaly(given, actor, lead_distance=LEAD_DISTANCE if given in LEAD_KINDS else None)


def _as_observation(output: str, array: Array) -> Array:
    if output == "depth":
        return np.minimum(array, np.float32(FARTHEST))
    return array.astype(np.uint8) if output == "label" else array
