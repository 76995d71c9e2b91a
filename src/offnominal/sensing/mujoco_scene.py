"""Scenes from MuJoCo models: geoms become instances that follow the simulation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from offnominal.core.errors import InvalidParameter, UnknownName, UnsupportedEnvironment, did_you_mean
from offnominal.core.types import FloatArray, IntArray
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Material
from offnominal.sensing.scene import Instance, Poses, Scene
from offnominal.sensing.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True, eq=False)
class MujocoScene:
    """A scene whose instances follow the geoms of a MuJoCo simulation.

    Args:
        scene: One instance per visible geom. Its label is the index of the geom's body, its identity the geom's index
            plus one.
        geoms: Index of the geom of each instance.
    """

    scene: Scene
    geoms: IntArray

    def poses(self, data: mujoco.MjData) -> Poses:
        """Return the poses of the geoms in a simulation whose kinematics are up to date."""
        return self.gather(data.geom_xpos, data.geom_xmat)

    def gather(self, xpos: FloatArray, xmat: FloatArray) -> Poses:
        """Return poses from arrays of the simulation.

        Args:
            xpos: (..., geoms, 3): `geom_xpos` of one simulation or of many.
            xmat: (..., geoms, 9) or (..., geoms, 3, 3): `geom_xmat`.
        """
        n = 1 + int(self.geoms.max(initial=-1))
        if xpos.ndim < 2 or xpos.shape[-1] != 3 or xpos.shape[-2] < n or xmat.size != 3 * xpos.size:
            raise InvalidParameter(
                f"xpos and xmat have the shapes {xpos.shape} and {xmat.shape}; expected (..., geoms, 3) and "
                f"(..., geoms, 9) with at least {n} geoms."
            )
        rotations = xmat.reshape(*xpos.shape, 3)
        return Poses(xpos[..., self.geoms, :], rotations[..., self.geoms, :, :])


def scene_from_mujoco(
    model: mujoco.MjModel,
    data: mujoco.MjData | None = None,
    *,
    groups: Collection[int] | None = None,
    materials: Mapping[str, Material] | None = None,
    labels: Mapping[str, int] | None = None,
    light: Light | None = None,
    sky: Sky | None = None,
) -> MujocoScene:
    """Return a MuJoCo model as a scene.

    Args:
        model: Its geoms of type plane, sphere, capsule, ellipsoid, cylinder, box and mesh become instances; those with
            an alpha of 0 are left out.
        data: Initial state of the geoms; None for the model's own pose.
        groups: Geom groups to keep; None for all.
        materials: Materials of geoms by name; the others have their `rgba`.
        labels: Semantic classes of geoms by name; the others have the index of their body.
        light: Sun and daylight.
        sky: The background.

    Example:
        >>> import mujoco
        >>> model = mujoco.MjModel.from_xml_string(
        ...     "<mujoco><worldbody><geom name='ball' type='sphere' size='0.1'/></worldbody></mujoco>"
        ... )
        >>> scene_from_mujoco(model).scene.instances[0].shape
        Sphere(radius=0.1)
    """
    import mujoco

    if data is None:
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
    names = [model.geom(g).name for g in range(model.ngeom)]
    for name in (*(materials or {}), *(labels or {})):
        if name not in names:
            raise UnknownName(f"the model has no geom named {name!r}.{did_you_mean(name, filter(None, names))}")
    rgba = _colours(model)
    kept = [g for g in range(model.ngeom) if rgba[g, 3] > 0 and (groups is None or model.geom_group[g] in groups)]
    meshes: dict[int, Mesh] = {}
    instances = [
        Instance(
            _shape(model, g, meshes),
            tuple(data.geom_xpos[g].tolist()),
            data.geom_xmat[g].reshape(3, 3),
            (materials or {}).get(names[g]) or Material(tuple(rgba[g, :3].tolist())),
            (labels or {}).get(names[g], int(model.geom_bodyid[g])),
            g + 1,
        )
        for g in kept
    ]
    return MujocoScene(Scene(tuple(instances), light or Light(), sky or Sky()), np.array(kept))


def _colours(model: mujoco.MjModel) -> FloatArray:
    """Return the colour of each geom: its own, or its material's."""
    colours: FloatArray = np.clip(model.geom_rgba.astype(np.float64), 0.0, 1.0)
    used = model.geom_matid >= 0
    if used.any():
        # In MuJoCo a geom's own rgba overrides that of its material unless it is the default grey.
        default = (model.geom_rgba == 0.5).sum(axis=1) == 3
        chosen = used & default
        colours[chosen] = np.clip(model.mat_rgba[model.geom_matid[chosen]], 0.0, 1.0)
    return colours


def _shape(model: mujoco.MjModel, geom: int, meshes: dict[int, Mesh]) -> Shape:
    """Return the shape of a geom; geoms with the same mesh share it."""
    import mujoco

    kind = mujoco.mjtGeom(int(model.geom_type[geom]))
    x, y, z = model.geom_size[geom].tolist()
    makers: dict[Any, Any] = {
        mujoco.mjtGeom.mjGEOM_PLANE: lambda: Plane((x or np.inf, y or np.inf)),
        mujoco.mjtGeom.mjGEOM_SPHERE: lambda: Sphere(x),
        mujoco.mjtGeom.mjGEOM_CAPSULE: lambda: Capsule(x, y),
        mujoco.mjtGeom.mjGEOM_ELLIPSOID: lambda: Ellipsoid((x, y, z)),
        mujoco.mjtGeom.mjGEOM_CYLINDER: lambda: Cylinder(x, y),
        mujoco.mjtGeom.mjGEOM_BOX: lambda: Box((x, y, z)),
        mujoco.mjtGeom.mjGEOM_MESH: lambda: _mesh(model, int(model.geom_dataid[geom]), meshes),
    }
    if kind not in makers:
        raise UnsupportedEnvironment(
            f"geom {geom} ({model.geom(geom).name!r}) is of type {kind.name}, which the ray caster does not know; "
            "leave its group out with `groups`, or use primitives or meshes."
        )
    shape: Shape = makers[kind]()
    return shape


def _mesh(model: mujoco.MjModel, mesh: int, meshes: dict[int, Mesh]) -> Mesh:
    if mesh not in meshes:
        vertex, face = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        meshes[mesh] = Mesh(
            model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]],
            model.mesh_face[face : face + model.mesh_facenum[mesh]],
        )
    return meshes[mesh]
