"""Rays end where MuJoCo and geometry say they do."""

import mujoco
import numpy as np
import pytest

from offnominal.sensing import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Instance,
    Mesh,
    Plane,
    Poses,
    Scene,
    Sphere,
    cast_rays,
    scene_from_mujoco,
)
from offnominal.sensing.mesh_models import animal, car

pytestmark = pytest.mark.long

GEOMS = {
    "plane": "type='plane' size='2 1 1'",
    "endless plane": "type='plane' size='0 0 1'",
    "sphere": "type='sphere' size='0.5'",
    "small sphere": "type='sphere' size='0.05'",
    "capsule": "type='capsule' size='0.2 0.7'",
    "ellipsoid": "type='ellipsoid' size='0.3 0.6 1.1'",
    "cylinder": "type='cylinder' size='0.4 0.6'",
    "disc": "type='cylinder' size='0.8 0.05'",
    "pole": "type='cylinder' size='0.05 2.0'",
    "box": "type='box' size='0.4 0.7 0.2'",
    "mesh": "type='mesh' mesh='hull'",
}
MODEL = """
<mujoco>
  <asset><mesh name="hull" vertex="{hull}"/></asset>
  <worldbody><geom {geom} pos="0.3 -0.2 0.5" euler="20 40 70"/></worldbody>
</mujoco>
"""


def model_of(geom):
    points = np.random.default_rng(5).normal(size=(40, 3)) * (0.8, 0.5, 0.3)
    hull = " ".join(f"{x:.6f}" for x in points.ravel())
    return mujoco.MjModel.from_xml_string(MODEL.format(hull=hull, geom=GEOMS[geom]))


def aimed(n, distance, seed=0):
    """Rays from a shell around the origin towards points near it."""
    random = np.random.default_rng(seed)
    starts = random.normal(size=(n, 3))
    starts *= distance / np.linalg.norm(starts, axis=1, keepdims=True)
    extent_along = random.choice([0.05, 0.6], size=(n, 1))
    return starts, random.normal(size=(n, 3)) * extent_along + (0.3, -0.2, 0.5) - starts


def by_mujoco(model, starts, directions):
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    geom = np.zeros(1, np.int32)
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    found = [
        mujoco.mj_ray(model, data, start, d, None, 1, -1, geom, None) for start, d in zip(starts, unit, strict=True)
    ]
    return np.where(np.array(found) < 0.0, np.inf, found)


@pytest.mark.parametrize("distance", [4.0, 40.0])
@pytest.mark.parametrize("geom", GEOMS)
def test_distances_are_those_of_mujoco(geom, distance):
    model = model_of(geom)
    starts, directions = aimed(2000, distance)
    expected = by_mujoco(model, starts, directions)
    found = cast_rays(scene_from_mujoco(model).scene, starts, directions).distance
    both = np.isfinite(expected) & np.isfinite(found)
    assert both.sum() > 20
    assert (np.isfinite(expected) != np.isfinite(found)).mean() < 2e-3
    error = np.abs(expected[both] - found[both])
    assert np.median(error) < 1e-5
    assert np.quantile(error, 0.99) < 1e-3


@pytest.mark.parametrize(
    "geom", [name for name in GEOMS if name not in ("plane", "endless plane", "mesh", "disc", "pole")]
)
def test_a_ray_that_starts_inside_meets_the_far_side(geom):
    model = model_of(geom)
    directions = np.random.default_rng(1).normal(size=(500, 3))
    starts = np.full((500, 3), (0.3, -0.2, 0.5)) + 0.02
    expected = by_mujoco(model, starts, directions)
    found = cast_rays(scene_from_mujoco(model).scene, starts, directions).distance
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "start", "direction", "expected"),
    [
        (Sphere(0.5), (0, 0, 3), (0, 0, -1), 2.5),
        (Box((1, 2, 3)), (10, 0, 0), (-1, 0, 0), 9.0),
        (Box((1, 2, 3)), (10, 2.01, 0), (-1, 0, 0), np.inf),
        (Ellipsoid((1, 2, 3)), (0, 0, 9), (0, 0, -2), 6.0),
        (Capsule(0.5, 1.0), (0, 0, 5), (0, 0, -1), 3.5),
        (Capsule(0.5, 1.0), (0, -5, 0.9), (0, 1, 0), 4.5),
        (Cylinder(0.5, 1.0), (0.2, 0.1, 5), (0, 0, -1), 4.0),
        (Cylinder(0.5, 1.0), (0.6, 0, 5), (0, 0, -1), np.inf),
        (Plane(), (0, 0, 2), (0, 0.6, -0.8), 2.5),
        (Plane(), (0, 0, -2), (0, 0, 1), np.inf),
        (Plane((1, 1)), (0, 0, 2), (0, 1, -1), np.inf),
    ],
)
def test_distances_are_those_of_geometry(shape, start, direction, expected):
    hits = cast_rays(Scene((Instance(shape),)), np.array(start, float), np.array([direction], float))
    assert hits.distance[0] == pytest.approx(expected, abs=1e-6)


