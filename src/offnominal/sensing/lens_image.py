"""Images through a lens: each pixel takes what its ray has in the image of a wide pinhole camera."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.lens import NONE


def through_lens(outputs: Mapping[str, Any], camera: Camera) -> dict[str, Any]:
    """Return the outputs of a camera, given those of its source by name; None stays None.

    Colours are interpolated. All else is that of the nearest pixel; only depths are interpolated where the pixels
    around are of one object, so that a plane stays one.
    """
    if camera.distortion == NONE:
        return dict(outputs)
    from offnominal.sensing.camera_kernel import interpolate_depth

    source = camera.source()
    down, across = places(camera)
    row = np.clip(np.floor(down).astype(np.int64), 0, source.height - 1)
    column = np.clip(np.floor(across).astype(np.int64), 0, source.width - 1)
    found: dict[str, Any] = dict.fromkeys(outputs)
    for name, given in outputs.items():
        if given is not None and name == "rgb":
            colours = sampled(given.astype(np.float32), camera)
            found[name] = np.floor(colours + np.float32(0.5)).astype(np.uint8)
        elif given is not None:
            found[name] = np.ascontiguousarray(given[row, column])
    owner = outputs.get("label") if outputs.get("instance") is None else outputs["instance"]
    if outputs.get("depth") is not None and owner is not None:
        interpolate_depth(outputs["depth"], owner, row, column, down, across, found["depth"])
    return found


def places(camera: Camera) -> tuple[FloatArray, FloatArray]:
    """Return row and column (height, width) of the ray of each pixel in the source, from its upper left corner."""
    right, up = camera.image_plane()
    source = camera.source()
    wide, half = source.packed()[12:14].tolist()
    return 0.5 * source.height * (1.0 - up / half), 0.5 * source.width * (1.0 + right / wide)


def sampled(light: NDArray[np.float32], camera: Camera) -> NDArray[np.float32]:
    """Return an image (height, width, 3) of a camera, interpolated from that of its source."""
    from offnominal.sensing.camera_kernel import sample

    return sample(light, *places(camera))
