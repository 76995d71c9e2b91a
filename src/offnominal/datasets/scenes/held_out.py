"""Domain shift: towns and weathers that are held out of training."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.datasets.scenes.reading import DrivingScene
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.scenarios.description import town_key, weather_key

S = TypeVar("S", Scenario, DrivingScene)


@dataclass(frozen=True)
class HeldOut(Config):
    """Towns and weathers that are held out of training.

    Args:
        towns: Names of towns, also the published ones.
        weathers: Names of weathers.

    Example:
        >>> HeldOut(towns=("Town05",), weathers=("HardRainNoon",))
        HeldOut(towns=('grid',), weathers=('HARD_RAIN_NOON',))
    """

    towns: tuple[str, ...] = ()
    weathers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, key in (("towns", town_key), ("weathers", weather_key)):
            given = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise InvalidParameter(f"{name} is {shown(given)}; expected a tuple of names.")
            object.__setattr__(self, name, tuple(key(each) for each in given))

    def contains(self, town: str, weather: str) -> bool:
        """Return whether a town or a weather is held out."""
        return town in self.towns or weather in self.weathers

    def split(self, scenes: Iterable[S]) -> tuple[list[S], list[S]]:
        """Return the scenes or scenarios of known domains, and those that are held out."""
        known: list[S] = []
        held: list[S] = []
        for scene in scenes:
            if not (hasattr(scene, "town") and hasattr(scene, "weather")):
                raise InvalidParameter(f"a scene is {shown(scene)}; expected a scenario or a recorded scene.")
            (held if self.contains(scene.town, scene.weather) else known).append(scene)
        return known, held
