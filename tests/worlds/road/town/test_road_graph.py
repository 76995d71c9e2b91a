"""The road graphs of the towns are complete, smooth and consistent."""

import math

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.road.town import InvalidSpawn, InvalidTown, RoadGraph, make_town, town_names
from offnominal.worlds.road.town.description import Node, Road, TownPlan
from offnominal.worlds.road.town.presets import PRESETS

pytestmark = pytest.mark.long

TOWNS = town_names()


@pytest.fixture(params=TOWNS)
def town(request):
    return make_town(request.param)


def test_there_are_eight_towns_and_each_published_town_has_one():
    published = {build().published for build in PRESETS.values()}
    assert published == {f"Town0{k}" for k in range(1, 8)} | {"Town10HD"}


def test_every_lane_can_be_entered_and_left(town):
    lanes = town.graph.lanes
    for lane in lanes:
        assert lane.successors
        beside = [lanes[k] for k in (lane.left, lane.right) if k >= 0]
        assert lane.predecessors or any(other.predecessors for other in beside)


def test_lanes_follow_each_other_without_gaps_or_kinks(town):
    for lane in town.graph.lanes:
        for after in lane.successors:
            other = town.graph.lanes[after]
            assert np.allclose(lane.points[-1], other.points[0])
            end = town.graph.to_cartesian(lane.id, lane.length).heading
            start = town.graph.to_cartesian(after, 0.0).heading
            assert abs(math.remainder(end - start, math.tau)) < 0.15


def test_no_path_turns_more_sharply_than_a_car_can(town):
    network = town.graph.network
    assert (network.cap > math.sqrt(2.0 * 4.5)).all()


def test_lane_frame_and_plane_are_inverse(town):
    graph = town.graph
    for lane in graph.lanes[:: max(1, len(graph.lanes) // 40)]:
        for share in (0.1, 0.5, 0.9):
            pose = graph.to_cartesian(lane.id, share * lane.length, 0.7)
            place = graph.to_lane(pose.x, pose.y, pose.heading, lane=lane.id)
            assert place.s == pytest.approx(share * lane.length, abs=0.1)
            assert place.d == pytest.approx(0.7, abs=0.02)
            assert place.heading == pytest.approx(0.0, abs=0.12)


def test_conflicts_are_mutual_and_only_between_paths_of_one_junction(town):
    graph = town.graph
    pairs = {(c.path, c.other) for c in graph.conflicts}
    assert pairs == {(other, path) for path, other in pairs}
    for path, other in pairs:
        assert graph.lanes[path].junction == graph.lanes[other].junction


def test_opposite_straight_paths_do_not_conflict_and_crossing_ones_do():
    graph = make_town("grid").graph
    junction = next(j for j in graph.junctions if len(j.arms) == 4)
    straight = [p for p in junction.connectors if graph.lanes[p].turn == 0]
    pairs = {(c.path, c.other) for c in graph.conflicts if not c.wide}
    for a in straight:
        for b in straight:
            start = graph.to_cartesian(a, 0.0).heading, graph.to_cartesian(b, 0.0).heading
            across = abs(math.sin(start[0] - start[1])) > 0.5
            assert ((a, b) in pairs) == across


def test_every_traffic_light_is_in_exactly_one_phase(town):
    for junction in town.graph.junctions:
        heads = [head for phase in junction.phases for head in phase]
        assert len(heads) == len(set(heads))
        assert bool(heads) == (junction.kind == "lights")


def test_crossings_cover_all_lanes_of_their_road(town):
    graph = town.graph
    for crossing in graph.crossings:
        road = graph.roads[crossing.road]
        assert {lane for lane, _, _ in crossing.spans} == {*road.forward, *road.backward}
        walk = graph.walks[crossing.walk]
        assert np.linalg.norm(walk.points[-1] - walk.points[0]) > road.road.left_edge + road.road.right_edge


def test_walks_are_connected_at_their_nodes(town):
    ends = {}
    for walk in town.graph.walks:
        for node, point in ((walk.start, walk.points[0]), (walk.end, walk.points[-1])):
            assert np.linalg.norm(ends.setdefault(node, point) - point) < 0.5


def test_no_place_stands_on_a_lane(town):
    points = town.graph.network.point
    for place in town.places:
        if place.kind == "building":
            away = points - [place.x, place.y]
            near = points[np.abs(away).max(axis=1) < 0.5 * (place.length + place.width) + 4.0]
            assert not any(place.contains(x, y, 1.7) for x, y in near)
        elif place.kind != "rail":
            assert np.sqrt(((points - [place.x, place.y]) ** 2).sum(axis=1).min()) > 1.6


def test_buildings_do_not_overlap(town):
    buildings = [place for place in town.places if place.kind == "building"]
    for k, place in enumerate(buildings):
        for other in buildings[:k]:
            assert not other.contains(place.x, place.y)


def test_a_town_is_the_same_whenever_it_is_built():
    first, second = RoadGraph(PRESETS["downtown"]()), RoadGraph(PRESETS["downtown"]())
    for a, b in zip(first.network, second.network, strict=True):
        assert a.tobytes() == b.tobytes()


def test_unknown_town_is_a_named_error_with_a_hint():
    with pytest.raises(UnknownName, match="Did you mean 'downtown'"):
        make_town("dountown")


def test_a_road_that_is_too_short_is_a_named_error():
    plan = TownPlan("tiny", "", "", {"a": Node(0, 0), "b": Node(10, 0)}, (Road("a", "b"), Road("b", "a")))
    with pytest.raises(InvalidTown, match="10 m long"):
        RoadGraph(plan)


def test_a_road_to_an_unknown_node_is_a_named_error():
    with pytest.raises(InvalidTown, match="'c'"):
        TownPlan("odd", "", "", {"a": Node(0, 0)}, (Road("a", "c"),))


def test_a_dead_end_is_a_named_error():
    nodes = {"a": Node(0, 0), "b": Node(100, 0)}
    with pytest.raises(InvalidTown, match="no path leads"):
        RoadGraph(TownPlan("dead end", "", "", nodes, (Road("a", "b", back=0),)))


@pytest.mark.parametrize("field", [{"lanes": 0}, {"limit": -1.0}, {"sidewalks": "up"}, {"crossings": (1.5,)}])
def test_wrong_roads_are_named_errors(field):
    with pytest.raises(InvalidParameter):
        Road("a", "b", **field)


def test_positions_inside_buildings_and_off_the_road_are_named_errors():
    town = make_town("grid")
    house = next(place for place in town.places if place.kind == "building")
    with pytest.raises(InvalidSpawn, match="inside a building"):
        town.lane_at(house.x, house.y)
    with pytest.raises(InvalidSpawn, match="off the road"):
        town.lane_at(-500.0, -500.0)


def test_a_negative_distance_along_a_lane_is_a_named_error():
    with pytest.raises(InvalidParameter, match="s is -2"):
        make_town("grid").graph.to_cartesian(0, -2.0)
