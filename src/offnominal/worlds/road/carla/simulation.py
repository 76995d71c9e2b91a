"""A scenario on a CARLA server, tick by tick."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.carla.actors import Actors
from offnominal.worlds.road.carla.blueprints import EGO, Blueprints, weather_parameters
from offnominal.worlds.road.carla.connection import Server
from offnominal.worlds.road.carla.coordinates import lifted, transform, vector
from offnominal.worlds.road.carla.errors import CarlaError, NotOnServer, server_errors
from offnominal.worlds.road.carla.frames import FrameDecoder
from offnominal.worlds.road.carla.green_wave import GreenWave
from offnominal.worlds.road.carla.participants import Participant, boxes_of, light_states, state_of
from offnominal.worlds.road.carla.rerouting import Rerouting, closed_roads
from offnominal.worlds.road.carla.routes import CarlaRoute
from offnominal.worlds.road.carla.semantic_tags import Role
from offnominal.worlds.road.carla.sensors import RigSensors, sensor_kinds
from offnominal.worlds.road.carla.traffic import Traffic
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import Scenario
from offnominal.worlds.road.scenes.hit import Hit
from offnominal.worlds.road.scenes.object_body import SAME_HIT
from offnominal.worlds.road.town.behaviour import make_behaviour
from offnominal.worlds.road.town.snapshot import Snapshot

LEAD_TRIES = 5
LEAD_ABOVE = 0.7
FULL_BRAKE = 1.0
# The Traffic Manager also stands still with the full brake, so braking counts from this deceleration on, m/s².
HARD_BRAKING = 4.0


class CarlaSimulation:
    """A scenario on a server. It is a context manager; at its end, all actors are destroyed and settings restored.

    Args:
        server: The server.
        world: Its world, with the map of the scenario.
        scenario: The scenario.
        route: Route of the ego vehicle.
        start: Its pose at the start, as a transform of CARLA.
        rig: Rig with the sensors; None simulates without sensors.
        twin: Whether to simulate without the anomaly.
        objects: Blueprints of anomaly objects by their names.
        traffic_port: Port of the Traffic Manager.
    """

    def __init__(
        self,
        server: Server,
        world: Any,
        scenario: Scenario,
        route: CarlaRoute,
        start: Any,
        *,
        rig: Rig | None,
        twin: bool,
        objects: Mapping[str, str],
        traffic_port: int,
    ) -> None:
        self._server, self._world, self._scenario = server, world, scenario
        self._route, self._start, self._rig = route, start, rig
        self._objects, self._traffic_port = objects, traffic_port
        self._anomaly = None if twin else scenario.anomaly
        self._speed, self._hit_before = 0.0, -SAME_HIT - 1
        self._touched = False
        self._stack = ExitStack()
        self._discards: set[str] = set()
        self._controllers: list[Any] = []
        self._sensors: RigSensors | None = None
        self._rerouting: Rerouting | None = None
        self._lead: Participant | None = None
        self._object: Participant | None = None
        self.tick = 0
        self.hits: list[Hit] = []
        self.frame = -1
        self.participants: list[Participant] = []

    def __enter__(self) -> CarlaSimulation:
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded, after the published rules; empty if it is accepted."""
        return tuple(sorted(self._discards))

    def _begin(self) -> None:
        """Change to synchronous mode and place everything."""
        carla, world, scenario = self._server.carla, self._world, self._scenario
        self._traffic = Traffic(carla, self._server.client, world, scenario.seed, self._traffic_port)
        self._stack.enter_context(synchronous_mode(world, self._traffic.manager, scenario.timing.tick))
        self._actors = Actors(world)
        self._stack.callback(self._actors.destroy)
        self._green_wave = GreenWave(carla, world)
        self._stack.callback(self._green_wave.end)
        self._behaviour, self._lead_behaviour = make_behaviour(scenario.behaviour), make_behaviour("aggressive")
        with server_errors("prepare the scenario"):
            world.set_weather(weather_parameters(carla, scenario.weather))
            self._lights = sorted(world.get_actors().filter("traffic.traffic_light*"), key=lambda light: light.id)
            self._blueprints = Blueprints(world.get_blueprint_library(), self._objects)
            self._place_ego()
            self._place_others()

    def _place_ego(self) -> None:
        blueprint = self._blueprints.find(EGO, role_name="hero")
        ego = self._actors.spawn(blueprint, self._start, noun="ego vehicle")
        self._ego = Participant(ego, ego.type_id, Role(Label.EGO_VEHICLE))
        self._traffic.follow(ego, self._route, self._behaviour)
        collisions = self._actors.spawn(
            self._blueprints.find("sensor.other.collision"),
            self._server.carla.Transform(),
            attach_to=ego,
            noun="collision sensor",
        )
        collisions.listen(self._note_collision)
        if self._rig is not None:
            kinds = sensor_kinds(self._rig, self._scenario.timing.tick, self._scenario.seed)
            self._sensors = RigSensors(self._server.carla, self._actors, self._blueprints, ego, kinds)

    def _place_others(self) -> None:
        """Place lead car, traffic, pedestrians and the object. A twin keeps their places free in the same way."""
        scenario, free = self._scenario, self._route.points[:1]
        planned = scenario.planned
        if isinstance(planned, TemporalAnomaly):
            self._lead = self._place_lead(planned)
            free = self._route.points[: LEAD_TRIES + (planned.lead_distance or 0) + 1]
        elif isinstance(planned, ContentAnomaly):
            free = self._route.points[: round(planned.distance) + 1]
        start = vector(self._start.location)
        vehicles = self._traffic.add_vehicles(self._actors, self._blueprints, scenario.vehicles, start, free)
        walkers = self._traffic.add_pedestrians(self._actors, self._blueprints, scenario.pedestrians)
        self._vehicles, self._walkers = vehicles, walkers
        if isinstance(self._anomaly, ContentAnomaly):
            self._object = self._place_object(self._anomaly)
        blind = scenario.ego == "blind"
        if isinstance(planned, ContentAnomaly) and (blind or self._anomaly is not None):
            closed = closed_roads(self._route, planned.distance)
            self._rerouting = Rerouting(self._world.get_map(), self._traffic.manager, closed, scenario.seed)
        some = [each for each in (self._ego, self._lead) if each is not None]
        self.participants = [*some, *vehicles, *walkers, *([self._object] if self._object is not None else [])]
        self._decoder = None if self._rig is None else FrameDecoder(self._rig, self.participants)

    def _place_lead(self, anomaly: TemporalAnomaly) -> Participant:
        """Place the car ahead on the route, up to 4 m farther away if its place is not free."""
        blueprint = self._blueprints.vehicle(anomaly.actor)
        for more in range(LEAD_TRIES):
            point, yaw = self._route.pose_at((anomaly.lead_distance or 0) + more)
            pose = transform(self._server.carla, lifted(point, LEAD_ABOVE), yaw)
            car = self._actors.try_spawn(blueprint, pose)
            if car is not None:
                self._traffic.follow(car, self._route.after(point), self._lead_behaviour)
                return Participant(car, car.type_id, Role(is_agent=True))
        raise NotOnServer(f"the CARLA server could not place the lead car {anomaly.lead_distance} m ahead.")

    def _place_object(self, anomaly: ContentAnomaly) -> Participant:
        """Place the object of a content anomaly. It drops, unless it is one in the air."""
        point, yaw = self._route.pose_at(anomaly.distance)
        left = np.array([-np.sin(np.radians(yaw)), np.cos(np.radians(yaw)), 0.0])
        place = lifted(point + anomaly.lateral_offset * left, float(anomaly.height or 0.0))
        blueprint = self._blueprints.object(anomaly.name)
        pose = transform(self._server.carla, place, yaw + anomaly.yaw)
        prop = self._actors.spawn(blueprint, pose, noun="anomaly object")
        falls = anomaly.placement != "air"
        prop.set_simulate_physics(falls)
        prop.set_enable_gravity(falls)
        return Participant(prop, anomaly.name, Role(anomaly.label), anomalous=True)

    def advance(self) -> None:
        """Simulate one tick."""
        with server_errors("control its vehicles"):
            if self.tick == 1:
                self._controllers = self._traffic.add_controllers(self._actors, self._blueprints, self._walkers)
            elif self.tick == 2:
                self._traffic.start_walking(self._controllers)
            if self.tick > 0:
                self._decide()
        self.frame = advance(self._world, self._server.timeout)
        self.tick += 1
        if self._sensors is not None:
            self._sensors.discard(self.frame)
        if self._lead is not None and isinstance(self._anomaly, TemporalAnomaly):
            first, last = self._anomaly.ticks or (0, -1)
            self._lead.anomalous = first <= self.tick <= last
            self._lead.role = Role(Label.TEMPORAL_ANOMALY) if self._lead.anomalous else Role(is_agent=True)

    def _decide(self) -> None:
        """Set traffic lights, speeds, the brake of the lead car and the paths of other vehicles."""
        ego, lead = self._ego.actor, self._lead
        self._green_wave.update([ego] if lead is None else [ego, lead.actor])
        self._traffic.set_speed(ego, self._behaviour, self._room())
        if lead is not None:
            self._drive_lead(lead.actor)
        if self._rerouting is not None:
            self._rerouting.update(self._vehicles, self.tick)
            if self._rerouting.dead_end:
                self._discards.add("a vehicle finds no way around the obstacle")

    def _room(self) -> float:
        """Return the distance along the route to the object, m; infinite without one that the ego vehicle avoids."""
        if not isinstance(self._anomaly, ContentAnomaly) or self._anomaly.placement == "air":
            return np.inf
        if self._scenario.ego == "blind":
            return np.inf
        here = self._route.nearest(vector(self._ego.actor.get_location()))
        half = float(self._ego.half[0]) + (0.0 if self._object is None else float(self._object.half[:2].max()))
        return max(0.0, self._anomaly.distance - here - half)

    def _drive_lead(self, car: Any) -> None:
        """Brake with full force from the tick before the first anomalous state on; otherwise follow the route."""
        ticks = self._anomaly.ticks if isinstance(self._anomaly, TemporalAnomaly) else None
        if ticks is not None and ticks[0] - 1 <= self.tick < ticks[1] - 1:
            if self.tick == ticks[0] - 1:
                self._traffic.release(car)
            steer = car.get_control().steer
            car.apply_control(self._server.carla.VehicleControl(throttle=0.0, steer=steer, brake=FULL_BRAKE))
            return
        if ticks is not None and self.tick == ticks[1] - 1:
            self._traffic.follow(car, self._route.after(vector(car.get_location())), self._lead_behaviour)
        self._traffic.set_speed(car, self._lead_behaviour)

    def _note_collision(self, event: Any) -> None:
        if event.other_actor.type_id.startswith("walker."):
            self._discards.add("the ego vehicle hits a pedestrian")
        if self._object is not None and event.other_actor.id == self._object.actor.id:
            self._touched = True

    def _note_hit(self, state: Snapshot) -> None:
        """Note a hit of the object if the ego vehicle has touched it since the last state."""
        before, self._speed = self._speed, float(state.speed[0])
        if self._touched and self.tick - self._hit_before > SAME_HIT:
            slowdown = max(0.0, before - self._speed)
            self.hits.append(Hit(self.tick, int(state.instance[0]), before, slowdown, float(state.speed[-1])))
        self._hit_before = self.tick if self._touched else self._hit_before
        self._touched = False

    def state(self) -> Snapshot:
        """Return the state of all road users and objects after the last tick."""
        with server_errors("give the state of its actors"):
            control = self._ego.actor.get_control()
            lights = light_states(self._server.carla, self._lights)
            state = state_of(self.participants, self._world.get_snapshot(), self.tick, lights, control)
        self._note_hit(state)
        hard = control.brake >= FULL_BRAKE and state.acceleration[0] < -HARD_BRAKING
        if hard and not isinstance(self._anomaly, TemporalAnomaly):
            self._discards.add("the ego vehicle brakes with full force")
        return state

    def ego_pose(self) -> tuple[FloatArray, float]:
        """Return the position (3,) of the ego vehicle on the ground, and its direction in degrees to the left."""
        found = self._world.get_snapshot().find(self._ego.actor.id).get_transform()
        return vector(found.location), -float(found.rotation.yaw) + 0.0

    def record(self) -> RigFrame:
        """Return what all sensors have recorded in the last tick.

        Raises:
            CarlaTimeout: The data of a sensor does not arrive in time.
        """
        assert self._sensors is not None
        assert self._decoder is not None
        data = self._sensors.take(self.frame, self._server.timeout)
        with server_errors("give the state of its actors"):
            boxes = boxes_of(self.participants, self._world.get_snapshot())
        return self._decoder.decode(data, boxes)


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
