"""Frames of the compact layout: one Arrow record batch per frame, with one row.

The columns of the ego vehicle and of the actors can be read with any Arrow reader. Those of the sensors contain arrays
in the encodings of :mod:`offnominal.datasets.scenes.array_codec`. All columns are compressed with zstd.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from offnominal.core.types import Array
from offnominal.datasets.scenes import array_codec as codec
from offnominal.datasets.scenes.lidar_points import points_of
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame, RigFrame
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import Snapshot

FORMAT = b"1"
ZSTD_LEVEL = 1
END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
"""End of an Arrow stream."""
ACTORS = {
    "instance": pa.int64(),
    "kind": pa.string(),
    "label": pa.int64(),
    "x": pa.float64(),
    "y": pa.float64(),
    "heading": pa.float64(),
    "speed": pa.float64(),
    "acceleration": pa.float64(),
    "length": pa.float64(),
    "width": pa.float64(),
    "height": pa.float64(),
    "anomalous": pa.bool_(),
}
EGO = ("x", "y", "z", "yaw", "throttle", "steer", "brake")
CAMERA = ("rgb", "depth", "label", "instance")
LIDAR = (
    "returned",
    "range",
    "label",
    "instance",
    "intensity",
    "measured_returned",
    "measured_range",
    "measured_label",
    "measured_instance",
    "measured_intensity",
)
_OPTIONS = ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=ZSTD_LEVEL), use_threads=False)


def schema_of(rig: Rig) -> Any:
    """Return the columns of a frame of a rig."""
    fields = [pa.field("number", pa.int32()), pa.field("tick", pa.int32()), pa.field("samples", pa.int32())]
    fields += [pa.field(f"ego.{name}", pa.float64()) for name in EGO]
    fields += [pa.field(f"actors.{name}", pa.list_(kind)) for name, kind in ACTORS.items()]
    fields += [pa.field("lights", pa.list_(pa.int64()))]
    fields += [pa.field(f"camera.{mount.name}.{name}", pa.binary()) for mount in rig.cameras for name in CAMERA]
    fields += [pa.field(f"lidar.{mount.name}.{name}", pa.binary()) for mount in rig.lidars for name in LIDAR]
    return pa.schema(fields, metadata={b"offnominal": FORMAT})


def header_of(schema: Any) -> bytes:
    """Return the beginning of an Arrow stream, before its first batch."""
    return schema.serialize().to_pybytes()  # type: ignore[no-any-return]


def encode_frame(frame: DrivingFrame, schema: Any, header: bytes) -> memoryview:
    """Return a frame as a message of an Arrow stream."""
    state = frame.state
    row: dict[str, Any] = {"number": frame.number, "tick": frame.tick, "lights": state.lights}
    row["samples"] = next((each.camera.samples for each in frame.sensors.cameras.values()), 1)
    row |= {f"ego.{k}": v for k, v in zip(EGO, (*frame.position, frame.yaw, *state.controls), strict=True)}
    row |= {f"actors.{name}": values for name, values in _actors(state).items()}
    for name, camera in frame.sensors.cameras.items():
        row |= {f"camera.{name}.{key}": value for key, value in _encoded_image(camera.image).items()}
    for name, lidar in frame.sensors.lidars.items():
        row |= {f"lidar.{name}.{key}": value for key, value in _encoded_turn(lidar).items()}
    columns = [pa.array([row[field.name]], field.type) for field in schema]
    sink = pa.BufferOutputStream()
    writer = ipc.new_stream(sink, schema, options=_OPTIONS)
    writer.write_batch(pa.record_batch(columns, schema=schema))
    written = sink.tell()
    writer.close()
    return memoryview(sink.getvalue())[len(header) : written]


def decode_state(row: dict[str, Any]) -> tuple[Triple, float, Snapshot]:
    """Return position and yaw of the ego vehicle, and the state of all actors."""
    x, y, z, yaw, *controls = (row[f"ego.{name}"] for name in EGO)
    actors = {name: row[f"actors.{name}"] for name in ACTORS}
    numbers = {name: _column(actors[name], kind) for name, kind in ACTORS.items() if name != "kind"}
    state = Snapshot(
        tick=row["tick"],
        kind=tuple(actors["kind"]),
        position=np.stack([numbers.pop("x"), numbers.pop("y")], axis=1),
        size=np.stack([numbers.pop(name) for name in ("length", "width", "height")], axis=1),
        lights=np.array(row["lights"], np.int64),
        controls=(controls[0], controls[1], controls[2]),
        **numbers,
    )
    return (x, y, z), yaw, state


def decode_frame(row: dict[str, Any], rig: Rig) -> DrivingFrame:
    """Return the frame of a row, given the sensors of the ego vehicle."""
    position, yaw, state = decode_state(row)
    cameras, lidars = {}, {}
    for mount in rig.cameras:
        camera = rig.camera_at(mount, position, yaw, samples=row["samples"])
        cameras[mount.name] = CameraFrame(camera, _decoded_image(row, mount, rig))
    for mount in rig.lidars:
        lidar = replace(rig.lidar_at(mount, position, yaw), noise=rig.lidar_noise)
        lidars[mount.name] = _decoded_turn(row, mount, lidar)
    return DrivingFrame(row["number"], row["tick"], RigFrame(cameras, lidars), state, position, yaw)


def _actors(state: Snapshot) -> dict[str, Any]:
    return {
        "instance": state.instance,
        "kind": state.kind,
        "label": state.label,
        "x": state.position[:, 0],
        "y": state.position[:, 1],
        "heading": state.heading,
        "speed": state.speed,
        "acceleration": state.acceleration,
        "length": state.size[:, 0],
        "width": state.size[:, 1],
        "height": state.size[:, 2],
        "anomalous": state.anomalous,
    }


def _column(values: list[Any], kind: Any) -> Array:
    return np.array(values, kind.to_pandas_dtype())


def _encoded_image(image: CameraImage) -> dict[str, bytes | None]:
    return {
        "rgb": None if image.rgb is None else codec.encode_rgb(image.rgb),
        "depth": None if image.depth is None else codec.encode_depth(image.depth),
        "label": None if image.label is None else codec.encode_integers(image.label),
        "instance": None if image.instance is None else codec.encode_integers(image.instance),
    }


def _decoded_image(row: dict[str, Any], mount: Mount, rig: Rig) -> CameraImage:
    shape = (rig.height, rig.width)
    rgb, depth, label, instance = (row[f"camera.{mount.name}.{name}"] for name in CAMERA)
    return CameraImage(
        rgb=None if rgb is None else codec.decode_rgb(rgb, *shape),
        depth=None if depth is None else codec.decode_depth(depth, shape),
        label=None if label is None else codec.decode_integers(label, shape),
        instance=None if instance is None else codec.decode_integers(instance, shape),
    )


def _encoded_turn(frame: LidarFrame) -> dict[str, bytes | None]:
    """Return one turn of a lidar; of the measured points, the differences to the expected ones."""
    exact, measured = frame.exact, frame.measured
    returned, ranges = codec.encode_ranges(exact.ranges)
    measured_returned, measured_ranges = codec.encode_ranges(measured.ranges, like=exact.ranges)
    label, instance, intensity = _expected(exact, measured)
    bright = None if exact.intensity is None else codec.encode_intensity(exact.intensity)
    measured_bright = None if measured.intensity is None else codec.encode_intensity(measured.intensity)
    return {
        "returned": returned,
        "range": ranges,
        "label": codec.encode_integers(exact.label),
        "instance": codec.encode_integers(exact.instance),
        "intensity": None if bright is None else bright.tobytes(),
        "measured_returned": measured_returned,
        "measured_range": measured_ranges,
        "measured_label": codec.encode_integers(codec.fold(measured.label - label)),
        "measured_instance": codec.encode_integers(codec.fold(measured.instance - instance)),
        "measured_intensity": None if measured_bright is None else (measured_bright - intensity).tobytes(),
    }


def _expected(exact: PointCloud, measured: PointCloud) -> tuple[Array, Array, Array]:
    """Return the labels, instances and intensities that measured points have, except those of rain drops."""
    returned = np.isfinite(measured.ranges)
    bright = np.zeros(returned.shape, np.uint8) if exact.intensity is None else codec.encode_intensity(exact.intensity)
    return (
        np.where(returned, exact.label, np.int32(Label.SKY)),
        np.where(returned, exact.instance, np.int32(0)),
        np.where(returned, bright, np.uint8(0)),
    )


def _decoded_turn(row: dict[str, Any], mount: Mount, lidar: Lidar) -> LidarFrame:
    shape = (lidar.channels, lidar.columns)
    part = {name: row[f"lidar.{mount.name}.{name}"] for name in LIDAR}
    ranges = codec.decode_ranges(codec.decode_bits(part["returned"], shape), part["range"])
    bright = None if part["intensity"] is None else codec.decode_bytes(part["intensity"], shape)
    exact = PointCloud(
        ranges,
        points_of(lidar, ranges),
        codec.decode_integers(part["label"], shape),
        codec.decode_integers(part["instance"], shape),
        None if bright is None else codec.decode_intensity(bright),
    )
    returned = codec.decode_bits(part["measured_returned"], shape)
    seen = codec.decode_ranges(returned, part["measured_range"], like=ranges)
    label, instance, intensity = _expected(exact, PointCloud(seen, exact.points, exact.label, exact.instance))
    change = part["measured_intensity"]
    measured = PointCloud(
        seen,
        points_of(lidar, seen),
        codec.unfold(codec.decode_integers(part["measured_label"], shape)) + label,
        codec.unfold(codec.decode_integers(part["measured_instance"], shape)) + instance,
        None if change is None else codec.decode_intensity(codec.decode_bytes(change, shape) + intensity),
    )
    return LidarFrame(lidar, measured, exact)
