"""A strict stand-in for the part of CARLA's client package that the back end uses.

Unknown names, attributes and blueprints raise, as do calls in the wrong order: a tick in asynchronous mode, an actor
that is used after it was destroyed, a controller that starts before a tick. All calls are noted.
"""

from types import ModuleType, SimpleNamespace

import numpy as np

from . import fake_geometry as geometry
from .fake_actors import KINDS, LIBRARY, ActorBlueprint, Sensor, TrafficLight, TrafficLightState, WalkerAIController
from .fake_geometry import Location, Map, Transform, Vector3D, WorldSettings
from .fake_sensors import deliver


class WeatherParameters:
    ClearNoon, HardRainSunset = "clear noon", "hard rain at sunset"


class ActorList(list):
    def filter(self, wildcard_pattern):
        return ActorList(each for each in self if each.type_id.startswith(wildcard_pattern.removesuffix("*")))


class ActorSnapshot:
    def __init__(self, actor):
        self._pose, ahead = actor.pose, np.array(actor.pose.get_matrix())[:3, 0]
        self._velocity, self._acceleration = actor.velocity * ahead, actor.acceleration * ahead

    def get_transform(self):
        return self._pose

    def get_velocity(self):
        return Vector3D(*self._velocity)

    def get_acceleration(self):
        return Vector3D(*self._acceleration)


class WorldSnapshot:
    def __init__(self, world):
        self.frame = world.frame
        self._actors = {a.id: ActorSnapshot(a) for a in world.actors.values() if a.born < world.frame}

    def has_actor(self, actor_id):
        return actor_id in self._actors

    def find(self, actor_id):
        return self._actors[actor_id]


class World:
    def __init__(self, server, name):
        self.server, self.settings, self.map = server, server.settings, Map(name)
        self.frame, self.actors, self.walked = server.first_frame, {}, 0
        group = []
        self.lights = ActorList(TrafficLight(self, id, group) for id in (12, 11))
        self._snapshot = WorldSnapshot(self)

    def get_settings(self):
        return WorldSettings(**{name: getattr(self.settings, name) for name in WorldSettings.__slots__})

    def apply_settings(self, world_settings):
        self.server.note("apply_settings", world_settings)
        step = world_settings.fixed_delta_seconds
        if step and step > world_settings.max_substeps * world_settings.max_substep_delta_time + 1e-9:
            raise RuntimeError("the substeps do not cover the step")
        self.settings = self.server.settings = world_settings
        return self.frame

    def tick(self, seconds):
        self.server.note("tick")
        if not (self.settings.synchronous_mode and self.server.traffic.synchronous):
            raise RuntimeError("tick in asynchronous mode")
        if self.frame - self.server.first_frame == self.server.fails_after:
            raise RuntimeError(f"time-out of {1000 * seconds:.0f}ms while waiting for the simulator")
        for actor in list(self.actors.values()):
            if hasattr(actor, "move"):
                actor.move(self.settings.fixed_delta_seconds)
        self.frame += 1
        self._snapshot = WorldSnapshot(self)
        deliver(self, self.frame)
        return self.frame

    def get_snapshot(self):
        return self._snapshot

    def get_map(self):
        return self.map

    def get_blueprint_library(self):
        return [ActorBlueprint(id, attributes) for id, (attributes, _, _) in self.server.library.items()]

    def get_actors(self):
        return ActorList([*self.actors.values(), *self.lights])

    def get_traffic_lights_from_waypoint(self, waypoint, distance):
        return list(self.lights[:1]) if waypoint.road_id == 1 and 200.0 - waypoint.s < distance else []

    def set_weather(self, weather):
        self.server.note("set_weather", weather)

    def set_pedestrians_seed(self, seed):
        self.server.note("set_pedestrians_seed", seed)

    def set_pedestrians_cross_factor(self, percentage):
        self.server.note("set_pedestrians_cross_factor", percentage)

    def get_random_location_from_navigation(self):
        self.walked += 1
        return Location(56.0 + 6.0 * self.walked, 5.0, 1.0) if self.walked % 5 else None

    def try_spawn_actor(self, blueprint, transform, attach_to=None):
        if type(transform) is not Transform:
            raise TypeError("try_spawn_actor takes a Transform")
        kind = KINDS[blueprint.id.split(".")[0]]
        if (kind in (Sensor, WalkerAIController)) != (attach_to is not None and attach_to.alive):
            raise RuntimeError(f"a {blueprint.id} is attached wrongly")
        self.server.note("spawn", blueprint.id, blueprint._attributes, transform)
        if attach_to is None and any(
            each.bounding_box is not None and each.pose.location.distance(transform.location) < 2.5
            for each in self.actors.values()
        ):
            return None
        actor = kind(self, blueprint, transform, attach_to)
        self.actors[actor.id] = actor
        return actor


