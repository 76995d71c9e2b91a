"""Typed description of a driving scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

from offnominal.core.checks import file_name, instance_of, integer_in, number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios.anomaly import LATEST_TICK, Anomaly, ContentAnomaly, TemporalAnomaly, settle
from offnominal.worlds.road.scenarios.errors import InvalidScenario, known_name
from offnominal.worlds.road.town.description import TownPlan
from offnominal.worlds.road.town.obstacle import Ego
from offnominal.worlds.road.town.presets import PRESETS
from offnominal.worlds.road.weather import WEATHERS

BEHAVIOURS = ("cautious", "normal", "aggressive")
EGOS: tuple[str, ...] = get_args(Ego)
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
        ego: What vehicles do about the object of a content anomaly. ``"blind"``: they drive on as without it, and hit
            it if it is in their way. ``"stopping"``: they stop before its place, also in the nominal twin and in normal
            scenarios that are prepared for it. ``"avoiding"``: they stop before it, so that they tell where it is.
        anomaly: Anomaly; None is a nominal scenario.
        prepared_for: Anomaly that a nominal scenario is prepared for, but does not have: its route is one on which the
            anomaly is possible, other vehicles keep away from the place of the object, or a car drives ahead. Normal
            scenes that are prepared like those with an anomaly differ from them by the anomaly alone.
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
    ego: Ego = "blind"
    anomaly: ContentAnomaly | TemporalAnomaly | None = None
    prepared_for: ContentAnomaly | TemporalAnomaly | None = None
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
        known_name("ego", self.ego, EGOS)
        instance_of("the timing of a scenario", self.timing, Timing)
        for noun, given in (("the anomaly", self.anomaly), ("prepared_for", self.prepared_for)):
            if given is not None and not isinstance(given, Anomaly):
                raise InvalidParameter(
                    f"{noun} is {shown(given)}; expected a ContentAnomaly, a TemporalAnomaly or None."
                )
        if self.anomaly is not None and self.prepared_for is not None:
            raise InvalidScenario(
                "anomaly and prepared_for are both given; a scenario is prepared for the anomaly that it has."
            )
        if self.route is not None:
            _check_route(self.route)
        self._check_ticks()

    @property
    def type(self) -> str:
        """``"normal"``, ``"content"`` or ``"temporal"``."""
        return _type_of(self.anomaly)

    @property
    def planned(self) -> ContentAnomaly | TemporalAnomaly | None:
        """The anomaly that the scenario has or is prepared for; None if there is neither."""
        return self.anomaly if self.anomaly is not None else self.prepared_for

    @property
    def setting(self) -> str:
        """``"content"`` or ``"temporal"``: what the scenario has or is prepared for; else ``"normal"``.

        Scenes with an anomaly are to be compared with normal scenes of the same setting.
        """
        return _type_of(self.planned)

    def _check_ticks(self) -> None:
        ticks = self.planned.ticks if isinstance(self.planned, TemporalAnomaly) else None
        if ticks is not None and ticks[0] > self.timing.ticks:
            raise InvalidScenario(
                f"the anomaly begins at tick {ticks[0]}, but the scenario ends at tick {self.timing.ticks}; "
                "record more ticks, or give earlier ticks."
            )


def _type_of(anomaly: Anomaly | None) -> str:
    if anomaly is None:
        return "normal"
    return "content" if isinstance(anomaly, ContentAnomaly) else "temporal"


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
