"""Assets are deterministic, stand on the ground, have the size of what they show and the right labels."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import Camera, Light, Mesh, Scene, render
from offnominal.worlds.road.assets.buildings import STYLES, building
from offnominal.worlds.road.assets.ground import Strip, crossing, line, road_lines, road_surface, sidewalks, terrain
from offnominal.worlds.road.assets.people import pedestrian
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, plate, prism, ring, tube
from offnominal.worlds.road.assets.solid import smooth_corner_normals
from offnominal.worlds.road.assets.street_furniture import (
    LIGHT_STATES,
    SIGNS,
    bench,
    bus_stop,
    fence,
    guard_rail,
    litter_bin,
    pole,
    street_lamp,
    traffic_light,
    traffic_sign,
    wall,
)
from offnominal.worlds.road.assets.two_wheelers import bicycle, motorcycle
from offnominal.worlds.road.assets.vegetation import TREES, shrub, tree
from offnominal.worlds.road.assets.vehicles import CAR_BODIES, TRUCK_BODIES, bus, car, truck
from offnominal.worlds.road.labels import Label

pytestmark = pytest.mark.long

NOUNS = {
    **{f"car {body}": (lambda seed, body=body: car(seed, body=body)) for body in CAR_BODIES},
    **{f"truck {body}": (lambda seed, body=body: truck(seed, body=body)) for body in TRUCK_BODIES},
    **{f"building {style}": (lambda seed, style=style: building(seed, style=style)) for style in STYLES},
    **{f"tree {kind}": (lambda seed, kind=kind: tree(seed, kind=kind)) for kind in TREES},
    **{f"sign {kind}": (lambda _, kind=kind: traffic_sign(kind)) for kind in SIGNS},
    **{f"light {state}": (lambda _, state=state: traffic_light(state, arm=4.0)) for state in LIGHT_STATES},
    "bus": bus,
    "bicycle": bicycle,
    "motorcycle": motorcycle,
    "pedestrian": pedestrian,
    "shrub": shrub,
    "pole": lambda _: pole(),
    "lamp": lambda _: street_lamp(),
    "rail": lambda _: guard_rail(),
    "fence": lambda _: fence(),
    "wall": lambda _: wall(),
    "bench": lambda _: bench(),
    "bin": litter_bin,
    "stop": lambda _: bus_stop(),
}


@pytest.mark.parametrize("noun", NOUNS)
def test_assets_stand_on_the_ground_and_depend_on_their_seed_alone(noun):
    one, again = NOUNS[noun](3), NOUNS[noun](3)
    meshes = [part.shape for part in one.parts]
    assert all(mesh is other.shape for mesh, other in zip(meshes, again.parts, strict=True))
    assert [part.material for part in one.parts] == [part.material for part in again.parts]
    lowest = min(np.asarray(mesh.vertices)[:, 2].min() for mesh in meshes)
    assert lowest == pytest.approx(0.0, abs=0.1)
    assert sum(len(mesh.faces) for mesh in meshes) <= 2600
    assert all(np.isfinite(mesh.normals).all() for mesh in meshes)


@pytest.mark.parametrize(
    ("made", "low", "high"),
    [
        (car(body="sedan"), (4.3, 1.7, 1.3), (4.9, 2.3, 1.6)),
        (truck(body="box"), (7.5, 2.3, 3.0), (9.0, 2.8, 3.9)),
        (bus(), (11.0, 2.4, 2.7), (12.5, 3.2, 3.4)),
        (bicycle(rider=False), (1.5, 0.4, 0.9), (1.9, 0.8, 1.2)),
        (motorcycle(), (1.9, 0.6, 1.5), (2.4, 1.0, 1.9)),
        (pedestrian(1, standing=True), (0.2, 0.3, 1.1), (0.6, 0.8, 1.9)),
    ],
)
def test_road_users_have_their_usual_size(made, low, high):
    assert all(a <= size <= b for a, size, b in zip(low, made.size, high, strict=True)), made.size


def test_parts_have_their_own_labels():
    assert {part.label for part in bicycle().parts} == {Label.BICYCLE, Label.RIDER}
    assert {part.label for part in traffic_light().parts} == {Label.POLE, Label.TRAFFIC_LIGHT}
    assert {part.label for part in traffic_sign().parts} == {Label.POLE, Label.TRAFFIC_SIGN}
    assert {part.label for part in bicycle().labelled(Label.TEMPORAL_ANOMALY).parts} == {Label.TEMPORAL_ANOMALY}


def test_seeds_vary_assets():
    assert len({car(seed).name for seed in range(20)}) >= 5
    assert len({car(seed).parts[0].material.colour for seed in range(20)}) >= 5
    assert len({building(seed).name for seed in range(20)}) >= 5


def test_pedestrians_walk_in_eight_postures():
    meshes = {id(pedestrian(2, phase=k / 16).parts[0].shape) for k in range(16)}
    assert len(meshes) == 8
    assert pedestrian(2, phase=1.25).parts[0].shape is pedestrian(2, phase=0.25).parts[0].shape
    assert pedestrian(2, standing=True).size[0] < pedestrian(2, phase=0.25).size[0]


def test_placed_parts_share_one_identity_and_turn_together():
    sign = traffic_sign("stop")
    instances = sign.placed((10.0, 5.0, 0.0), 90.0, identity=7)
    assert [instance.identity for instance in instances] == [7, 7]
    camera = Camera((10.0, 11.0, 2.2), (10.0, 5.0, 2.2), 48, 48, fov=12.0)
    image = render(Scene(instances, Light(shadows=False)), camera, ("label", "rgb"))
    assert image.label[24, 18] == Label.TRAFFIC_SIGN
    red, green, blue = image.rgb[image.label == Label.TRAFFIC_SIGN].mean(axis=0)
    assert red > 2 * green > blue


@pytest.mark.parametrize("state", ["red", "amber", "green"])
def test_traffic_lights_show_their_state(state):
    light = traffic_light(state).placed(identity=1)
    image = render(Scene(light), Camera((6.0, 0.0, 3.0), (0.0, 0.0, 3.0), 96, 96, fov=14.0), ("rgb", "label"))
    lamps = image.rgb[image.label == Label.TRAFFIC_LIGHT].astype(int)
    bright = lamps[lamps.max(axis=1) > 240].mean(axis=0)
    shown = "red" if bright[1] < 100 else "amber" if bright[0] > 200 else "green"
    assert shown == state


def test_ground_has_labels_of_its_own():
    path = np.array([(-20.0, 0.0), (0.0, 0.0), (20.0, 5.0)])
    road = road_surface([Strip(path, 4.0, -4.0)])
    lines = road_lines([line(path, 0.0, dash=(3.0, 3.0)), line(path, 3.5), *crossing((-8.0, -4.0), (-8.0, 4.0))])
    walk = sidewalks([Strip(path, 6.5, 4.0), Strip(path, -4.0, -6.5)])
    parts = [
        instance for k, made in enumerate((terrain(), road, lines, walk)) for instance in made.placed(identity=k + 1)
    ]
    image = render(Scene(tuple(parts)), Camera((-12.0, 0.1, 40.0), (-12.0, 0.0, 0.0), 80, 80, fov=40.0), ("label",))
    assert set(np.unique(image.label)) == {Label.ROAD, Label.SIDEWALK, Label.TERRAIN, Label.ROAD_LINE}
    dashes = Strip(path, 0.1, -0.1, (3.0, 3.0)).edges()
    assert len(dashes) == 7


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: car(body="sedann"), UnknownName),
        (lambda: truck(body="x"), UnknownName),
        (lambda: building(style="castle"), UnknownName),
        (lambda: building(width=1.0), InvalidParameter),
        (lambda: tree(kind="bush"), UnknownName),
        (lambda: traffic_light("blue"), UnknownName),
        (lambda: traffic_light(arm=-1.0), InvalidParameter),
        (lambda: traffic_sign("go"), UnknownName),
        (lambda: pedestrian(phase=float("nan")), InvalidParameter),
        (lambda: guard_rail(0.0), InvalidParameter),
        (lambda: Strip(np.zeros((1, 2)), 1.0, 0.0), InvalidParameter),
        (lambda: Strip(np.zeros((2, 2)), 0.0, 1.0), InvalidParameter),
        (lambda: road_surface([]), InvalidParameter),
    ],
)
def test_bad_input_is_named(make, error):
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("solid", "size"),
    [
        (box("red", 1.0, 2.0, 3.0), (1.0, 2.0, 3.0)),
        (ball("red", 1.0, 2.0, 3.0, n=16), (2.0, 4.0, 6.0)),
        (drum("red", 0.5, 2.0, n=16), (1.0, 1.0, 2.0)),
        (lathe("red", ((0.0, 0.0), (0.5, 1.0), (0.0, 2.0)), n=16), (1.0, 1.0, 2.0)),
        (tube("red", ((0.0, 0.0, 0.0), (0.0, 0.0, 2.0)), 0.5, n=16), (1.0, 1.0, 2.4)),
        (ring("red", 1.0, 0.1, n=16, m=8), (2.2, 2.2, 0.2)),
        (prism("red", ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), 2.0), (1.0, 2.0, 1.0)),
        (plate("red", ((0.0, 0.0), (1.0, 0.0), (1.0, 3.0), (0.0, 3.0)), 0.2), (1.0, 3.0, 0.2)),
    ],
)
def test_primitives_have_the_given_size(solid, size):
    assert solid.size == pytest.approx(size, abs=1e-9)
    assert isinstance(solid.mesh(), Mesh)


def test_edges_stay_sharp_and_round_surfaces_become_smooth():
    cube = box("red", 1.0, 1.0, 1.0)
    assert np.isclose(np.abs(smooth_corner_normals(cube.vertices, cube.faces)).max(axis=2), 1.0).all()
    round_ = ball("red", 1.0, 1.0, 1.0, n=16)
    normals = smooth_corner_normals(round_.vertices, round_.faces)
    corners = round_.vertices[round_.faces]
    assert (np.abs((normals * corners).sum(axis=2)) > 0.97).all()
