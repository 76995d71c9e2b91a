"""Typed description of a driving scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from offnominal.core.checks import file_name, instance_of, integer_in, number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios.anomaly import LATEST_TICK, Anomaly, ContentAnomaly, TemporalAnomaly, settle
from offnominal.worlds.road.scenarios.errors import InvalidScenario, known_name
from offnominal.worlds.road.town.description import TownPlan
from offnominal.worlds.road.town.presets import PRESETS
from offnominal.worlds.road.weather import WEATHERS

BEHAVIOURS = ("cautious", "normal", "aggressive")
MOST_ACTORS = 1000
FARTHEST = 1e6


@dataclass(frozen=True)
class Timing(Config):
    """Ticks of a scenario: some in which traffic settles, then those that are recorded.

    Args:
        settling_ticks: Ticks before the first recorded one.
        recorded_ticks: Ticks of the recording.
        record_every: Every n-th tick of the recording gives a frame.
        tick: Duration of a tick, s.

    Example:
        >>> timing = Timing()
        >>> timing.frames, timing.frame_ticks[0], timing.frame_ticks[-1]
        (200, 16, 215)
        >>> list(Timing(record_every=40).frame_ticks)
        [55, 95, 135, 175, 215]
    """

    settling_ticks: int = 15
    recorded_ticks: int = 200
    record_every: int = 1
    tick: float = 0.1

    def __post_init__(self) -> None:
        integer_in("settling_ticks", self.settling_ticks, 0, LATEST_TICK)
        integer_in("recorded_ticks", self.recorded_ticks, 1, LATEST_TICK)
        integer_in("record_every", self.record_every, 1, self.recorded_ticks)
        number_in("tick", self.tick, 0.001, 1.0)
        if self.recorded_ticks % self.record_every:
            raise InvalidScenario(
                f"record_every is {self.record_every}; expected a divisor of the {self.recorded_ticks} recorded ticks."
            )

    @property
    def ticks(self) -> int:
        """Number of all ticks."""
        return self.settling_ticks + self.recorded_ticks

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.recorded_ticks // self.record_every

    @property
    def frame_ticks(self) -> range:
        """Ticks that give a frame; the first tick of a scenario is 1."""
        return range(self.settling_ticks + self.record_every, self.ticks + 1, self.record_every)


@dataclass(frozen=True)
class Place(Config):
    """Pose of the ego vehicle, with y and yaw to the left, as in rigs. Files have them to the right.

    Args:
        x: Position, m.
        y: Position, m.
        z: Height, m.
        yaw: Direction, degrees to the left.
        pitch: Inclination, degrees up.
        roll: Inclination, degrees to the right.
    """

    x: float
    y: float
    z: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    roll: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            number_in(f"the {name} of a place", getattr(self, name), -FARTHEST, FARTHEST)
        for name in ("yaw", "pitch", "roll"):
            number_in(f"the {name} of a place", getattr(self, name), -360.0, 360.0)


@dataclass(frozen=True)
class Scenario(Config):
    """One scenario: where, in which weather, with which sensors, with which road users, and with which anomaly.

    The seed decides all that the description leaves open, such as the places of the other road users.

    Args:
        id: Name of the scenario; files and folders are named after it.
        town: Name of the town, or of the published town of its kind.
        weather: Name of the weather, such as ``"CLEAR_NOON"`` or ``"ClearNoon"``.
        seed: Seed of the simulation.
        vehicles: Number of other vehicles.
        pedestrians: Number of pedestrians.
        rig: Name of the sensor rig.
        behaviour: Behaviour of the ego vehicle: ``"cautious"``, ``"normal"`` or ``"aggressive"``.
        anomaly: Anomaly; None is a nominal scenario.
        start: Start of the ego vehicle; None is drawn from the seed.
        end: End of its route; None is drawn from the seed.
        route: Points of its route, m, with y to the left; None is planned from start to end.
        timing: Ticks.
        extra: Entries of a file that this package does not know; they are kept.

    Example:
        >>> scenario = Scenario("first", "Town05", "ClearNoon", seed=3, vehicles=20, pedestrians=10)
        >>> scenario.town, scenario.weather, scenario.rig, scenario.type
        ('grid', 'CLEAR_NOON', 'mono', 'normal')
        >>> Scenario("first", "grid", "ClaerNoon", seed=3, vehicles=20, pedestrians=10)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no weather named 'ClaerNoon'. Did you mean 'ClearNoon'? ...
    """

    id: str
    town: str
    weather: str
    seed: int
    vehicles: int
    pedestrians: int
    rig: str = "mono"
    behaviour: str = "normal"
    anomaly: ContentAnomaly | TemporalAnomaly | None = None
    start: Place | None = None
    end: Place | None = None
    route: tuple[tuple[float, float, float], ...] | None = None
    timing: Timing = field(default_factory=Timing)
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        file_name("the id of a scenario", self.id)
        settle(self, "town", town_key(self.town))
        settle(self, "weather", weather_key(self.weather))
        check_seed(self.seed)
        integer_in("the number of vehicles", self.vehicles, 0, MOST_ACTORS)
        integer_in("the number of pedestrians", self.pedestrians, 0, MOST_ACTORS)
        known_name("rig", self.rig, RIGS)
        known_name("behaviour", self.behaviour, BEHAVIOURS)
        instance_of("the timing of a scenario", self.timing, Timing)
        if self.anomaly is not None and not isinstance(self.anomaly, Anomaly):
            raise InvalidParameter(
                f"the anomaly is {shown(self.anomaly)}; expected a ContentAnomaly, a TemporalAnomaly or None."
            )
        if self.route is not None:
            _check_route(self.route)
        self._check_ticks()

    @property
    def type(self) -> str:
        """``"normal"``, ``"content"`` or ``"temporal"``."""
        if self.anomaly is None:
            return "normal"
        return "content" if isinstance(self.anomaly, ContentAnomaly) else "temporal"

    def _check_ticks(self) -> None:
        ticks = self.anomaly.ticks if isinstance(self.anomaly, TemporalAnomaly) else None
        if ticks is not None and ticks[0] > self.timing.ticks:
            raise InvalidScenario(
                f"the anomaly begins at tick {ticks[0]}, but the scenario ends at tick {self.timing.ticks}; "
                "record more ticks, or give earlier ticks."
            )


def town_key(name: Any) -> str:
    """Return the name of a town, also for the published one.

    Example:
        >>> town_key("Town10HD")
        'downtown'
    """
    published = {plan.published: key for key, plan in town_plans().items()}
    instance_of("the name of a town", name, str)
    return published.get(name) or known_name("town", name, [*PRESETS, *published])


@cache
def town_plans() -> dict[str, TownPlan]:
    """Return the descriptions of all towns by their names."""
    return {key: build() for key, build in PRESETS.items()}


def published_town(key: str) -> str:
    """Return the published name of a town.

    Example:
        >>> published_town("downtown")
        'Town10HD'
    """
    return town_plans()[key].published


def weather_key(name: Any) -> str:
    """Return the name of a weather in scenario files, also for its short name.

    Example:
        >>> weather_key("HardRainSunset")
        'HARD_RAIN_SUNSET'
    """
    short = {each.name: key for key, each in WEATHERS.items()}
    instance_of("the name of a weather", name, str)
    return short.get(name) or known_name("weather", name, [*WEATHERS, *short])


def _check_route(route: Any) -> None:
    if not isinstance(route, tuple) or len(route) < 2:
        raise InvalidParameter(f"the route is {shown(route)}; expected at least two points (x, y, z).")
    for number, point in enumerate(route):
        if not isinstance(point, tuple) or len(point) != 3:
            raise InvalidParameter(f"point {number} of the route is {shown(point)}; expected (x, y, z).")
        for value in point:
            number_in(f"a coordinate of point {number} of the route", value, -FARTHEST, FARTHEST)
