"""Sensors of the stand-in: boxes on a plane, in CARLA's encodings."""

import math
import threading
import time

import numpy as np

ROAD, SKY = 1, 11
FAR = 2**24 - 1


class SensorData:
    __slots__ = ("_counts", "channels", "frame", "height", "raw_data", "transform", "width")

    def __init__(self, frame, transform, raw, *, counts=(), **more):
        self.frame, self.transform, self.raw_data, self._counts = frame, transform, raw, counts
        for name, value in more.items():
            setattr(self, name, value)

    def get_point_count(self, channel):
        return int(self._counts[channel])


class CollisionEvent:
    __slots__ = ("actor", "frame", "other_actor")

    def __init__(self, frame, actor, other):
        self.frame, self.actor, self.other_actor = frame, actor, other


def boxes(world, without):
    """Return id, tag, centre, axes and half extents of all visible actors."""
    for actor in world.actors.values():
        if actor.id != without.id and actor.bounding_box is not None:
            matrix = np.array(actor.pose.get_matrix())
            centre = matrix[:3, 3] + matrix[:3, :3] @ actor.bounding_box.location.array()
            yield actor, centre, matrix[:3, :3], actor.bounding_box.extent.array()


def camera_image(world, sensor, frame):
    """Return an image: sky, road, and a rectangle for each actor, the nearest in front."""
    width, height = int(sensor.attributes["image_size_x"]), int(sensor.attributes["image_size_y"])
    focal = 0.5 * width / math.tan(math.radians(0.5 * float(sensor.attributes["fov"])))
    pose = sensor.world_pose()
    matrix = np.array(pose.get_matrix())
    depth = np.full((height, width), np.inf)
    tag, identity = np.full((height, width), SKY), np.zeros((height, width), int)
    below = (np.arange(height) + 0.5 - 0.5 * height)[:, None] / focal
    ground = np.broadcast_to(matrix[2, 3] / np.maximum(below, 1e-6), depth.shape)
    depth[:] = np.where((below > 0.0) & (ground < 300.0), ground, np.inf)
    tag[np.isfinite(depth)] = ROAD
    for actor, centre, axes, half in boxes(world, sensor.parent):
        corners = np.array(
            [centre + axes @ (half * sign) for sign in np.ndindex(2, 2, 2) for sign in [np.array(sign) * 2 - 1]]
        )
        ahead, right, up = ((corners - matrix[:3, 3]) @ matrix[:3, :3]).T
        if ahead.min() < 0.5:
            continue
        u, v = 0.5 * width + focal * right / ahead, 0.5 * height - focal * up / ahead
        rows = slice(max(0, math.floor(v.min())), max(0, math.ceil(v.max())))
        columns = slice(max(0, math.floor(u.min())), max(0, math.ceil(u.max())))
        away = float(ahead.mean())
        nearer = depth[rows, columns] > away
        depth[rows, columns][nearer] = away
        tag[rows, columns][nearer] = actor.semantic_tags[0]
        identity[rows, columns][nearer] = (7 * actor.id + 13) & 0xFFFF
    bgra = np.full((height, width, 4), 255, np.uint8)
    if sensor.type_id.endswith(".rgb"):
        bgra[..., 0], bgra[..., 1], bgra[..., 2] = frame % 256, 10, tag
    elif sensor.type_id.endswith(".depth"):
        code = np.where(np.isinf(depth), FAR, np.minimum(depth, 999.0) / 1000.0 * FAR).astype(int)
        bgra[..., 2], bgra[..., 1], bgra[..., 0] = code & 255, code >> 8 & 255, code >> 16
    elif sensor.type_id.endswith(".semantic_segmentation"):
        bgra[..., :3] = 0
        bgra[..., 2] = tag
    else:
        bgra[..., 2], bgra[..., 1], bgra[..., 0] = tag, identity & 255, identity >> 8
    return SensorData(frame, pose, bgra.tobytes(), width=width, height=height)


def lidar_points(world, sensor, frame):
    """Return one whole turn if the rotation fits the tick, and a part of it otherwise."""
    a = sensor.attributes
    channels, reach = int(a["channels"]), float(a["range"])
    tick = world.settings.fixed_delta_seconds
    rays = round(int(a["points_per_second"]) * tick / channels)
    turn = 2.0 * math.pi * float(a["rotation_frequency"]) * tick
    azimuth = turn * np.arange(rays) / rays
    elevation = np.radians(np.linspace(float(a["upper_fov"]), float(a["lower_fov"]), channels))[:, None]
    flat, up = np.cos(elevation), np.sin(elevation)
    rays = np.stack(np.broadcast_arrays(flat * np.cos(azimuth), flat * np.sin(azimuth), up), axis=-1)
    pose = sensor.world_pose()
    matrix = np.array(pose.get_matrix())
    ways = rays @ matrix[:3, :3].T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(ways[..., 2] < 0.0, -matrix[2, 3] / ways[..., 2], np.inf)
        tag, identity = np.full(t.shape, ROAD), np.zeros(t.shape, int)
        for actor, centre, axes, half in boxes(world, sensor.parent):
            origin, along = (matrix[:3, 3] - centre) @ axes, ways @ axes
            near, far = np.sort(np.stack([(-half - origin) / along, (half - origin) / along]), axis=0)
            first, last = near.max(axis=-1), far.min(axis=-1)
            hit = (first < last) & (first > 0.0) & (first < t)
            t[hit], tag[hit], identity[hit] = first[hit], actor.semantic_tags[0], actor.id
    back = t < reach
    places = (rays[back] * t[back][:, None]).astype(np.float32)
    counts = back.sum(axis=1)
    if sensor.type_id.endswith("_semantic"):
        kind = [("p", "<f4", 3), ("c", "<f4"), ("i", "<u4"), ("t", "<u4")]
        data = np.zeros(len(places), kind)
        data["p"], data["c"], data["i"], data["t"] = places, 0.5, identity[back], tag[back]
    else:
        noisy = places * (1.0 + 0.001 * float(a["noise_stddev"]))
        data = np.zeros(len(places), [("p", "<f4", 3), ("c", "<f4")])
        data["p"], data["c"] = noisy, 0.75
    return SensorData(frame, pose, data.tobytes(), channels=channels, counts=counts)


def deliver(world, frame):
    """Send the data of a frame from another thread: late, in reversed order, and that of the frame before once more."""
    sensors = [s for s in world.actors.values() if s.type_id.startswith("sensor.") and s.listener is not None]
    parcels = []
    for sensor in reversed(sensors):
        if sensor.type_id == "sensor.other.collision":
            parcels += [(sensor, CollisionEvent(frame, sensor.parent, other)) for other in world.server.collisions]
            continue
        make = camera_image if sensor.type_id.startswith("sensor.camera.") else lidar_points
        data = make(world, sensor, frame)
        if not world.server.silent(sensor):
            parcels.append((sensor, data))
        if sensor.last is not None:
            parcels.append((sensor, sensor.last))
        sensor.last = data

    def send():
        time.sleep(0.002)
        for sensor, data in parcels:
            listener = sensor.listener
            if listener is not None:
                listener(data)

    threading.Thread(target=send, daemon=True).start()
