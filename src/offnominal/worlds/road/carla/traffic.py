"""Vehicles and pedestrians of a scenario, and who drives them.

CARLA's Traffic Manager drives all vehicles, the ego vehicle along its route. Speed and distance of the ego vehicle and
of a lead car are those of the published behaviours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.worlds.road.carla.actors import Actors
from offnominal.worlds.road.carla.blueprints import Blueprints
from offnominal.worlds.road.carla.coordinates import location, vector
from offnominal.worlds.road.carla.errors import server_errors
from offnominal.worlds.road.carla.participants import Participant
from offnominal.worlds.road.carla.routes import CarlaRoute
from offnominal.worlds.road.town.behaviour import Behaviour
from offnominal.worlds.road.town.description import KMH

TRAFFIC_PORT = 8000
FOLLOWING_DISTANCE = 2.5
PHYSICS_RADIUS = 200.0
# Half sides of the boxes around vehicles and the route, and around the ego vehicle, in which no vehicle is placed, m.
ROUTE_BOX, EGO_BOX = 5.0, 15.0
PATH_STEP = 10
LARGEST_SEED = 2**31 - 1
# Lowest speed of a behaviour, km/h, and deceleration before an object, m/s².
MIN_SPEED, COMFORTABLE = 5.0, 2.0
WALKING_SPEED = 1.4


class Traffic:
    """The Traffic Manager and the road users that it drives.

    Args:
        carla: The module ``carla``.
        client: Client of the server.
        world: World of the server.
        seed: Seed of the scenario.
        port: Port of the Traffic Manager.
    """

    def __init__(self, carla: Any, client: Any, world: Any, seed: int, port: int = TRAFFIC_PORT) -> None:
        self._carla, self._world, self._port = carla, world, port
        self._stream = Stream.named(seed, 0, "reset")
        with server_errors("start its Traffic Manager"):
            self.manager = client.get_trafficmanager(port)
            self.manager.set_random_device_seed(seed % LARGEST_SEED)
            self.manager.set_global_distance_to_leading_vehicle(FOLLOWING_DISTANCE)
            self.manager.set_hybrid_physics_mode(True)
            self.manager.set_hybrid_physics_radius(PHYSICS_RADIUS)
            world.set_pedestrians_seed(seed % LARGEST_SEED)
            world.set_pedestrians_cross_factor(0.0)

    def drive(self, vehicle: Any) -> None:
        """Let the Traffic Manager drive a vehicle."""
        vehicle.set_autopilot(True, self._port)

    def release(self, vehicle: Any) -> None:
        """Let the Traffic Manager no longer drive a vehicle."""
        vehicle.set_autopilot(False, self._port)

    def follow(self, vehicle: Any, route: CarlaRoute, behaviour: Behaviour) -> None:
        """Let a vehicle follow a route with a behaviour."""
        self.drive(vehicle)
        self.manager.auto_lane_change(vehicle, False)
        self.manager.distance_to_leading_vehicle(vehicle, behaviour.braking_distance)
        points = [*route.points[PATH_STEP::PATH_STEP], route.points[-1]]
        self.manager.set_path(vehicle, [location(self._carla, point) for point in points])

    def set_speed(self, vehicle: Any, behaviour: Behaviour, room: float = math.inf) -> None:
        """Set the speed of a vehicle to that of a behaviour under the speed limit.

        Args:
            vehicle: The vehicle.
            behaviour: Its behaviour.
            room: Distance within which it must be able to stop, m. The Traffic Manager does not see objects.
        """
        limit = float(vehicle.get_speed_limit()) or behaviour.max_speed
        speed = max(MIN_SPEED, min(behaviour.max_speed, limit - behaviour.speed_below_limit))
        safe = math.sqrt(2.0 * COMFORTABLE * max(0.0, room - behaviour.braking_distance)) / KMH
        self.manager.set_desired_speed(vehicle, min(speed, safe))

    def add_vehicles(
        self, actors: Actors, blueprints: Blueprints, count: int, ego: FloatArray, keep_free: FloatArray
    ) -> list[Participant]:
        """Place vehicles at spawn points of the map; there are fewer if it has no room.

        Args:
            actors: Actors, to which they are added.
            blueprints: Blueprints of the server.
            count: Number of vehicles.
            ego: Position (3,) of the ego vehicle.
            keep_free: (k, 3): points near which no vehicle is placed.
        """
        spots = list(self._world.get_map().get_spawn_points())
        ids = blueprints.ids("vehicle.")
        taken = list(keep_free[:, :2])
        placed: list[Participant] = []
        for k in np.argsort(self._stream.uniform(len(spots)), kind="stable") if ids else ():
            if len(placed) == count:
                break
            point = vector(spots[k].location)[:2]
            if _in_box(point, [ego[:2]], EGO_BOX) or _in_box(point, taken, ROUTE_BOX):
                continue
            u, colour = self._stream.uniform(2, step=int(k), lane=1)
            vehicle = actors.try_spawn(_coloured(blueprints.find(ids[int(u * len(ids))]), colour), spots[k])
            if vehicle is not None:
                self.drive(vehicle)
                taken.append(point)
                placed.append(Participant(vehicle, vehicle.type_id))
        return placed

    def add_pedestrians(self, actors: Actors, blueprints: Blueprints, count: int) -> list[Participant]:
        """Place pedestrians on sidewalks; there are fewer if the server finds no place."""
        ids = blueprints.ids("walker.pedestrian.")
        placed = []
        for k in range(count if ids else 0):
            spot = self._world.get_random_location_from_navigation()
            if spot is None:
                continue
            u = self._stream.uniform(1, step=k, lane=2)[0]
            blueprint = blueprints.find(ids[int(u * len(ids))], is_invincible="false")
            walker = actors.try_spawn(blueprint, self._carla.Transform(spot, self._carla.Rotation()))
            if walker is not None:
                placed.append(Participant(walker, "pedestrian"))
        return placed

    def add_controllers(self, actors: Actors, blueprints: Blueprints, pedestrians: list[Participant]) -> list[Any]:
        """Create the controllers of pedestrians; they can start after the next tick."""
        blueprint = blueprints.find("controller.ai.walker") if pedestrians else None
        here = self._carla.Transform()
        return [actors.spawn(blueprint, here, attach_to=each.actor, noun="controller") for each in pedestrians]

    def start_walking(self, controllers: list[Any]) -> None:
        """Let pedestrians walk to random places."""
        for controller in controllers:
            controller.start()
            goal = self._world.get_random_location_from_navigation()
            if goal is not None:
                controller.go_to_location(goal)
            controller.set_max_speed(WALKING_SPEED)


def _in_box(point: FloatArray, centres: list[FloatArray], half: float) -> bool:
    return bool((np.abs(np.reshape(centres, (-1, 2)) - point) <= half).all(axis=1).any())


def _coloured(blueprint: Any, u: float) -> Any:
    if blueprint.has_attribute("color"):
        colours = list(blueprint.get_attribute("color").recommended_values)
        if colours:
            blueprint.set_attribute("color", colours[int(u * len(colours))])
    return blueprint
