"""Scenes of towns: every surface is covered, everything stands on the ground, and lights show their states."""

import numpy as np
import pytest

from offnominal.sensing import Camera, render
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.town_ground import triangulate
from offnominal.worlds.road.scenes.town_scene import TownScene
from offnominal.worlds.road.town import TownSimulation, make_town
from offnominal.worlds.road.town.surfaces import surfaces_of

pytestmark = pytest.mark.long


def areas(polygons):
    """Return the areas of polygons (n, corners, 2)."""
    x, y = polygons[..., 0], polygons[..., 1]
    return 0.5 * np.abs((x * np.roll(y, -1, axis=-1) - y * np.roll(x, -1, axis=-1)).sum(axis=-1))


@pytest.mark.parametrize("name", ["residential", "roundabout", "rural"])
def test_triangles_cover_the_surfaces_of_a_town(name):
    for surface in surfaces_of(make_town(name).graph):
        covered = areas(surface.corners[np.array(triangulate(surface.corners))]).sum()
        whole = float(areas(surface.corners[None])[0])
        assert abs(covered - whole) < 0.02 * whole + 0.02


@pytest.fixture(scope="module")
def grid():
    simulation = TownSimulation("grid")
    return simulation, simulation.reset(seed=2, vehicles=10, pedestrians=20)


def test_roads_are_roads_and_lanes_are_free_of_places(grid):
    simulation, state = grid
    x, y = state.position[0].tolist()
    above = Camera((x, y, 60.0), (x + 0.01, y, 0.0), 96, 96, 60.0)
    image = render(TownScene(simulation.town).at(state), above, ("label", "instance"))
    assert image.label[48, 48] in (Label.ROAD, Label.ROAD_LINE)
    assert {Label.ROAD, Label.SIDEWALK, Label.ROAD_LINE} <= {Label(each) for each in np.unique(image.label)}


def test_pedestrians_stand_on_sidewalks(grid):
    simulation, state = grid
    scene = TownScene(simulation.town).at(state, ego=True)
    heights = {each.identity: each.position[2] for each in scene.instances}
    walkers = [int(i) for i, kind in zip(state.instance, state.kind, strict=True) if kind == "pedestrian"]
    assert {heights[i] for i in walkers if i in heights} <= {0.0, 0.12}
    assert heights[1] == 0.0


def test_traffic_lights_show_their_states(grid):
    simulation, state = grid
    scenes = TownScene(simulation.town)
    shown = []
    for lit in range(3):
        state.lights[:] = lit
        heads = [each.shape for each in scenes.at(state).instances if each.label == Label.TRAFFIC_LIGHT]
        shown.append(heads)
    assert shown[0]
    assert all(len({id(shape) for shape in heads}) == 1 for heads in shown)
    assert len({id(heads[0]) for heads in shown}) == 3
