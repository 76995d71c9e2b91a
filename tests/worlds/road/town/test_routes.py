"""Routes on the road graphs are connected and shortest, and the published rules reject the invalid ones."""

from itertools import islice

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.road.town import LanePosition, NoRoute, make_town, plan_route, town_names
from offnominal.worlds.road.town.setup import draw_routes
from offnominal.worlds.road.town.spawning import spawn_points

pytestmark = pytest.mark.long


def check_connected(route):
    net = route.graph.network
    for lane, after in zip(route.lanes[:-1], route.lanes[1:], strict=True):
        assert after in route.graph.lanes[lane].successors or after in (net.left[lane], net.right[lane])


@pytest.mark.parametrize("town", town_names())
def test_routes_are_connected_and_their_waypoints_are_one_metre_apart(town):
    graph = make_town(town).graph
    for route in islice(draw_routes(graph, 5), 10):
        check_connected(route)
        assert route.problems == ()
        steps = np.linalg.norm(np.diff(route.waypoints[0], axis=0), axis=1)
        assert np.median(steps) == pytest.approx(1.0, abs=0.02)
        assert steps.max() < 4.5


def test_a_route_on_one_lane_is_that_lane():
    graph = make_town("grid").graph
    route = plan_route(graph, LanePosition(0, 10.0), LanePosition(0, 60.0))
    assert route.lanes == (0,)
    assert route.length == 50


def test_a_route_can_return_to_its_lane():
    graph = make_town("grid").graph
    route = plan_route(graph, LanePosition(0, 60.0), LanePosition(0, 10.0))
    assert route.lanes[0] == route.lanes[-1] == 0
    check_connected(route)


def test_no_lane_is_changed_at_the_end_of_a_lane():
    graph = make_town("residential").graph
    for lane in graph.lanes:
        if not lane.is_connector:
            route = plan_route(graph, LanePosition(lane.id, lane.length), LanePosition(0, 20.0))
            assert len(route.lanes) < 2 or route.lanes[1] not in (lane.left, lane.right)


def test_short_routes_are_not_valid():
    graph = make_town("grid").graph
    assert plan_route(graph, LanePosition(0, 10.0), LanePosition(0, 60.0)).problems


def test_positions_along_a_route():
    graph = make_town("grid").graph
    points = spawn_points(graph)
    route = plan_route(graph, points[0], points[-1])
    assert route.position_at(0.0).lane == route.lanes[0]
    with pytest.raises(InvalidParameter, match="distance is -2"):
        route.position_at(-2.0)
    with pytest.raises(NoRoute, match="m long"):
        route.position_at(1e5)
