"""Blueprints and actors of the stand-in."""

import math

import numpy as np

from .fake_geometry import BoundingBox, Location, Rotation, Transform, Vector3D, VehicleControl

CAMERA = {"image_size_x": "800", "image_size_y": "600", "fov": "90.0", "sensor_tick": "0.0", "role_name": ""}
LIDAR = {
    "channels": "32", "range": "10.0", "points_per_second": "56000", "rotation_frequency": "10.0", "upper_fov": "10.0",
    "lower_fov": "-30.0", "horizontal_fov": "360.0", "sensor_tick": "0.0", "role_name": "",
}  # fmt: skip
NOISE = {
    "noise_stddev": "0.0", "noise_seed": "0", "dropoff_general_rate": "0.45", "dropoff_intensity_limit": "0.8",
    "dropoff_zero_intensity": "0.4", "atmosphere_attenuation_rate": "0.004",
}  # fmt: skip
VEHICLE = {"role_name": "autopilot", "color": "0,0,0"}
# Attributes, tag and half extents of blueprints.
LIBRARY = {
    "sensor.camera.rgb": ({**CAMERA, "motion_blur_intensity": "0.45"}, None, None),
    "sensor.camera.depth": (CAMERA, None, None),
    "sensor.camera.semantic_segmentation": (CAMERA, None, None),
    "sensor.camera.instance_segmentation": (CAMERA, None, None),
    "sensor.lidar.ray_cast": ({**LIDAR, **NOISE}, None, None),
    "sensor.lidar.ray_cast_semantic": (LIDAR, None, None),
    "sensor.other.collision": ({"role_name": ""}, None, None),
    "controller.ai.walker": ({"role_name": ""}, None, None),
    "walker.pedestrian.0001": ({"role_name": "", "is_invincible": "true"}, 12, (0.2, 0.2, 0.9)),
    "vehicle.lincoln.mkz_2020": (VEHICLE, 14, (2.4, 0.9, 0.7)),
    "vehicle.tesla.model3": (VEHICLE, 14, (2.4, 1.0, 0.7)),
    "vehicle.bh.crossbike": (VEHICLE, 19, (0.8, 0.4, 0.8)),
    "static.prop.barrel": ({"role_name": "", "size": "medium"}, 20, (0.4, 0.4, 0.6)),
}


class TrafficLightState:
    Red, Yellow, Green, Off, Unknown = range(5)


class ActorAttribute:
    recommended_values = ("255,0,0", "0,0,255")


class ActorBlueprint:
    __slots__ = ("_attributes", "id")

    def __init__(self, id, attributes):
        self.id, self._attributes = id, dict(attributes)

    def has_attribute(self, id):
        return id in self._attributes

    def get_attribute(self, id):
        self._attributes[id]
        return ActorAttribute()

    def set_attribute(self, id, value):
        if id not in self._attributes:
            raise IndexError(f"attribute '{id}' not found")
        if type(value) is not str:
            raise TypeError("set_attribute takes text")
        self._attributes[id] = value


class Actor:
    """An actor; `pose` and other names that the client does not have are those of the stand-in."""

    def __init__(self, world, blueprint, pose, parent):
        tag, half = world.server.library[blueprint.id][1:]
        self.id, self.type_id, self.parent = world.server.next_id(), blueprint.id, parent
        self.attributes = dict(blueprint._attributes)
        self.semantic_tags = [] if tag is None else [tag]
        self.bounding_box = None if half is None else BoundingBox(Location(z=half[2]), Vector3D(*half))
        self.world, self.pose, self.alive, self.born = world, pose, True, world.frame
        self.velocity = self.acceleration = 0.0
        self.listener = self.last = None
        self.autopilot = self.started = False
        self.control, self.desired = VehicleControl(), 30.0

    def _call(self, name, *arguments):
        if not self.alive:
            raise RuntimeError(f"trying to operate on a destroyed actor; {name}")
        self.world.server.note(f"{self.type_id}.{name}", self.id, *arguments)

    def world_pose(self):
        if self.parent is None:
            return self.pose
        matrix = np.array(self.parent.pose.get_matrix()) @ np.array(self.pose.get_matrix())
        yaw = self.parent.pose.rotation.yaw + self.pose.rotation.yaw
        return Transform(Location(*map(float, matrix[:3, 3])), Rotation(pitch=self.pose.rotation.pitch, yaw=yaw))

    def get_location(self):
        self._call("get_location")
        return self.pose.location if self.world.frame > self.born else Location()

    def destroy(self):
        self._call("destroy")
        if self.listener is not None:
            raise RuntimeError("a sensor is destroyed that still listens")
        self.alive = False
        del self.world.actors[self.id]
        return True


class Vehicle(Actor):
    def set_autopilot(self, enabled, port):
        self._call("set_autopilot", enabled, port)
        self.autopilot = enabled

    def get_control(self):
        self._call("get_control")
        return self.control

    def apply_control(self, control):
        self._call("apply_control", control)
        if self.autopilot:
            raise RuntimeError("the Traffic Manager controls the vehicle")
        self.control = control

    def get_speed_limit(self):
        return 50.0

    def move(self, dt):
        speed = self.velocity
        if self.autopilot:
            self.velocity += np.clip(self.desired / 3.6 - speed, -4.0 * dt, 3.0 * dt)
            self.control = VehicleControl(throttle=0.5, steer=0.25)
        else:
            self.velocity = max(0.0, speed - 8.0 * self.control.brake * dt)
        self.acceleration = (self.velocity - speed) / dt
        yaw = math.radians(self.pose.rotation.yaw)
        here, way = self.pose.location, self.velocity * dt
        self.pose = Transform(
            Location(here.x + way * math.cos(yaw), here.y + way * math.sin(yaw), 0.0), self.pose.rotation
        )


class Walker(Actor):
    def move(self, dt):
        self.velocity = 1.0 if any(c.started and c.parent is self for c in self.world.actors.values()) else 0.0


class Prop(Actor):
    def set_simulate_physics(self, enabled):
        self._call("set_simulate_physics", enabled)
        self.started = enabled

    def set_enable_gravity(self, enabled):
        self._call("set_enable_gravity", enabled)

    def move(self, dt):
        here = self.pose.location
        if self.started:
            self.pose = Transform(Location(here.x, here.y, max(0.0, here.z - 0.5)), self.pose.rotation)


class WalkerAIController(Actor):
    def start(self):
        self._call("start")
        if self.world.frame <= self.born or not isinstance(self.parent, Walker):
            raise RuntimeError("a controller starts before the tick after it was created")
        self.started = True

    def stop(self):
        self._call("stop")

    def go_to_location(self, destination):
        self._call("go_to_location", destination)
        if not self.started:
            raise RuntimeError("the controller has not started")

    def set_max_speed(self, speed):
        self._call("set_max_speed", speed)


class Sensor(Actor):
    def listen(self, callback):
        self._call("listen")
        self.listener = callback

    def stop(self):
        self._call("stop")
        self.listener = None


class TrafficLight:
    def __init__(self, world, id, group):
        self.world, self.id, self.group, self.type_id = world, id, group, "traffic.traffic_light"
        self.state, self.frozen = TrafficLightState.Yellow, False
        group.append(self)

    def get_group_traffic_lights(self):
        return list(self.group)

    def set_state(self, state):
        self.world.server.note("light.set_state", self.id, state)
        self.state = state

    def freeze(self, frozen):
        self.world.server.note("light.freeze", self.id, frozen)
        self.frozen = frozen


KINDS = {"vehicle": Vehicle, "walker": Walker, "static": Prop, "sensor": Sensor, "controller": WalkerAIController}
