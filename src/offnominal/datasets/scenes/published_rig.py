"""The sensor rig of a scene in the published layout, from its setup of sensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from offnominal.core.errors import DamagedFile
from offnominal.datasets.scenes.published_names import DEPTH, LIDAR, RGB, SEMANTIC, SEMANTIC_LIDAR, placement
from offnominal.worlds.road.rigs import RIGS, Mount, Rig
from offnominal.worlds.road.town.snapshot import TICK_SECONDS

CAMERA_NEEDS, LIDAR_NEEDS = (RGB, DEPTH, SEMANTIC), (LIDAR, SEMANTIC_LIDAR)
TOP = "(0, 0, 1.8)(0, 0, 0)"
"""Place of the sensors of older releases, which have no setup of sensors."""
FRAMES_PER_SECOND = round(1.0 / TICK_SECONDS)


@dataclass(frozen=True, eq=False)
class PublishedSensor:
    """A folder with the files of one sensor.

    Args:
        folder: Name of the folder.
        kind: Type of the sensor.
        ending: Ending of its files.
        place: Location and rotation, as in its name.
        location: x ahead, y to the right, z up, m.
        rotation: Roll, pitch and yaw to the right, degrees.
        settings: Its other settings.
    """

    folder: str
    kind: str
    ending: str
    place: str
    location: tuple[float, ...]
    rotation: tuple[float, ...]
    settings: Mapping[str, Any]


def mounts_of(sensors: Sequence[PublishedSensor], known: Rig | None) -> tuple[dict[str, Mount], dict[str, str]]:
    """Return the mounts of sensors by their places, and why places are left out.

    A camera needs colours, depths and labels; a lidar needs points and labels.

    Args:
        sensors: Sensors with files.
        known: A rig with these places, whose names they get; None for names after the places.
    """
    places: dict[str, list[PublishedSensor]] = {}
    for each in sensors:
        places.setdefault(each.place, []).append(each)
    names = {} if known is None else _names(known)
    mounts, left_out = {}, {}
    for place, found in places.items():
        kinds = {each.kind for each in found}
        camera, lidar = kinds.issuperset(CAMERA_NEEDS), kinds.issuperset(LIDAR_NEEDS)
        for noun, needs, there in (("camera", CAMERA_NEEDS, camera), ("lidar", LIDAR_NEEDS, lidar)):
            if not there and kinds.intersection(needs):
                missing = ", ".join(each for each in needs if each not in kinds)
                left_out[f"{noun} at {place}"] = f"there are no files of {missing}, which it needs"
        roll, pitch, yaw = (float(each) for each in found[0].rotation)
        if roll:
            left_out[f"sensors at {place}"] = f"they are rolled by {roll:g} degrees; expected 0"
        elif camera or lidar:
            x, y, z = (float(each) for each in found[0].location)
            mounts[place] = Mount(names.get(place, place), (x, -y + 0.0, z), -yaw + 0.0, pitch, camera, lidar)
    return mounts, left_out


def known_rig(sensors: Sequence[PublishedSensor], expected: str | None) -> Rig | None:
    """Return the published rig that has all places of some sensors: the expected one, or the first other; else None."""
    places = {each.place for each in sensors}
    first = [RIGS[expected]] if expected in RIGS else []
    return next((rig for rig in (*first, *RIGS.values()) if _names(rig).keys() >= places), None)


def _names(rig: Rig) -> dict[str, str]:
    """Return the names of the mounts of a rig by their places; of several at one place the first."""
    found: dict[str, str] = {}
    for mount in rig.mounts:
        location, rotation = placement(mount)
        found.setdefault(f"{tuple(location)}{tuple(rotation)}", mount.name)
    return found


def rig_of(
    sensors: Sequence[PublishedSensor], mounts: Mapping[str, Mount], shape: tuple[int, int] | None, name: str | None
) -> Rig:
    """Return the rig of mounts.

    Args:
        sensors: Sensors with files.
        mounts: Mounts by place.
        shape: Height and width of the images; None without a camera.
        name: Name of the rig, if it is known.

    Raises:
        DamagedFile: Two cameras or two lidars have other settings.
    """
    settings: dict[str, Any] = {}
    if shape is not None:
        settings |= {"height": shape[0], "width": shape[1], "fov": _one(sensors, mounts, RGB, "camera_fov", 90.0)}
    if any(each.lidar for each in mounts.values()):
        channels = int(_one(sensors, mounts, LIDAR, "channels", 64))
        rate = _one(sensors, mounts, LIDAR, "points_per_second", 1_000_000)
        settings |= {
            "channels": channels,
            "columns": max(int(rate) // (channels * FRAMES_PER_SECOND), 1),
            "lidar_fov": (
                _one(sensors, mounts, LIDAR, "lower_fov", -25.0),
                _one(sensors, mounts, LIDAR, "upper_fov", 15.0),
            ),
            "lidar_range": _one(sensors, mounts, LIDAR, "range", 100.0),
            "lidar_noise": _one(sensors, mounts, LIDAR, "noise_stddev", 0.1),
        }
    return Rig(name or "published", tuple(mounts.values()), **settings)


def _one(
    sensors: Sequence[PublishedSensor], mounts: Mapping[str, Mount], kind: str, entry: str, default: float
) -> float:
    """Return an entry that all sensors of a kind have in common."""
    found = {float(each.settings.get(entry, default)) for each in sensors if each.kind == kind and each.place in mounts}
    if len(found) > 1:
        raise DamagedFile(f"the sensors of type {kind} have different {entry}: {sorted(found)}; expected one.")
    return found.pop() if found else default
