"""The 14 weathers of AnoVox: data, and what each does to light, sky, ground, images and lidars.

The parameters are those of the CARLA presets that AnoVox uses. What follows from them here are own formulas: the sun
and the sky change with altitude and clouds, fog and rain limit the visibility, a wet ground is darker and reflects
(:mod:`offnominal.worlds.road.wet_ground`), rain draws streaks into images and weakens lidars
(:mod:`offnominal.worlds.road.rain`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from offnominal.core.deterministic_math import sincos
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Colour, Material
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.labels import Label

SUN_AZIMUTH = 145.0
WETTABLE = (Label.ROAD, Label.ROAD_LINE, Label.SIDEWALK, Label.TERRAIN, Label.GROUND)
# Share of the brightness that a soaked surface loses.
DARKENING = {Label.ROAD: 0.42, Label.ROAD_LINE: 0.25, Label.SIDEWALK: 0.38, Label.TERRAIN: 0.3, Label.GROUND: 0.35}


@dataclass(frozen=True)
class Weather:
    """State of the sky and the ground. All shares are percentages, as published.

    Args:
        name: Name of the weather.
        cloudiness: Share of the sky that clouds cover.
        precipitation: Strength of the rain.
        puddles: Share of the road that puddles cover.
        wind: Strength of the wind.
        sun_altitude: Angle of the sun above the horizon, degrees.
        fog: Density of the fog.

    Example:
        >>> WEATHERS["HARD_RAIN_NOON"].wetness
        1.0
    """

    name: str
    cloudiness: float
    precipitation: float
    puddles: float
    wind: float
    sun_altitude: float
    fog: float

    def __post_init__(self) -> None:
        for name in ("cloudiness", "precipitation", "puddles", "wind", "fog"):
            value = getattr(self, name)
            if not 0.0 <= value <= 100.0:
                raise InvalidParameter(f"{name} is {value}; expected a percentage from 0 to 100.")
        if not 1.0 <= self.sun_altitude <= 90.0:
            raise InvalidParameter(f"sun_altitude is {self.sun_altitude}; expected degrees from 1 to 90.")

    @property
    def wetness(self) -> float:
        """How wet the ground is, from 0, dry, to 1, soaked."""
        return min(1.0, max(self.puddles / 60.0, self.precipitation / 60.0))

    @property
    def extinction(self) -> float:
        """Share of the light that fog and rain remove per metre."""
        return 0.0006 * max(0.0, self.fog - 1.0) + 0.00008 * self.precipitation

    @property
    def sunset(self) -> float:
        """How low the sun is, from 0, at 45 degrees or above, to 1, at 15 degrees or below."""
        return min(1.0, max(0.0, (45.0 - self.sun_altitude) / 30.0))

    def light(self) -> Light:
        """Return sunlight and daylight."""
        low, cloud = self.sunset, self.cloudiness / 100.0
        direct = (1.0 - 0.88 * cloud) * (1.0 - 0.15 * self.precipitation / 100.0)
        sun = _mix((0.76, 0.72, 0.64), (0.95, 0.56, 0.28), low)
        above = _mix(
            _mix((0.60, 0.64, 0.70), (0.68, 0.69, 0.71), cloud),
            _mix((0.60, 0.56, 0.60), (0.58, 0.54, 0.53), cloud),
            low,
        )
        below = _mix((0.38, 0.37, 0.35), (0.42, 0.37, 0.34), low)
        dim = 1.0 - 0.22 * cloud * self.precipitation / 100.0
        return Light(
            self.towards_sun(),
            _scaled(sun, direct),
            _scaled(above, dim),
            _scaled(below, dim),
            shadows=direct > 0.2,
        )

    def sky(self) -> Sky:
        """Return background and fog."""
        low, cloud = self.sunset, min(1.0, self.cloudiness / 80.0)
        horizon = _mix(
            _mix((0.80, 0.87, 0.94), (0.72, 0.74, 0.77), cloud),
            _mix((0.96, 0.74, 0.52), (0.62, 0.56, 0.54), cloud),
            low,
        )
        zenith = _mix(
            _mix((0.36, 0.56, 0.84), (0.58, 0.61, 0.65), cloud),
            _mix((0.34, 0.42, 0.62), (0.44, 0.44, 0.48), cloud),
            low,
        )
        dim = 1.0 - 0.3 * self.precipitation / 100.0
        visibility = 3.0 / self.extinction if self.extinction > 0.0 else math.inf
        return Sky(_scaled(horizon, dim), _scaled(zenith, dim), visibility, int(Label.SKY))

    def towards_sun(self) -> Triple:
        """Return the direction towards the sun."""
        up, level = sincos(math.pi / 180.0 * self.sun_altitude)
        y, x = sincos(math.pi / 180.0 * SUN_AZIMUTH)
        return level * x, level * y, up

    def apply(self, scene: Scene) -> Scene:
        """Return a scene under this weather: its light and sky, and the ground darkened where it is wet."""
        instances = scene.instances
        if self.wetness > 0.0:
            instances = tuple(self._wetted(each) if each.label in WETTABLE else each for each in instances)
        return Scene(instances, self.light(), self.sky())

    def _wetted(self, instance: Instance) -> Instance:
        factor = 1.0 - DARKENING[Label(instance.label)] * self.wetness
        dry: Material = instance.material
        wet = replace(dry, colour=_scaled(dry.colour, factor), second=_scaled(dry.second, factor))
        return replace(instance, material=wet)


def _mix(first: Colour, second: Colour, share: float) -> Colour:
    a, b, c = (one + share * (other - one) for one, other in zip(first, second, strict=True))
    return a, b, c


def _scaled(colour: Colour, factor: float) -> Colour:
    a, b, c = (min(1.0, factor * part) for part in colour)
    return a, b, c


_NOON, _SUNSET = 45.0, 15.0
WEATHERS: dict[str, Weather] = {
    "CLEAR_NOON": Weather("ClearNoon", 5, 0, 0, 10, _NOON, 2),
    "CLOUDY_NOON": Weather("CloudyNoon", 60, 0, 0, 10, _NOON, 3),
    "WET_NOON": Weather("WetNoon", 5, 0, 50, 10, _NOON, 3),
    "WET_CLOUDY_NOON": Weather("WetCloudyNoon", 60, 0, 50, 10, _NOON, 3),
    "MID_RAINY_NOON": Weather("MidRainyNoon", 60, 60, 60, 60, _NOON, 3),
    "HARD_RAIN_NOON": Weather("HardRainNoon", 100, 100, 90, 100, _NOON, 7),
    "SOFT_RAIN_NOON": Weather("SoftRainNoon", 20, 30, 50, 30, _NOON, 3),
    "CLEAR_SUNSET": Weather("ClearSunset", 5, 0, 0, 10, _SUNSET, 2),
    "CLOUDY_SUNSET": Weather("CloudySunset", 60, 0, 0, 10, _SUNSET, 3),
    "WET_SUNSET": Weather("WetSunset", 5, 0, 50, 10, _SUNSET, 2),
    "WET_CLOUDYSUNSET": Weather("WetCloudySunset", 60, 0, 50, 10, _SUNSET, 2),
    "MID_RAIN_SUNSET": Weather("MidRainSunset", 60, 60, 60, 60, _SUNSET, 3),
    "HARD_RAIN_SUNSET": Weather("HardRainSunset", 100, 100, 90, 100, _SUNSET, 7),
    "SOFT_RAIN_SUNSET": Weather("SoftRainSunset", 20, 30, 50, 30, _SUNSET, 2),
}


def weather(name: str) -> Weather:
    """Return a weather by the key of scenario files, such as ``"CLEAR_NOON"``, or by its name, such as ``"ClearNoon"``.

    Example:
        >>> weather("ClearNoon") is weather("CLEAR_NOON")
        True
    """
    by_name = {each.name: each for each in WEATHERS.values()}
    found = WEATHERS.get(name) or by_name.get(name)
    if found is None:
        raise UnknownName(f"no weather named {name!r}.{did_you_mean(name, [*WEATHERS, *by_name])}")
    return found
