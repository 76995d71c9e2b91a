"""Images of a camera: colours, depth, normals, labels and instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.lens import NONE
from offnominal.sensing.lens_image import through_lens
from offnominal.sensing.scene import Poses, Scene

Output: TypeAlias = Literal["rgb", "depth", "normal", "label", "instance"]
OUTPUTS: tuple[str, ...] = get_args(Output)
OUTPUT_DTYPES = {
    "rgb": (np.uint8, 3),
    "depth": (np.float32, 0),
    "normal": (np.float32, 3),
    "label": (np.int32, 0),
    "instance": (np.int32, 0),
}


@dataclass(frozen=True, eq=False)
class CameraImage:
    """Requested outputs per pixel; the others are None. A batch has one more axis in front.

    Args:
        rgb: (height, width, 3): red, green and blue.
        depth: (height, width): distance along the direction of view, m; infinite in the sky.
        normal: (height, width, 3): unit normal of the surface in world coordinates; zero in the sky.
        label: (height, width): semantic class.
        instance: (height, width): identity of the object; 0 in the sky.
    """

    rgb: NDArray[np.uint8] | None = None
    depth: NDArray[np.float32] | None = None
    normal: NDArray[np.float32] | None = None
    label: NDArray[np.int32] | None = None
    instance: NDArray[np.int32] | None = None


def render(
    scene: Scene, camera: Camera, outputs: Sequence[Output] = ("rgb",), *, poses: Poses | None = None
) -> CameraImage:
    """Return the image of a camera.

    Args:
        scene: The instances and their light.
        camera: The camera.
        outputs: Outputs to compute; fewer are faster.
        poses: Poses of the instances; None for those of the scene.

    Example:
        >>> from offnominal.sensing import Instance, Material, Plane, Sphere
        >>> ball = Instance(Sphere(0.5), (0.0, 0.0, 0.5), material=Material((0.9, 0.2, 0.1)))
        >>> image = render(Scene((Instance(Plane()), ball)), Camera((0.0, -4.0, 1.5), (0.0, 0.0, 0.5)))
        >>> image.rgb.shape, image.depth is None
        ((128, 128, 3), True)
    """
    if poses is not None and poses.positions.ndim != 2:
        raise InvalidParameter("render takes the poses of one frame; render_batch takes those of many.")
    drawn = _draw(scene, [camera.source()], scene.poses if poses is None else poses, None, outputs)
    return CameraImage(**through_lens({name: frames[0] for name, frames in drawn.items()}, camera))


def render_batch(
    scene: Scene,
    cameras: Camera | Sequence[Camera],
    poses: Poses | None = None,
    *,
    offsets: FloatArray | None = None,
    outputs: Sequence[Output] = ("rgb",),
) -> CameraImage:
    """Return the images of many frames; frame k has the same bytes as if it were rendered alone.

    Args:
        scene: The instances and their light.
        cameras: One camera for all frames, or one per frame; all of the same size.
        poses: Poses of the instances in each frame, or in all of them.
        offsets: (n, 3): offset of the camera in each frame, m, for example to follow an object.
        outputs: Outputs to compute.

    Example:
        >>> from offnominal.sensing import Instance, Sphere
        >>> scene = Scene((Instance(Sphere(0.5)),))
        >>> camera = Camera((0.0, -4.0, 0.0), (0.0, 0.0, 0.0), width=32, height=32)
        >>> render_batch(scene, camera, offsets=np.zeros((5, 3))).rgb.shape
        (5, 32, 32, 3)
    """
    chosen = [cameras] if isinstance(cameras, Camera) else list(cameras)
    return CameraImage(**_draw(scene, chosen, scene.poses if poses is None else poses, offsets, outputs))


def _draw(
    scene: Scene, cameras: list[Camera], poses: Poses, offsets: FloatArray | None, outputs: Sequence[Output]
) -> dict[str, Array]:
    from offnominal.sensing.render_kernel import render_frames

    positions, rotations = poses.checked(len(scene.instances))
    views = _views(cameras, offsets)
    n = max(len(positions), len(views))
    if any(len(rows) not in (1, n) for rows in (positions, views)):
        raise InvalidParameter(f"{len(views)} cameras cannot be matched with {len(positions)} poses; give one or {n}.")
    for name in outputs:
        if name not in OUTPUTS:
            hint = did_you_mean(name, OUTPUTS)
            raise UnknownName(f"no output named {name!r}.{hint} Choose from {', '.join(OUTPUTS)}.")
    size = (n, cameras[0].height, cameras[0].width)
    drawn = {name: _empty_output(name, size if name in outputs else (0, 0, 0)) for name in OUTPUTS}
    render_frames(scene.packed, positions, rotations, views, *size, cameras[0].samples, *drawn.values())
    return {name: drawn[name].reshape(*size, *drawn[name].shape[2:]) for name in outputs}


def _empty_output(name: str, size: tuple[int, int, int]) -> Array:
    """Return an empty array for an output, (frames, pixels) or (frames, pixels, 3)."""
    kind, depth = OUTPUT_DTYPES[name]
    pixels = (size[0], size[1] * size[2])
    return np.empty((*pixels, depth) if depth else pixels, kind)


def _views(cameras: list[Camera], offsets: FloatArray | None) -> FloatArray:
    """Return the cameras as arrays for the kernels, one row per frame or one for all."""
    if any(camera.distortion != NONE for camera in cameras):
        raise InvalidParameter("render_batch takes cameras without distortion; render draws one with it.")
    if len({(camera.width, camera.height, camera.samples) for camera in cameras}) != 1:
        raise InvalidParameter("The cameras of a batch need one width, height and number of samples in common.")
    views = np.array([camera.packed() for camera in cameras])
    if offsets is None:
        return views
    if offsets.ndim != 2 or offsets.shape[1] != 3 or len(views) not in (1, len(offsets)):
        raise InvalidParameter(f"offsets have the shape {offsets.shape}; expected (n, 3) for {len(views)} cameras.")
    moved = np.repeat(views, len(offsets), axis=0) if len(views) == 1 else views
    moved[:, :3] += offsets
    return moved
