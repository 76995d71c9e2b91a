"""Meshes have colours per triangle and smooth normals; lidars measure intensities."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.sensing import Box, Camera, Instance, Lidar, Light, Material, Mesh, Scene, render, sweep

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
