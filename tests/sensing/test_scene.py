"""Scenes are checked where they are made."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import (
    Box,
    Camera,
    Capsule,
    Instance,
    Light,
    Material,
    Mesh,
    Plane,
    Poses,
    Scene,
    Sky,
    Sphere,
    cast_rays,
)
from offnominal.sensing.bvh import build_bvh
from offnominal.sensing.example_scenes import LABELS, town
from offnominal.sensing.mesh_models import animal, car

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sphere(0.0),
        lambda: Box((1.0, -1.0, 1.0)),
        lambda: Capsule(np.nan, 1.0),
        lambda: Plane((0.0, 1.0)),
        lambda: Mesh(np.zeros((3, 2)), [(0, 1, 2)]),
        lambda: Mesh(np.zeros((3, 3)), [(0, 1, 3)]),
        lambda: Mesh(np.full((3, 3), np.nan), [(0, 1, 2)]),
        lambda: Mesh(np.eye(3), [(0, 1, 2)], trim=[True, False]),
        lambda: Material((1.2, 0.0, 0.0)),
        lambda: Material(scale=0.0),
        lambda: Light((0.0, 0.0, 0.0)),
        lambda: Sky(visibility=-1.0),
        lambda: Instance(Sphere(1.0), rotation=np.ones((3, 3))),
        lambda: Instance(Sphere(1.0), rotation=np.zeros(4)),
        lambda: Instance(Sphere(1.0), rotation=np.zeros(5)),
        lambda: Instance(Sphere(1.0), position=(0.0, 1.0)),
        lambda: Scene(()),
        lambda: Poses(np.zeros((4, 3)), np.zeros((4, 4))),
        lambda: Camera((0, 0, 0), (0, 0, 0)),
        lambda: Camera((0, 0, 0), (0, 0, 1)),
        lambda: Camera((0, 0, 0), (1, 0, 0), width=0),
        lambda: Camera((0, 0, 0), (1, 0, 0), fov=180.0),
        lambda: Camera((0, 0, 0), (1, 0, 0), view_height=0.0),
        lambda: cast_rays(Scene((Instance(Sphere(1.0)),)), np.zeros(2), np.ones((1, 3))),
        lambda: cast_rays(Scene((Instance(Sphere(1.0)),)), np.zeros(3), np.zeros((1, 3))),
    ],
)
def test_what_cannot_be_is_named(make):
    with pytest.raises(InvalidParameter):
        make()


def test_an_unknown_texture_is_named():
    with pytest.raises(UnknownName, match="Did you mean 'checker'"):
        Material(texture="cheker")


def test_a_quaternion_is_its_matrix():
    rotation = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(Instance(Sphere(1.0), rotation=(half, 0, 0, half)).rotation, rotation, atol=1e-12)


def test_meshes_are_packed_once():
    one, other = car(), animal()
    scene = Scene(tuple(Instance(mesh, (k, 0, 0)) for k, mesh in enumerate((one, other, one, one))))
    assert len(scene.packed.triangles) == len(one.corners) + len(other.corners) == 248 + 2880
    assert len(set(scene.packed.root.tolist())) == 2


def test_a_tree_holds_every_item_once_and_inside():
    random = np.random.default_rng(2)
    low = random.normal(size=(300, 3)).astype(np.float32)
    items = np.hstack([low, low + random.random((300, 3)).astype(np.float32)])
    items[100:150] = items[100]
    boxes, links, order = build_bvh(items, 4)
    assert sorted(order.tolist()) == list(range(300))
    seen = []

    def visit(node):
        first, count = links[node]
        if count:
            seen.extend(order[first : first + count])
            inside = items[order[first : first + count]]
            assert (inside[:, :3] >= boxes[node, :3]).all()
            assert (inside[:, 3:] <= boxes[node, 3:]).all()
            return
        for child in (first, first + 1):
            assert (boxes[child, :3] >= boxes[node, :3]).all()
            assert (boxes[child, 3:] <= boxes[node, 3:]).all()
            visit(child)

    visit(0)
    assert sorted(seen) == list(range(300))


def test_the_town_is_of_its_seed():
    first, second, other = town(1), town(1), town(2)
    assert np.array_equal(first.poses.positions, second.poses.positions)
    assert not np.array_equal(first.poses.positions, other.poses.positions)
    assert {instance.label for instance in first.instances} == set(range(1, len(LABELS)))
