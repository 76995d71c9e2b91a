"""In which share of the frames an anomaly is visible, without rendering whole images."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from offnominal.core.checks import instances_of, integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.lens import NONE
from offnominal.sensing.lidar import Lidar
from offnominal.sensing.ray_casting import cast_rays
from offnominal.sensing.scene import Scene
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios.description import Scenario
from offnominal.worlds.road.scenes.run import ScenarioRun, ego_pose
from offnominal.worlds.road.scenes.visibility_counting import (
    PUBLISHED,
    VisibleFrames,
    counted_shares,
    pooled_share,
)
from offnominal.worlds.road.town.snapshot import Snapshot
from offnominal.worlds.road.weather import WEATHERS
from offnominal.worlds.road.wet_ground import mirrored

EVERY = 10
NORMAL_95 = 1.959964
# Every how many pixels rays are cast, until one hits.
STRIDES = (12, 3, 1)
MARGIN = 0.5
NEAREST = 0.05
# Places reach farther than their centres, m.
BEHIND = 45.0
# Shadows are looked for up to this distance; rays to the sun start this far above the point that they leave, m.
SHADOW_REACH, CLEARANCE = 200.0, 1e-3


@dataclass(frozen=True)
class FrameVisibility:
    """Whether the anomaly is visible in a frame.

    Args:
        number: Number of the frame.
        camera: Whether a pixel of a camera shows it while it is active.
        lidar: Whether a beam of a lidar hits it while it is active.
    """

    number: int
    camera: bool
    lidar: bool


@dataclass(frozen=True)
class VisibleShare:
    """Share of the frames in which the anomaly is visible, with 95 % intervals over scenes.

    Args:
        type: ``"content"`` or ``"temporal"``.
        sensor: ``"camera"`` or ``"lidar"``.
        scenes: Number of scenes.
        share: Mean of their shares; each frame counts once.
        low: Lower end of its interval, normal over scenes.
        high: Upper end.
        counted: Share as the public code of AnoVox counts, see :mod:`.visibility_counting`.
        counted_low: Lower end of its interval, from a bootstrap over scenes.
        counted_high: Upper end.
        published: Published share, which is to be compared with `counted`.
    """

    type: str
    sensor: str
    scenes: int
    share: float
    low: float
    high: float
    counted: float
    counted_low: float
    counted_high: float
    published: float


def measure_visibility(scenarios: Iterable[Scenario], *, every: int = EVERY) -> list[VisibleShare]:
    """Simulate scenarios and return in which share of their frames the anomaly is visible, by type and sensor.

    Normal scenarios and those that the published rules discard are left out.

    Args:
        scenarios: The scenarios.
        every: Of scenes with an object every n-th frame is measured. Of those with a road user all frames are.

    Raises:
        InvalidParameter: No scenario has an anomaly and is accepted.
    """
    step = integer_in("every", every, 1, 10_000)
    found: dict[str, list[VisibleFrames]] = {}
    for scenario in instances_of("scenarios", scenarios, Scenario):
        if scenario.anomaly is not None and (counts := count_visible(scenario, step)) is not None:
            found.setdefault(scenario.type, []).append(counts)
    if not found:
        raise InvalidParameter("no scenario has an anomaly and is accepted; give some that are.")
    return visible_shares(found)


def count_visible(scenario: Scenario, every: int = EVERY) -> VisibleFrames | None:
    """Return in how many frames of a scenario its anomaly is visible; None if the published rules discard it.

    Args:
        scenario: The scenario, with an anomaly.
        every: Every n-th frame of a scene with an object counts. Of those with a road user only the frames while it
            behaves anomalously are looked at.
    """
    assert scenario.anomaly is not None
    run = ScenarioRun(scenario)
    numbers = range(0, len(run), every if scenario.type == "content" else 1)
    try:
        frames = list(visible_frames(run, numbers=numbers))
    except InvalidParameter:
        return None
    if run.discards:
        return None
    camera, lidar = (sum(getattr(each, sensor) for each in frames) for sensor in ("camera", "lidar"))
    return VisibleFrames(Label(scenario.anomaly.label), len(run.rig.cameras), len(frames), camera, lidar)


def visible_shares(found: Mapping[str, Sequence[VisibleFrames]]) -> list[VisibleShare]:
    """Return the shares of scenes, whose numbers of frames are given by the type of the scenes."""
    return [
        VisibleShare(
            type_,
            sensor,
            len(scenes),
            *_mean_share([getattr(each, sensor) / each.frames for each in scenes]),
            *pooled_share(counted_shares(scenes)[:, k]),
            PUBLISHED[type_][k],
        )
        for type_, scenes in sorted(found.items())
        for k, sensor in enumerate(("camera", "lidar"))
    ]


def _mean_share(shares: list[float]) -> tuple[float, float, float]:
    n = len(shares)
    mean = math.fsum(shares) / n
    spread = math.sqrt(math.fsum((each - mean) ** 2 for each in shares) / max(1, n - 1))
    half = NORMAL_95 * spread / math.sqrt(n) if n > 1 else 1.0
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def visible_frames(
    run: ScenarioRun, *, numbers: Collection[int] | None = None, indirectly: bool = False
) -> Iterator[FrameVisibility]:
    """Yield for the frames of a scenario whether its anomaly is visible.

    A camera sees it if the centre of a pixel is on it, a lidar if one of its beams hits it: as in the labels of
    recorded frames, but without the rain that hides some points of a lidar.

    Args:
        run: Run of the scenario.
        numbers: Numbers of the frames; None are all of them.
        indirectly: Whether a camera also sees it by its shadow, or by its reflection in a wet road. Both can be in the
            image of an object that is hidden, or too thin for the pixels.
    """
    for number, state, scene in run.scenes(numbers=numbers):
        rows = np.flatnonzero(state.anomalous)
        camera = lidar = False
        if len(rows):
            around = scene(reach=_distance(state, rows) + BEHIND)
            for identity in state.instance[rows].tolist():
                seen = _seen(run, around, state, identity)
                camera, lidar = camera or seen[0], lidar or seen[1]
                if indirectly and not camera:
                    camera = _seen_indirectly(run, around, state, identity)
        yield FrameVisibility(number, camera, lidar)


def _distance(state: Snapshot, rows: IntArray) -> float:
    """Return how far the far side of the farthest of some actors is from the ego vehicle."""
    gap = state.position[rows] - state.position[0]
    return float((np.sqrt((gap**2).sum(axis=1)) + state.size[rows].max(axis=1)).max())


def _seen(run: ScenarioRun, scene: Scene, state: Snapshot, identity: int) -> tuple[bool, bool]:
    """Return whether a camera and whether a lidar sees an actor."""
    corners, rig = _corners(scene, identity), run.rig
    if not len(corners):
        return False, False
    position, yaw = ego_pose(state)
    cameras = (rig.camera_at(mount, position, yaw) for mount in rig.cameras)
    lidars = (rig.lidar_at(mount, position, yaw) for mount in rig.lidars)
    return (
        any(_in_image(scene, each, identity, corners) for each in cameras),
        any(_in_turn(scene, each, identity, corners) for each in lidars),
    )


def _seen_indirectly(run: ScenarioRun, scene: Scene, state: Snapshot, identity: int) -> bool:
    """Return whether a camera shows the reflection of an actor, or a point that it hides from the sun."""
    corners, weather = _corners(scene, identity), WEATHERS[run.scenario.weather]
    (position, yaw), sun = ego_pose(state), np.array(weather.towards_sun())
    for mount in run.rig.cameras:
        camera = run.rig.camera_at(mount, position, yaw)
        if weather.wetness > 0.0 and len(corners) and _in_image(scene, mirrored(camera), identity, corners):
            return True
        origin, directions = camera.packed()[:3], _directions(camera, (0, camera.width), (0, camera.height), 1)
        away = cast_rays(scene, origin, directions, max_range=SHADOW_REACH).distance
        hit = np.isfinite(away)
        lengths = np.sqrt((directions[hit] ** 2).sum(axis=1))
        points = origin + directions[hit] * ((away[hit] - CLEARANCE) / lengths)[:, None]
        if len(points) and (cast_rays(scene, points, np.tile(sun, (len(points), 1))).instance == identity).any():
            return True
    return False


def _corners(scene: Scene, identity: int) -> FloatArray:
    """Return the corners of the boxes around the parts of an actor; none if it is not in the scene."""
    signs, found = np.array(list(product((-1.0, 1.0), repeat=3))), [np.zeros((0, 3))]
    for each in scene.instances:
        if each.identity == identity:
            extent, middle = np.array(each.shape.extent), np.array(getattr(each.shape, "middle", (0.0, 0.0, 0.0)))
            found.append((middle + signs * extent) @ np.asarray(each.rotation).T + np.array(each.position))
    return np.concatenate(found)


def _in_image(scene: Scene, camera: Camera, identity: int, corners: FloatArray) -> bool:
    """Return whether a pixel of a camera shows an actor. Rays are cast in the rectangle around its corners."""
    columns, rows, depth = camera.project(corners)
    if depth.max() <= NEAREST:
        return False
    left, right, top, bottom = 0, camera.width, 0, camera.height
    # A lens bends the sides of a box, so that its corners do not bound it.
    if depth.min() > NEAREST and camera.distortion == NONE:
        left, right = max(left, int(columns.min() - MARGIN)), min(right, int(columns.max() + MARGIN) + 1)
        top, bottom = max(top, int(rows.min() - MARGIN)), min(bottom, int(rows.max() + MARGIN) + 1)
    if left >= right or top >= bottom:
        return False
    view = camera.packed()
    for stride in STRIDES:
        if _hits(scene, view[:3], _directions(camera, (left, right), (top, bottom), stride), identity):
            return True
    return False


def _directions(camera: Camera, columns: tuple[int, int], rows: tuple[int, int], stride: int) -> FloatArray:
    """Return the directions (n, 3) of the centres of every n-th pixel in a rectangle."""
    view, size = camera.packed(), (camera.height, camera.width)
    right, up = (
        np.broadcast_to(each, size)[slice(*rows, stride), slice(*columns, stride), None]
        for each in camera.image_plane()
    )
    directions: FloatArray = view[9:12] + right * view[3:6] + up * view[6:9]
    return directions.reshape(-1, 3)


def _in_turn(scene: Scene, lidar: Lidar, identity: int, corners: FloatArray) -> bool:
    """Return whether a beam of a lidar hits an actor. Beams are cast in the cone around its corners."""
    rotation = np.asarray(lidar.rotation)
    own = (corners - np.array(lidar.position)) @ rotation
    middle = 0.5 * (own.min(axis=0) + own.max(axis=0))
    radius, away = math.sqrt(((own - middle) ** 2).sum(axis=1).max()), math.sqrt((middle**2).sum())
    if away - radius > lidar.max_range:
        return False
    (sines, cosines), (up, flat) = lidar.azimuths.T, lidar.elevations.T
    directions = np.stack(
        [
            flat[:, None] * cosines,
            flat[:, None] * sines,
            np.broadcast_to(up[:, None], (len(up), len(cosines))),
        ],
        axis=2,
    ).reshape(-1, 3)
    if away > radius:
        directions = directions[directions @ middle >= math.sqrt(away * away - radius * radius)]
    return bool(len(directions)) and _hits(
        scene, np.array(lidar.position), directions @ rotation.T, identity, lidar.max_range
    )


def _hits(scene: Scene, origin: FloatArray, directions: FloatArray, identity: int, reach: float = math.inf) -> bool:
    return bool((cast_rays(scene, origin, directions, max_range=reach).instance == identity).any())
