"""Cameras and lidars beside MuJoCo's own renderer and its rays."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import offnominal
from benchmarks.measure import rates
from offnominal.sensing import (
    Camera,
    Lidar,
    Material,
    MujocoScene,
    Poses,
    render,
    render_batch,
    scene_from_mujoco,
    sweep,
)
from offnominal.sensing.example_scenes import arm, arm_camera, street_camera, town

Row = dict[str, Any]
FLOOR = Material((0.82, 0.85, 0.88), (0.72, 0.76, 0.80), "checker", 0.5)
FRAMES = 32


def half_cheetah() -> tuple[mujoco.MjModel, MujocoScene, Camera]:
    path = str(files("offnominal.worlds.mujoco") / "models" / "half_cheetah.xml")
    model = mujoco.MjModel.from_xml_path(path)
    made = scene_from_mujoco(model, materials={"floor": FLOOR})
    return model, made, Camera((0.0, -3.2, 1.3), (0.0, 0.0, 0.5))


def frame_row(task: str, rate: float, bar: str) -> Row:
    return {"task": task, "frames/CPU-s": round(rate), "ms": 1e3 / rate, "bar": bar}


def robots() -> list[Row]:
    """Pictures of robots, 128 x 128 with shadows, 32 frames per call, and what MuJoCo offers for the same model."""
    model, cheetah, camera = half_cheetah()
    table, table_camera = arm(), arm_camera()
    smooth = replace(camera, samples=3)
    contenders: dict[str, Callable[[], int]] = {
        "HalfCheetah, 9 capsules": lambda: batch(cheetah.scene, camera),
        "HalfCheetah, 9 capsules, edges 3 x 3": lambda: batch(cheetah.scene, smooth),
        "arm at a table, 20 primitives": lambda: batch(table, table_camera),
        "peer: mj_multiRay of HalfCheetah, distances only": mujoco_rays(model, camera),
    }
    if (drawn := mujoco_renderer(model)) is not None:
        contenders["peer: mujoco.Renderer of HalfCheetah"] = drawn
    bars = {"HalfCheetah, 9 capsules": ">= 800", "arm at a table, 20 primitives": ">= 400"}
    return [frame_row(name, rate.per_cpu_second, bars.get(name, "")) for name, rate in rates(contenders).items()]


def batch(scene: Any, camera: Camera) -> int:
    n = len(scene.instances)
    poses = Poses(
        np.broadcast_to(scene.poses.positions, (FRAMES, n, 3)),
        np.broadcast_to(scene.poses.rotations, (FRAMES, n, 3, 3)),
    )
    render_batch(scene, camera, poses)
    return FRAMES


def mujoco_rays(model: mujoco.MjModel, camera: Camera) -> Callable[[], int]:
    """One ray per pixel by `mj_multiRay`."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    right, up, forward = (np.array(axis) for axis in camera.axes())
    half = np.tan(np.radians(camera.fov) / 2.0)
    x, y = np.meshgrid(np.linspace(-half, half, camera.width), np.linspace(half, -half, camera.height))
    rays = forward + x[..., None] * right + y[..., None] * up
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    return multi_ray(model, data, np.array(camera.position), rays.reshape(-1, 3))


def multi_ray(model: mujoco.MjModel, data: mujoco.MjData, eye: Any, rays: Any) -> Callable[[], int]:
    n = len(rays)
    geom, distance, flat = np.zeros(n, np.int32), np.zeros(n), np.ascontiguousarray(rays).ravel()

    def work() -> int:
        mujoco.mj_multiRay(model, data, eye, flat, None, 1, -1, geom, distance, None, n, mujoco.mjMAXVAL)
        return 1

    return work


def mujoco_renderer(model: mujoco.MjModel) -> Callable[[], int] | None:
    """Draw by `mujoco.Renderer` if there is a system GL, such as with MUJOCO_GL=egl."""
    try:
        renderer = mujoco.Renderer(model, 128, 128)
    except Exception:
        return None
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def work() -> int:
        renderer.update_scene(data)
        renderer.render()
        return 1

    return work