def test_normals_stand_on_the_surface_and_face_the_sensor():
    starts, directions = aimed(3000, 5.0)
    for shape in (Sphere(0.7), Ellipsoid((0.5, 0.9, 0.7)), Capsule(0.4, 0.5), Cylinder(0.5, 0.6), Box((0.5, 0.6, 0.7))):
        scene = Scene((Instance(shape),))
        hits = cast_rays(scene, starts, directions)
        met = np.isfinite(hits.distance)
        unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        assert met.sum() > 500
        assert (np.sum(hits.normal * unit, axis=1)[met] < 1e-3).all()
        np.testing.assert_allclose(np.linalg.norm(hits.normal[met], axis=1), 1.0, atol=1e-5)
        # Moving sideways along the surface keeps to it: the ray from there towards the surface is as long as expected.
        points = starts + hits.distance[:, None] * unit
        again = cast_rays(scene, points[met] + 0.1 * hits.normal[met], -hits.normal[met])
        np.testing.assert_allclose(again.distance, 0.1, atol=1e-3)


@pytest.mark.parametrize("mesh", [car(), animal()], ids=["car", "animal"])
def test_a_tree_of_triangles_finds_what_all_triangles_give(mesh):
    starts, directions = aimed(400, 6.0)
    corners = mesh.corners + np.array(mesh.middle)
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    p = np.cross(unit[:, None], v[None])
    volume = np.sum(u * p, axis=-1)
    s = starts[:, None] - a
    first = np.sum(s * p, axis=-1) / volume
    r = np.cross(s, u)
    second = np.sum(unit[:, None] * r, axis=-1) / volume
    t = np.sum(v * r, axis=-1) / volume
    inside = (first >= 0) & (second >= 0) & (first + second <= 1) & (t > 0)
    expected = np.where(inside, t, np.inf).min(axis=1)
    found = cast_rays(Scene((Instance(mesh),)), starts, directions).distance
    assert (np.isfinite(found) != np.isfinite(expected)).sum() <= 1
    both = np.isfinite(found) & np.isfinite(expected)
    assert both.sum() > 50
    np.testing.assert_allclose(found[both], expected[both], atol=1e-5)


def test_an_instance_without_a_finite_pose_is_not_there():
    scene = Scene((Instance(Sphere(1.0), (5, 0, 0)), Instance(Sphere(1.0), (9, 0, 0)), Instance(Plane(), (0, 0, -1))))
    positions = scene.poses.positions.copy()
    positions[0] = np.nan
    positions[2] = np.inf
    rays = np.array([(1.0, 0, 0), (0, 0, -1.0)])
    hits = cast_rays(scene, np.zeros(3), rays, poses=Poses(positions, scene.poses.rotations))
    assert hits.distance.tolist() == [8.0, np.inf]
    assert hits.instance.tolist() == [2, 0]


def test_mesh_instances_are_placed_by_their_own_origin():
    triangle = Mesh([(1, 0, 0), (3, 0, 0), (1, 2, 0)], [(0, 1, 2)])
    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    scene = Scene((Instance(triangle, (10, 0, 0), quarter),))
    hits = cast_rays(scene, np.array([(9.5, 1.5, 4.0), (11.5, 0.5, 4.0)]), np.array([(0, 0, -1.0), (0, 0, -1.0)]))
    assert hits.distance.tolist() == [4.0, np.inf]
