"""Meshes have colours per triangle and smooth normals; lidars measure intensities."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.sensing import (
    Box,
    Camera,
    Instance,
    Lidar,
    Light,
    Material,
    Mesh,
    Patches,
    Plane,
    Scene,
    cast_rays,
    render,
    sweep,
)
from offnominal.sensing.vectors import rotation_about_z

pytestmark = pytest.mark.long

SQUARE = np.array([(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)], float)
HALVES = [(0, 1, 2), (0, 2, 3)]
FLAT_LIGHT = Light(sun=(0, 0, 0), above=(1, 1, 1), below=(1, 1, 1), shadows=False)
CAMERA = Camera((-4.0, 0.0, 0.0), (0.0, 0.0, 0.0), 32, 32, fov=20.0)


def colours_of(mesh, material):
    rgb = render(Scene((Instance(mesh, material=material),), FLAT_LIGHT), CAMERA).rgb
    return rgb[28, 4].tolist(), rgb[4, 28].tolist()


def test_colours_of_triangles_replace_the_material():
    nothing = (np.nan,) * 3
    material = Material((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    one = Mesh(SQUARE, HALVES, colours=[(0.0, 1.0, 0.0), nothing])
    assert set(map(tuple, colours_of(one, material))) == {(0, 255, 0), (255, 0, 0)}
    other = Mesh(SQUARE, HALVES, trim=[True, True], colours=[nothing, (0.0, 2.0, 0.0)])
    assert set(map(tuple, colours_of(other, material))) == {(0, 255, 0), (0, 0, 255)}


def test_palettes_of_several_meshes_do_not_mix():
    left = Mesh(SQUARE - (0, 1.2, 0), HALVES, colours=[(1.0, 0.0, 0.0)] * 2)
    right = Mesh(SQUARE - (0, -1.2, 0), HALVES, colours=[(0.0, 0.0, 1.0)] * 2)
    scene = Scene((Instance(left), Instance(right)), FLAT_LIGHT)
    rgb = render(scene, Camera((-8.0, 0.0, 0.0), (0.0, 0.0, 0.0), 32, 32, fov=30.0)).rgb
    assert rgb[16, 8].tolist() == [0, 0, 255]
    assert rgb[16, 24].tolist() == [255, 0, 0]


def test_normals_at_corners_are_interpolated_and_zero_is_flat():
    tilted = np.array([(-1.0, -0.5, 0), (-1.0, 0.5, 0), (-1.0, 0.5, 0), (-1.0, -0.5, 0)])
    tilted /= np.linalg.norm(tilted, axis=1, keepdims=True)
    smooth = Mesh(SQUARE, HALVES, normals=tilted[HALVES])
    normal = render(Scene((Instance(smooth),)), CAMERA, ("normal",)).normal
    seen = np.abs(normal).sum(axis=2) > 0
    np.testing.assert_allclose(np.linalg.norm(normal[seen], axis=1), 1.0, atol=1e-5)
    assert (normal[..., 0][seen] < -0.85).all()
    assert normal[16, 4, 1] > 0.2
    assert normal[16, 27, 1] < -0.2
    flat = Mesh(SQUARE, HALVES, normals=np.zeros((2, 3, 3)))
    again = render(Scene((Instance(flat), Instance(smooth, (9.0, 0.0, 0.0)))), CAMERA, ("normal",)).normal
    np.testing.assert_allclose(again[16, 16], (-1.0, 0.0, 0.0), atol=1e-6)


@pytest.mark.parametrize("wrong", [{"colours": np.zeros((3, 3))}, {"normals": np.zeros((2, 3))}])
def test_wrong_shapes_are_named(wrong):
    with pytest.raises(InvalidParameter, match="one row for each face"):
        Mesh(SQUARE, HALVES, **wrong)


def test_intensity_is_reflectance_times_cosine_and_changes_nothing_else():
    walls = [
        Instance(Box((0.1, 3.0, 3.0)), (5.0, 0.0, 1.8), material=Material((0.5, 0.5, 0.5))),
        Instance(Box((0.1, 3.0, 3.0)), (-5.0, 0.0, 1.8), material=Material((1.0, 1.0, 1.0))),
    ]
    lidar = Lidar(channels=3, columns=64, fov=(-5.0, 5.0), noise=0.02)
    plain, cloud = sweep(Scene(tuple(walls)), lidar), sweep(Scene(tuple(walls)), lidar, intensity=True)
    assert plain.intensity is None
    assert np.array_equal(plain.ranges, cloud.ranges)
    assert np.array_equal(plain.label, cloud.label)
    assert cloud.intensity[1, 32] == pytest.approx(0.5, abs=0.01)
    assert cloud.intensity[1, 0] == pytest.approx(1.0, abs=0.01)
    assert (cloud.intensity[~cloud.returned] == 0.0).all()


def random_strips(n=60):
    random = np.random.default_rng(4)
    middles, angles = random.uniform(-20.0, 20.0, (n, 1, 2)), random.uniform(0.0, np.pi, n)
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None] * random.uniform(0.5, 15.0, (n, 1, 1))
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)[:, None] * random.uniform(0.05, 1.5, (n, 1, 1))
    corners = np.concatenate([middles - along, middles + along, middles + along + across], axis=1)
    return corners.reshape(-1, 2), np.arange(3 * n).reshape(-1, 3)


@pytest.mark.parametrize("camera", [Camera((-22, 3, 4), (0, 0, 0), 90, 70, 60), Camera((1, 2, 50), (1, 2.01, 0))])
def test_patches_are_meshes_seen_from_above(camera):
    vertices, faces = random_strips()
    flat = np.hstack([vertices, np.zeros((len(vertices), 1))])
    turned = rotation_about_z(33.0)
    outputs = ("depth", "label", "normal")
    pictures = [
        render(Scene((Instance(shape, (1.0, 2.0, 0.3), turned, label=4),), Light(shadows=False)), camera, outputs)
        for shape in (Patches(vertices, faces), Mesh(flat, faces))
    ]
    agree = pictures[0].label == pictures[1].label
    assert agree.mean() > 0.999
    both = agree & (pictures[0].label == 4)
    assert both.mean() > 0.05
    np.testing.assert_allclose(pictures[0].depth[both], pictures[1].depth[both], rtol=1e-4)
    np.testing.assert_allclose(pictures[0].normal[both], (0.0, 0.0, 1.0) * np.ones((both.sum(), 3)), atol=1e-6)


def test_patches_are_found_by_all_sensors_and_not_from_below():
    vertices, faces = random_strips()
    floor = Scene((Instance(Patches(vertices, faces), label=4), Instance(Plane(), (0.0, 0.0, -0.5), label=5)))
    cloud = sweep(floor, Lidar(channels=16, columns=90, fov=(-60.0, -5.0)), intensity=True)
    rays = cloud.points[cloud.returned] - np.array((0.0, 0.0, 1.8))
    hits = cast_rays(floor, np.array((0.0, 0.0, 1.8)), rays)
    assert (hits.label == cloud.label[cloud.returned]).mean() > 0.99
    assert {4, 5} == set(np.unique(cloud.label[cloud.returned]))
    many = cast_rays(floor, np.tile((0.0, 0.0, 1.8), (len(rays), 1)), rays)
    assert np.array_equal(many.label, hits.label)
    below = render(floor, Camera((0.0, 0.0, -0.2), (5.0, 0.0, 1.0), 32, 32), ("instance",))
    assert (below.instance == 0).mean() > 0.5
    assert not (below.instance == 1).any()


def test_a_rebuilt_scene_reuses_its_meshes():
    square = Mesh(SQUARE, HALVES)
    one, other = (Scene((Instance(square, (x, 0.0, 0.0)),)) for x in (1.0, 2.0))
    assert one.packed.triangles is other.packed.triangles


def test_new_meshes_join_those_of_the_last_similar_scene_and_images_stay_the_same():
    shapes = [Mesh(SQUARE - (0.0, -0.1 * k, 0.0), HALVES, colours=[(0.1 * k, 0.5, 1.0)] * 2) for k in range(6)]
    scenes = [Scene(tuple(Instance(shape, (k, 0.0, 0.0)) for k, shape in enumerate(shapes[:n]))) for n in (3, 4, 3)]
    first = render(scenes[0], CAMERA).rgb
    more = scenes[1].packed
    assert len(more.triangles) == 8
    rebuilt = Scene(scenes[0].instances)
    assert rebuilt.packed.triangles is more.triangles
    assert np.array_equal(render(rebuilt, CAMERA).rgb, first)
