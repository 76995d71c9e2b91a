"""The run of a scenario on a CARLA server, frame by frame."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.sensing.camera_models import IDEAL
from offnominal.sensing.lidar_models import AT_ONCE
from offnominal.worlds.road.carla.connection import Server, connect, load_town
from offnominal.worlds.road.carla.errors import server_errors
from offnominal.worlds.road.carla.routes import CarlaRoute, RoutePlanner, choose_route
from offnominal.worlds.road.carla.simulation import CarlaSimulation
from offnominal.worlds.road.carla.traffic import TRAFFIC_PORT
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.rigs import rig as rig_named
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import Scenario, published_town
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenes.driving_frame import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.scenes.hit import Hit
from offnominal.worlds.road.town.snapshot import Snapshot

TEMPORAL = ("sudden-braking",)


@dataclass(frozen=True)
class CarlaTown:
    """A map of CARLA.

    Args:
        name: Name of the town of its kind in this package.
        published: Name of the map.
    """

    name: str
    published: str


class CarlaRun:
    """A scenario on a CARLA server, as an iterable of frames; otherwise like :class:`.ScenarioRun`.

    Each iteration runs the whole scenario again. The server simulates in synchronous mode only meanwhile. At the end of
    an iteration, also after an error, all actors of the run are destroyed and the settings of the server restored.

    Args:
        scenario: The scenario.
        rig: Sensor rig; None is that of the scenario.
        twin: Whether to run the nominal twin: the same scenario without its anomaly.
        host: Name or address of the machine with the server.
        port: Port of the server.
        timeout: Seconds after which a call or a sensor has failed.
        traffic_port: Port of the Traffic Manager.
        objects: Blueprints of anomaly objects by their names, for servers with objects of their own.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        rig: Rig | str | None = None,
        twin: bool = False,
        host: str = "127.0.0.1",
        port: int = 2000,
        timeout: float = 20.0,
        traffic_port: int = TRAFFIC_PORT,
        objects: Mapping[str, str] | None = None,
    ) -> None:
        anomaly = scenario.planned
        if isinstance(anomaly, TemporalAnomaly) and anomaly.kind not in TEMPORAL:
            raise InvalidScenario(
                f"scenario {scenario.id}: the CARLA back end does not have the temporal anomaly {anomaly.kind!r}; it "
                f"has {', '.join(TEMPORAL)}."
            )
        chosen = scenario.rig if rig is None else rig
        self.scenario = scenario
        self.rig: Rig = rig_named(chosen) if isinstance(chosen, str) else chosen
        if self.rig.camera_model != IDEAL or self.rig.lidar_model != AT_ONCE:
            raise InvalidParameter(
                f"rig {self.rig.name!r} has models of sensors, but on CARLA sensors are those of the server; "
                "give a rig with ideal ones."
            )
        self.twin = twin
        self.town = CarlaTown(scenario.town, published_town(scenario.town))
        self._where = (host, port, timeout)
        self._traffic_port = integer_in("traffic_port", traffic_port, 1, 65_535)
        self._objects = dict(objects or {})
        self._discards: tuple[str, ...] | None = None
        self._truth: AnomalyTruth | None = None
        # World that no simulation has used since the map was loaded.
        self._fresh: Any = None

    def __len__(self) -> int:
        return self.scenario.timing.frames

    def __iter__(self) -> Iterator[DrivingFrame]:
        return self.frames()

    def frames(self, start: int = 0) -> Iterator[DrivingFrame]:
        """Return the frames from one on. Earlier ones are simulated, but not decoded.

        Args:
            start: Number of the first frame.

        Raises:
            CarlaUnreachable: No server answers.
            CarlaVersionMismatch: The server has another version.
            CarlaTimeout: The server or a sensor does not answer in time.
            NotOnServer: The server lacks a map, a blueprint or a place.
        """
        first = integer_in("start", start, 0, len(self))
        ticks = self.scenario.timing.frame_ticks
        # Python 3.12 to 3.12.3 keep a closed generator's own iterators alive; the server must not wait for that.
        with closing(self._ticks(self.rig)) as simulated:
            for simulation, state in simulated:
                if state.tick in ticks and ticks.index(state.tick) >= first:
                    (x, y, z), yaw = simulation.ego_pose()
                    place = (float(x), float(y), float(z))
                    yield DrivingFrame(ticks.index(state.tick), state.tick, simulation.record(), state, place, yaw)

    def states(self) -> Iterator[Snapshot]:
        """Return the states of all ticks, from tick 1 on, without sensors."""
        with closing(self._ticks(None)) as simulated:
            for _, state in simulated:
                yield state

    @property
    def route(self) -> CarlaRoute:
        """Route of the ego vehicle. The first use connects to the server and loads the map."""
        return self._plan[0]

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded, after the published rules; empty if it is accepted. Simulates all ticks."""
        self._finish()
        return self._discards or ()

    @property
    def validity(self) -> tuple[str, ...]:
        """Why the route is not valid, after the published rules; empty if it is valid."""
        return tuple(f"the route is not valid: {problem}" for problem in self.route.problems)

    def anomaly_truth(self) -> AnomalyTruth | None:
        """Return the ground truth of the anomaly, or None for a nominal scenario or twin. Simulates all ticks."""
        self._finish()
        return self._truth

    @cached_property
    def _server(self) -> Server:
        return connect(*self._where)

    @cached_property
    def _plan(self) -> tuple[CarlaRoute, Any]:
        self._fresh = world = load_town(self._server, self.town.published)
        with server_errors("plan a route"):
            planner = RoutePlanner(self._server.carla, world.get_map())
            return choose_route(self.scenario, planner)

    def _ticks(self, rig: Rig | None) -> Generator[tuple[CarlaSimulation, Snapshot]]:
        """Run the scenario from its start; give the simulation and its state at every tick."""
        route, start = self._plan
        world = self._fresh or load_town(self._server, self.town.published)
        self._fresh = None
        active: list[int] = []
        noted: Snapshot | None = None
        hits: list[Hit] = []
        with CarlaSimulation(
            self._server, world, self.scenario, route, start,
            rig=rig, twin=self.twin, objects=self._objects, traffic_port=self._traffic_port,
        ) as simulation:  # fmt: skip
            for tick in range(1, self.scenario.timing.ticks + 1):
                simulation.advance()
                state = simulation.state()
                if state.is_anomalous:
                    active.append(tick)
                    content = isinstance(self.scenario.anomaly, ContentAnomaly)
                    noted = state if noted is None or (content and not simulation.hits) else noted
                yield simulation, state
            self._discards, hits = simulation.discards, simulation.hits
        anomaly = self.scenario.anomaly
        self._truth = None if noted is None or anomaly is None else AnomalyTruth.of(anomaly, noted, active, hits=hits)

    def _finish(self) -> None:
        if self._discards is None:
            for _ in self.states():
                pass
