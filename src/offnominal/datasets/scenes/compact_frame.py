"""Frames of the compact layout: one Arrow record batch per frame, with one row.

The columns of the ego vehicle and of the actors can be read with any Arrow reader. Those of the sensors contain arrays
in the encodings of :mod:`offnominal.datasets.scenes.array_codec`. All columns are compressed with zstd.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from offnominal.datasets.scenes.compact_sensors import (
    CAMERA,
    LIDAR,
    POSE,
    decode_camera,
    decode_turn,
    encode_camera,
    encode_turn,
)
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.rigs import Rig
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
_OPTIONS = ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=ZSTD_LEVEL), use_threads=False)


def schema_of(rig: Rig) -> Any:
    """Return the columns of a frame of a rig."""
    fields = [pa.field("number", pa.int32()), pa.field("tick", pa.int32()), pa.field("samples", pa.int32())]
    fields += [pa.field(f"ego.{name}", pa.float64()) for name in EGO]
    fields += [pa.field(f"actors.{name}", pa.list_(kind)) for name, kind in ACTORS.items()]
    fields += [pa.field("lights", pa.list_(pa.int64()))]
    for sensor, mounts, names in (("camera", rig.cameras, CAMERA), ("lidar", rig.lidars, LIDAR)):
        for mount in mounts:
            fields.append(pa.field(f"{sensor}.{mount.name}.{POSE}", pa.list_(pa.float64())))
            fields += [pa.field(f"{sensor}.{mount.name}.{name}", pa.binary()) for name in names]
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
        row |= {f"camera.{name}.{key}": value for key, value in encode_camera(camera).items()}
    for name, lidar in frame.sensors.lidars.items():
        row |= {f"lidar.{name}.{key}": value for key, value in encode_turn(lidar).items()}
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
    numbers = {name: np.array(actors[name], kind.to_pandas_dtype()) for name, kind in ACTORS.items() if name != "kind"}
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
        cameras[mount.name] = decode_camera(row, mount, rig)
    for mount in rig.lidars:
        lidars[mount.name] = decode_turn(row, mount, rig)
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
