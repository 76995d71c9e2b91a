"""Ray casting for custom sensors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.sensing.scene import Poses, Scene


@dataclass(frozen=True, eq=False)
class RayHits:
    """The first hit of each ray.

    Args:
        distance: (n,): distance along the ray, m; infinite without a hit.
        normal: (n, 3): unit normal of the surface; zero without a hit.
        label: (n,): semantic class.
        instance: (n,): identity of the object; 0 without a hit.
    """

    distance: NDArray[np.float32]
    normal: NDArray[np.float32]
    label: NDArray[np.int32]
    instance: NDArray[np.int32]


def cast_rays(
    scene: Scene,
    origins: FloatArray,
    directions: FloatArray,
    *,
    max_range: float = math.inf,
    poses: Poses | None = None,
) -> RayHits:
    """Return the first hit of each ray.

    Args:
        scene: The instances.
        origins: (n, 3), or (3,) for a common origin, m.
        directions: (n, 3): directions of any length.
        max_range: Largest distance, m.
        poses: Poses of the instances; None for those of the scene.

    Example:
        >>> from offnominal.sensing import Instance, Sphere
        >>> scene = Scene((Instance(Sphere(1.0), (5.0, 0.0, 0.0)),))
        >>> cast_rays(scene, np.zeros(3), np.array([(2.0, 0.0, 0.0), (0.0, 1.0, 0.0)])).distance
        array([ 4., inf], dtype=float32)
    """
    from offnominal.sensing.bvh_traversal import trace_rays

    directions = np.ascontiguousarray(directions, np.float64)
    origins = np.ascontiguousarray(origins, np.float64)
    if directions.ndim != 2 or directions.shape[1] != 3 or origins.shape not in ((3,), directions.shape):
        raise InvalidParameter(
            f"cast got origins of shape {origins.shape} and directions of shape {directions.shape}; "
            "expected (n, 3), or (3,) and (n, 3)."
        )
    if not (np.isfinite(origins).all() and np.isfinite(directions).all() and directions.any(axis=1).all()):
        raise InvalidParameter("cast got an origin or direction that is not finite, or a direction of length zero.")
    where = scene.poses if poses is None else poses
    if len(where) != 1:
        raise InvalidParameter(f"cast takes the poses of one frame and got {len(where)}.")
    positions, rotations = where.checked(len(scene.instances))
    n = len(directions)
    hits = RayHits(np.empty(n, np.float32), np.empty((n, 3), np.float32), np.empty(n, np.int32), np.empty(n, np.int32))
    trace_rays(
        scene.packed, positions[0], rotations[0], origins.reshape(-1, 3), directions, max_range,
        hits.distance, hits.normal, hits.label, hits.instance,
    )  # fmt: skip
    return hits
