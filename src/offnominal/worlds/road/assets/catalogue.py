"""Catalogue of the 178 content anomalies: six super-classes, five sizes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, get_args

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.solid import Solid
from offnominal.worlds.road.labels import Label

Size: TypeAlias = Literal["tiny", "small", "medium", "big", "huge"]
Placement: TypeAlias = Literal["lane", "unstable", "air"]
SIZES: tuple[str, ...] = get_args(Size)
# Longest side from which the next size begins, m.
SIZE_LIMITS = (0.3, 0.75, 2.0, 5.0)
SUPER_CLASSES: dict[Label, int] = {
    Label.HOME: 53,
    Label.ANIMAL: 33,
    Label.SPECIAL: 67,
    Label.NATURE: 12,
    Label.FALLING: 9,
    Label.AIRPLANE: 4,
}
MODULES = (
    "home_small",
    "home_furniture",
    "animals",
    "animals_small",
    "special_figures",
    "special_creatures",
    "special_goods",
    "special_leisure",
    "special_play",
    "nature",
    "falling",
    "airplanes",
)


@dataclass(frozen=True, eq=False)
class AnomalyObject:
    """One object of the catalogue.

    Args:
        name: Name of the object.
        super_class: Label of its super-class, which is also its semantic label.
        size: Size by its longest side: tiny below 0.3 m, small below 0.75 m, medium below 2 m, big below 5 m, huge.
        mass: Mass, kg.
        build: Function that returns its solid.
        placement: Where it is put: ``"lane"``: dropped on the lane; ``"unstable"``: beside the lane, to topple over;
            ``"air"``: above the road.
        height: Height of its base when it is put there, m.
    """

    name: str
    super_class: Label
    size: Size
    mass: float
    build: Callable[[], Solid]
    placement: Placement = "lane"
    height: float = 2.0

    @property
    def blueprint(self) -> str:
        """Id of the object in scenario files.

        Example:
            >>> anomaly_object("cow").blueprint
            'static.prop.o_cow_animal'
        """
        return f"static.prop.o_{self.name}_{self.super_class.name.lower()}"

    def asset(self) -> Asset:
        """Return the object as an asset that stands on z = 0, with its bounding box centred at x = y = 0."""
        return asset(self.name, Part(shared_mesh(_standing, self.build), self.super_class))


Row: TypeAlias = tuple[str, Size, float, Callable[[], Solid]]


def rows_of(
    label: Label, rows: Iterable[Row], *, placement: Placement = "lane", height: float = 2.0
) -> tuple[AnomalyObject, ...]:
    """Return the objects of one super-class, given name, size, mass in kg and builder of each."""
    return tuple(AnomalyObject(name, label, size, mass, build, placement, height) for name, size, mass, build in rows)


@cache
def catalogue() -> dict[str, AnomalyObject]:
    """Return all objects by their names.

    Example:
        >>> len(catalogue())
        178
    """
    objects = [
        each
        for module in MODULES
        for each in importlib.import_module(f"offnominal.worlds.road.assets.{module}").OBJECTS
    ]
    return {each.name: each for each in objects}


def anomaly_object(name: str) -> AnomalyObject:
    """Return an object by its name or blueprint id."""
    objects = catalogue()
    short = name.removeprefix("static.prop.o_")
    if short != name:
        short = short.rpartition("_")[0]
    if short not in objects:
        raise UnknownName(f"no anomaly object named {name!r}.{did_you_mean(short, objects)} There are {len(objects)}.")
    return objects[short]


def size_of(longest: float) -> Size:
    """Return the size of an object, given its longest side in metres.

    Example:
        >>> size_of(0.5)
        'small'
    """
    index = sum(longest >= limit for limit in SIZE_LIMITS)
    sizes: tuple[Size, ...] = get_args(Size)
    return sizes[index]


def _standing(build: Callable[[], Solid]) -> Solid:
    return build().on_ground()