class TrafficManager:
    def __init__(self, server):
        self._server, self.synchronous, self.paths = server, False, {}

    def set_synchronous_mode(self, mode_switch):
        self._server.note("tm.set_synchronous_mode", mode_switch)
        self.synchronous = mode_switch

    def _driven(self, name, actor, *arguments):
        self._server.note(f"tm.{name}", actor.id, *arguments)
        if not (actor.alive and actor.autopilot):
            raise RuntimeError(f"the Traffic Manager does not drive the vehicle; {name}")

    def set_desired_speed(self, actor, speed):
        self._driven("set_desired_speed", actor, round(speed, 9))
        actor.desired = speed

    def set_path(self, actor, path):
        self._driven("set_path", actor, [point.array().tolist() for point in path])
        self.paths.setdefault(actor.id, []).append(path)

    def auto_lane_change(self, actor, enable):
        self._driven("auto_lane_change", actor, enable)

    def distance_to_leading_vehicle(self, actor, distance):
        self._driven("distance_to_leading_vehicle", actor, distance)

    def set_random_device_seed(self, value):
        self._server.note("tm.set_random_device_seed", value)

    def set_global_distance_to_leading_vehicle(self, distance):
        self._server.note("tm.set_global_distance_to_leading_vehicle", distance)

    def set_hybrid_physics_mode(self, enabled):
        self._server.note("tm.set_hybrid_physics_mode", enabled)

    def set_hybrid_physics_radius(self, r):
        self._server.note("tm.set_hybrid_physics_radius", r)


class FakeServer:
    """What the tests see and change of the stand-in."""

    def __init__(self):
        self.calls, self.version, self.client_version, self.reachable = [], "0.9.16", "0.9.16", True
        self.library, self.maps = dict(LIBRARY), ["/Game/Carla/Maps/Town01", "/Game/Carla/Maps/Town05"]
        self.settings, self.first_frame, self.fails_after = WorldSettings(), 1000, -1
        self.traffic, self.world, self.ids = TrafficManager(self), None, 100
        self.collisions, self.mute = [], ""

    def note(self, name, *arguments):
        self.calls.append((name, repr(arguments)))

    def next_id(self):
        self.ids += 1
        return self.ids

    def silent(self, sensor):
        return bool(self.mute) and sensor.type_id.endswith(self.mute)


class Client:
    server: FakeServer

    def __init__(self, host, port):
        self.timeout = None

    def set_timeout(self, seconds):
        self.timeout = seconds

    def get_client_version(self):
        return self.server.client_version

    def get_server_version(self):
        if not self.server.reachable:
            raise RuntimeError(f"time-out of {1000 * self.timeout:.0f}ms while waiting for the simulator")
        return self.server.version

    def get_available_maps(self):
        return list(self.server.maps)

    def load_world(self, map_name):
        self.server.note("load_world", map_name)
        self.server.ids = 100
        self.server.world = World(self.server, map_name)
        return self.server.world

    def get_trafficmanager(self, port):
        self.server.note("get_trafficmanager", port)
        return self.server.traffic


def fake_carla():
    """Return a module ``carla`` and its server."""
    server = FakeServer()
    module = ModuleType("carla")
    names = ("Location", "Rotation", "Transform", "Vector3D", "VehicleControl", "WorldSettings", "BoundingBox")
    contents = {name: getattr(geometry, name) for name in names}
    contents |= {"TrafficLightState": TrafficLightState, "WeatherParameters": WeatherParameters}
    contents["Client"] = type("Client", (Client,), {"server": server})
    module.__dict__.update(contents)
    return SimpleNamespace(module=module, server=server)