def street() -> list[Row]:
    """A block of a town with 460 instances, three meshes among them, and the same instances in `mj_multiRay`."""
    scene, camera, lidar = town(), street_camera(), Lidar((-50.0, -1.75, 1.9))
    noisy = Lidar((-50.0, -1.75, 1.9), noise=0.02, dropout=0.05)
    model = mujoco_town(scene)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    own = np.stack(
        np.broadcast_arrays(
            lidar.elevations[:, None, 1] * lidar.azimuths[:, 1],
            lidar.elevations[:, None, 1] * lidar.azimuths[:, 0],
            lidar.elevations[:, None, 0],
        ),
        axis=-1,
    )

    def drawn(outputs: Any) -> Callable[[], int]:
        return lambda: len([render(scene, camera, outputs)])

    contenders = {
        "camera 256 x 256, RGB, depth, labels, shadows": drawn(("rgb", "depth", "label")),
        "camera 256 x 256, depth and labels": drawn(("depth", "label")),
        "lidar 64 x 1024": lambda: len([sweep(scene, lidar)]),
        "lidar 64 x 1024, noise and dropout": lambda: len([sweep(scene, noisy)]),
        "peer: mj_multiRay, 65,536 rays of the lidar, distances only": multi_ray(
            model, data, np.array(lidar.position), own.reshape(-1, 3)
        ),
    }
    bars = {
        "camera 256 x 256, RGB, depth, labels, shadows": "<= 50 ms",
        "lidar 64 x 1024": "<= 45 ms",
    }
    return [frame_row(name, rate.per_cpu_second, bars.get(name, "")) for name, rate in rates(contenders).items()]


def mujoco_town(scene: Any) -> mujoco.MjModel:
    """Return a scene as a MuJoCo model."""
    spec = mujoco.MjSpec()
    meshes: dict[int, str] = {}
    kinds = ("PLANE", "BOX", "SPHERE", "ELLIPSOID", "CAPSULE", "CYLINDER", "MESH")
    for instance in scene.instances:
        shape = instance.shape
        kind = kinds[shape.kind]
        geom = spec.worldbody.add_geom(type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"), pos=instance.position)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.asarray(instance.rotation).ravel())
        geom.quat = quat
        if kind == "MESH":
            if id(shape) not in meshes:
                meshes[id(shape)] = f"mesh{len(meshes)}"
                spec.add_mesh(
                    name=meshes[id(shape)],
                    uservert=np.asarray(shape.vertices).ravel().tolist(),
                    userface=np.asarray(shape.faces).ravel().tolist(),
                    inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
                )
            geom.meshname = meshes[id(shape)]
        elif kind in ("CAPSULE", "CYLINDER"):
            geom.size = [shape.radius, shape.half_length, 0.0]
        elif kind == "PLANE":
            geom.size = [*(0.0 if np.isinf(side) else side for side in shape.half), 1.0]
        else:
            geom.size = list(shape.extent)
    return spec.compile()


FIRST_FRAME = """
from offnominal.sensing import render
from offnominal.sensing.example_scenes import arm, arm_camera
render(arm(), arm_camera())
"""
FIRST_SINE = """
from offnominal.core.deterministic_math import sincos
sincos(0.5)
"""


def start() -> list[Row]:
    """CPU-seconds of a new Python until its first picture, and until any one function that Numba has on disk."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        spent = [seconds(FIRST_FRAME, environment) for _ in range(4)]
        alone = min(seconds(FIRST_SINE, environment) for _ in range(3))
    return [
        {"task": "first picture ever, compiled", "CPU-s": spent[0], "bar": "< 25"},
        {"task": "first picture of a later process", "CPU-s": min(spent[1:]), "bar": "< 0.5"},
        {"task": "peer: Numba with a sine and cosine on disk", "CPU-s": alone, "bar": ""},
    ]


def seconds(code: str, environment: dict[str, str]) -> float:
    """Return the CPU-seconds that a new Python spends on some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport time\nprint(time.process_time())"],
        env=environment,
        cwd=Path(offnominal.__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


SECTIONS = {"Sensing: robots": robots, "Sensing: a town": street, "Sensing: start": start}
