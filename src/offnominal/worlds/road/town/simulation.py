"""The simulation of a town: traffic, pedestrians and the ego vehicle, without rendering."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import get_args

import numpy as np

from offnominal.core.checks import integer_in, one_of
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidState
from offnominal.core.streams import Stream, check_seed
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.worlds.road.labels import AGENT_OFFSET, Label
from offnominal.worlds.road.town.active_incident import ActiveIncident
from offnominal.worlds.road.town.behaviour import make_behaviour
from offnominal.worlds.road.town.collision_kernel import find_collisions
from offnominal.worlds.road.town.description import LANE_WIDTH
from offnominal.worlds.road.town.errors import AnomalyNotPossible, NoRoute
from offnominal.worlds.road.town.incident_search import find_incident
from offnominal.worlds.road.town.incidents import Incident, TemporalAnomaly, temporal_anomaly
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.obstacle import Ego, Obstacle
from offnominal.worlds.road.town.road_graph import LanePosition, Pose
from offnominal.worlds.road.town.routes import Route, plan_route, route_table
from offnominal.worlds.road.town.setup import ANY_PARTNER, Actors, Partner, block, draw_routes, place_actors
from offnominal.worlds.road.town.snapshot import TICKS, Snapshot
from offnominal.worlds.road.town.structures import structure
from offnominal.worlds.road.town.tick_kernel import begin_tick, change_lanes, decide_all, move_all
from offnominal.worlds.road.town.town import Town, make_town
from offnominal.worlds.road.town.traffic_state import (
    SAFETY_TIME,
    Control,
    Occupancy,
    Vehicles,
    Walkers,
    empty_occupancy,
)
from offnominal.worlds.road.town.vehicle_kinds import KINDS

PEDESTRIAN_SIZE = (0.5, 0.6, 1.75)
ATTEMPTS = 12
FULL = 1.0
ON_ROAD = 0.5 * LANE_WIDTH + 0.25


class TownSimulation:
    """A town in motion. Deterministic: the same arguments give the same states, bit for bit.

    Args:
        town: Town, or its name.
        behaviour: Behaviour of the ego vehicle: ``cautious``, ``normal`` or ``aggressive``.
        green_wave: Whether the traffic lights in front of the ego vehicle are kept green.
        ego: What vehicles do about an object on the road. ``"blind"``: they drive on as without it. ``"stopping"``:
            they stop before its place, also in the nominal twin. ``"avoiding"``: they stop before it.

    Example:
        >>> simulation = TownSimulation("residential")
        >>> state = simulation.reset(seed=3, vehicles=10, pedestrians=10)
        >>> state = simulation.step()
        >>> state.tick, len(state.instance), simulation.collisions()
        (1, 21, [])
    """

    def __init__(
        self, town: Town | str, *, behaviour: str = "normal", green_wave: bool = True, ego: Ego = "blind"
    ) -> None:
        self.town = make_town(town) if isinstance(town, str) else town
        self.behaviour = make_behaviour(behaviour)
        self.green_wave = green_wave
        self.ego: Ego = one_of("ego", ego, get_args(Ego))
        self.tick = -1
        self.incident: Incident | None = None
        self.planned: Incident | None = None
        self.obstacle: Obstacle | None = None
        self.route: Route
        self.cars: Vehicles
        self.walkers: Walkers
        self.control: Control
        self._actors: Actors
        self._partner = ANY_PARTNER
        self._planned: Obstacle | None = None
        self._object: tuple[Pose, tuple[float, float, float], float]
        self._placing: tuple[int, Route, int, int, TemporalAnomaly | None, bool] | None = None
        self._structures: tuple[Network, Vehicles, Walkers, Control, Occupancy]
        self._routes: IntArray
        self._key: np.uint64
        self._controls: FloatArray
        self._accelerations: FloatArray
        self._discards: set[str]
        self._waves: int
        self._active: ActiveIncident | None = None

    def reset(
        self,
        seed: int,
        *,
        vehicles: int | None = None,
        pedestrians: int | None = None,
        route: Route | None = None,
        anomaly: str | None = None,
        obstacle: Obstacle | None = None,
        nominal: bool = False,
        partner: Partner = ANY_PARTNER,
        ticks: tuple[int, int] | None = None,
    ) -> Snapshot:
        """Place all actors and return the state before the first tick.

        Args:
            seed: Seed of the simulation.
            vehicles: Number of vehicles besides the ego vehicle; None is the town's default. There are fewer if the
                town has no room for them.
            pedestrians: Number of pedestrians; None is the town's default.
            route: Route of the ego vehicle; None draws one.
            anomaly: Name of a temporal anomaly, see `TEMPORAL_ANOMALIES`.
            obstacle: Object on the route, a content anomaly. Other vehicles avoid its road. Its contact with vehicles
                is not simulated here, but by :class:`~offnominal.worlds.road.scenes.ScenarioRun`.
            nominal: Whether to simulate the nominal twin: the same actors without the temporal anomaly or the object.
            partner: The car that accompanies the ego vehicle in some temporal anomalies.
            ticks: First and last tick of the temporal anomaly; None uses those at which it is possible.
        """
        seed = check_seed(seed)
        n = self.town.default_vehicles if vehicles is None else integer_in("vehicles", vehicles, 0, 1000)
        m = self.town.default_pedestrians if pedestrians is None else integer_in("pedestrians", pedestrians, 0, 1000)
        if anomaly is not None and obstacle is not None:
            raise InvalidParameter("a temporal anomaly and an obstacle are both given; expected at most one of them.")
        self.obstacle, self.incident, self.planned = None if nominal else obstacle, None, None
        self._planned, self._partner = obstacle, partner
        if anomaly is None:
            chosen = next(draw_routes(self.town.graph, seed)) if route is None else route
            self._placing = (seed, chosen, n, m, None, nominal)
            return self.restart()
        kind = temporal_anomaly(anomaly)
        chosen, incident = self._find_incident(seed, n, m, route, kind, ticks)
        self._placing = (seed, chosen, n, m, kind, nominal)
        self.planned = incident
        self.incident = None if nominal else incident
        return self.restart()

    def restart(self) -> Snapshot:
        """Return to the state of the last reset, without another search for the moment of an anomaly."""
        if self._placing is None:
            raise InvalidState("the simulation has no state; call reset first.")
        self._place(*self._placing)
        self._activate(self.incident)
        return self.snapshot()

    def _place(
        self,
        seed: int,
        route: Route,
        vehicles: int,
        walkers: int,
        kind: TemporalAnomaly | None,
        nominal: bool = False,
    ) -> None:
        """Place all actors for a route."""
        graph, self.route = self.town.graph, route
        given = (route, self.behaviour, vehicles, walkers, kind, self._planned)
        actors = place_actors(graph, seed, *given, partner=self._partner, nominal=nominal, ego=self.ego)
        if actors.obstacle is not None and self._planned is not None:
            self._object = (actors.obstacle, self._planned.size, 0.0)
        self._actors = actors
        self.cars, self.walkers, self.control, self._routes = actors.cars, actors.walkers, actors.control, actors.routes
        count = len(self.cars.lane)
        occupancy = empty_occupancy(graph.network, count, len(self.walkers.walk), len(self.control.blocks))
        self._structures = (
            graph.structure,
            structure(self.cars),
            structure(self.walkers),
            structure(self.control),
            structure(occupancy),
        )
        self._key = Stream.named(seed, 0, "world").key
        self._controls, self._accelerations = np.zeros(3), np.zeros(count)
        self._waves = (2 if kind is not None and kind.lead else 1) if self.green_wave else 0
        self._discards, self._active = set(), None
        self.tick = 0
        self._stages(free=False, moving=False)

    def _find_incident(
        self,
        seed: int,
        vehicles: int,
        walkers: int,
        route: Route | None,
        kind: TemporalAnomaly,
        ticks: tuple[int, int] | None,
    ) -> tuple[Route, Incident]:
        """Simulate nominal scenarios until one has an actor, a place and a time for an anomaly."""

        def start(chosen: Route, incident: Incident | None) -> None:
            self._place(seed, chosen, vehicles, walkers, kind)
            self._activate(incident)

        routes = draw_routes(self.town.graph, seed, lanes=kind.lanes) if route is None else iter([route])
        found = find_incident(self, self.town.graph, islice(routes, ATTEMPTS), start, kind, ticks)
        if found is None:
            raise AnomalyNotPossible(
                f"{self.town.name} has no actor and no place for {kind.name!r} with seed {seed}; use another seed, "
                "more vehicles or pedestrians, or another town."
            )
        return found

    def _activate(self, incident: Incident | None) -> None:
        if incident is not None:
            self._active = ActiveIncident(incident, self.town.graph.network, self.cars, self.walkers)

    def step(self, controls: Sequence[float] | FloatArray | None = None) -> Snapshot:
        """Advance by 0.1 s and return the new state.

        Args:
            controls: Throttle in [0, 1], steering in [-1, 1] (positive is left) and brake in [0, 1] of the ego vehicle;
                None leaves it to its behaviour agent.
        """
        self.advance(controls)
        return self.snapshot()

    def advance(self, controls: Sequence[float] | FloatArray | None = None) -> None:
        """Advance by 0.1 s; see :meth:`step`."""
        if self.tick < 0:
            raise InvalidState("the simulation has no state; call reset first.")
        if controls is not None:
            self._controls[:] = _checked_controls(controls)
        if self._active is not None:
            self._active.begin(self.tick)
        self._stages(free=controls is not None, moving=True)
        self.tick += 1
        if self._active is not None:
            self._active.note_end(self.tick)
        self._note_discards(controls is not None)
        if self.cars.lost[0]:
            self._plan_again()

    def _stages(self, *, free: bool, moving: bool) -> None:
        net, cars, walkers, control, occ = self._structures
        routes, key, tick = self._routes, self._key, self.tick
        begin_tick(net, cars, walkers, control, occ, key, tick, self._waves, moving)
        change_lanes(net, cars, control, occ, routes, key, tick, int(free) if moving else len(self.cars.lane))
        if moving:
            decide_all(net, cars, control, occ, tick, self._accelerations)
        move_all(net, cars, control, routes, key, tick + moving, self._accelerations, self._controls, free, moving)

    def run(self, ticks: int = TICKS) -> list[Snapshot]:
        """Advance by some ticks on autopilot and return all states; by default a whole scenario."""
        return [self.step() for _ in range(integer_in("ticks", ticks, 0))]

    def _note_discards(self, free: bool) -> None:
        if self._active is None and not free and self._controls[2] >= FULL:
            self._discards.add("the ego vehicle brakes with full force")
        first = len(self.cars.lane)
        for one, other in self.collisions() if self.tick % 2 == 0 else ():
            if one == 1 and first < other <= first + len(self.walkers.walk):
                self._discards.add("the ego vehicle hits a pedestrian")
        # The nominal twin is discarded for the same reason, unless vehicles avoid the object, which it lacks.
        if self.obstacle is not None or (self._planned is not None and self.ego != "avoiding"):
            closed = self.control.forbidden[self.town.graph.network.road[self.cars.lane]]
            if (closed & (self.cars.detour >= 0))[1:].any():
                self._discards.add("a vehicle finds no way around the obstacle")

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario would be discarded, after the published rules; empty if it is accepted."""
        return tuple(sorted(self._discards))

    @property
    def controls(self) -> FloatArray:
        """Throttle, steering and brake of the ego vehicle in the last tick."""
        return self._controls.copy()

    def _plan_again(self) -> None:
        """Find a new route to the same destination after a lane change was not possible."""
        self.cars.lost[0] = False
        lane = int(self.cars.lane[0])
        try:
            route = plan_route(
                self.town.graph,
                LanePosition(lane, float(self.town.graph.network.length[lane])),
                LanePosition(self.route.lanes[-1], self.route.stop),
            )
        except NoRoute:
            return
        self._routes = route_table([route])
        self.cars.route[0], self.cars.route_at[0] = 0, 0
        self.cars.path[0, 1:] = -1

    def move_obstacle(
        self,
        centre: tuple[float, float],
        heading: float,
        size: tuple[float, float, float],
        speed: float = 0.0,
        *,
        blocks: bool = True,
    ) -> None:
        """Put the object on the road elsewhere.

        Args:
            centre: Centre of its bounding box, m.
            heading: Direction of the box, radians.
            size: Length, width and height of the box, m.
            speed: Speed of the object, m/s.
            blocks: Whether vehicles that avoid the object know its new place.
        """
        if self.obstacle is None:
            raise InvalidState("the simulation has no object that can be moved.")
        self._object = (Pose(*centre, heading), size, speed)
        if blocks and self.ego != "blind":
            block(self.town.graph, self.control, size, self._object[0])

    def collisions(self) -> list[tuple[int, int]]:
        """Return the pairs of instance ids that overlap, at least one vehicle in each."""
        pose, size = self._bodies()
        pairs = np.zeros((64, 2), np.int64)
        count = find_collisions(pose, size, len(self.cars.lane), pairs)
        return [(int(i) + 1, int(j) + 1) for i, j in pairs[:count]]

    def off_road(self) -> list[int]:
        """Return the instance ids of vehicles whose centre is not on a lane, nor between two lanes."""
        graph = self.town.graph
        found = []
        for v, (x, y, _, _) in enumerate(self.cars.pose):
            if abs(graph.to_lane(float(x), float(y)).d) > ON_ROAD:
                found.append(v + 1)
        return found

    def _bodies(self) -> tuple[FloatArray, FloatArray]:
        poses, sizes = [self.cars.pose, self.walkers.pose], [self.cars.size]
        sizes.append(np.tile(np.array(PEDESTRIAN_SIZE), (len(self.walkers.walk), 1)))
        if self.obstacle is not None:
            pose, size, _ = self._object
            sine, cosine = sincos(pose.heading)
            poses.append(np.array([[pose.x, pose.y, cosine, sine]]))
            sizes.append(np.array([size]))
        return np.concatenate(poses), np.concatenate(sizes)

    def labels(self) -> IntArray:
        """Return the semantic labels of all actors.

        The ego vehicle, rerouted vehicles, lead cars, and active temporal anomalies have labels of their own.
        """
        vehicles = np.array([KINDS[kind].label for kind in self.cars.kind], np.int64)
        vehicles[self.cars.rerouted] += AGENT_OFFSET
        if len(vehicles) > 1 and self.cars.driver[1, SAFETY_TIME] > 0.0:
            vehicles[1] += AGENT_OFFSET
        vehicles[0] = Label.EGO_VEHICLE
        labels = np.concatenate([vehicles, np.full(len(self.walkers.walk), Label.PEDESTRIAN, np.int64)])
        labels[self.anomalous()[: len(labels)]] = Label.TEMPORAL_ANOMALY
        return labels if self.obstacle is None else np.append(labels, self.obstacle.label)

    def anomalous(self) -> BoolArray:
        """Return which actors behave anomalously at this tick; an object on the road always counts."""
        count = len(self.cars.lane)
        active = np.zeros(count + len(self.walkers.walk) + (self.obstacle is not None), np.bool_)
        if self.obstacle is not None:
            active[-1] = True
        if self._active is not None and self._active.is_active(self.tick):
            incident = self._active.incident
            active[incident.actor + (count if incident.is_jaywalker else 0)] = True
        return active

    def snapshot(self) -> Snapshot:
        """Return the state of all actors."""
        if self.tick < 0:
            raise InvalidState("the simulation has no state; call reset first.")
        pose, size = self._bodies()
        still = np.zeros(len(pose) - len(self.cars.lane) - len(self.walkers.walk))
        thrown = still.copy() if self.obstacle is None else np.array([self._object[2]])
        names = [KINDS[kind].name for kind in self.cars.kind] + ["pedestrian"] * len(self.walkers.walk)
        names += [self.obstacle.name] if self.obstacle is not None else []
        return Snapshot(
            tick=self.tick,
            instance=np.arange(1, len(pose) + 1),
            kind=tuple(names),
            label=self.labels(),
            position=pose[:, :2].copy(),
            heading=np.array([arctan2(float(s), float(c)) for c, s in pose[:, 2:]]),
            speed=np.concatenate([self.cars.speed, self.walkers.speed, thrown]),
            acceleration=np.concatenate([self.cars.acceleration, np.zeros(len(self.walkers.walk)), still]),
            size=size,
            lights=self.control.light.copy(),
            controls=(float(self._controls[0]), float(self._controls[1]), float(self._controls[2])),
            anomalous=self.anomalous(),
        )


def _checked_controls(controls: Sequence[float] | FloatArray) -> FloatArray:
    try:
        values = np.asarray(controls, np.float64)
    except (TypeError, ValueError):
        raise InvalidAction("the controls are not numeric; expected throttle, steering and brake.") from None
    if values.shape != (3,) or not np.isfinite(values).all():
        raise InvalidAction(f"the controls are {values.tolist()}; expected three finite numbers.")
    return np.clip(values, (0.0, -1.0, 0.0), 1.0)
