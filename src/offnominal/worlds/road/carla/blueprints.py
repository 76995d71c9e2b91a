"""Blueprints of CARLA for the vehicles, pedestrians, objects and weathers of scenario files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.core.errors import did_you_mean
from offnominal.worlds.road.assets.catalogue import anomaly_object
from offnominal.worlds.road.carla.errors import NotOnServer
from offnominal.worlds.road.weather import WEATHERS

EGO = "vehicle.lincoln.mkz_2020"
# Vehicles of scenario files that are not those of CARLA.
VEHICLES: dict[str, str] = {
    "vehicle.sedan": "vehicle.tesla.model3",
    "vehicle.hatchback": "vehicle.audi.a2",
    "vehicle.estate": "vehicle.seat.leon",
    "vehicle.suv": "vehicle.nissan.patrol_2021",
    "vehicle.sports": "vehicle.audi.tt",
    "vehicle.van": "vehicle.mercedes.sprinter",
    "vehicle.pickup": "vehicle.tesla.cybertruck",
    "vehicle.truck": "vehicle.carlamotors.carlacola",
    "vehicle.bus": "vehicle.mitsubishi.fusorosa",
    "vehicle.motorcycle": "vehicle.yamaha.yzf",
    "vehicle.bicycle": "vehicle.bh.crossbike",
}
# Objects of the catalogue that every server has, by their names. The server of AnoVox has objects of its own.
OBJECTS: dict[str, str] = {
    "billboard": "static.prop.advertisement",
    "cardboard_box": "static.prop.box01",
    "chair": "static.prop.plasticchair",
    "dining_table": "static.prop.plastictable",
    "fountain": "static.prop.fountain",
    "garden_gnome": "static.prop.gnome",
    "handbag": "static.prop.purse",
    "hay_bale": "static.prop.haybale",
    "oil_barrel": "static.prop.barrel",
    "potted_plant": "static.prop.plantpot04",
    "road_barrier": "static.prop.streetbarrier",
    "shopping_trolley": "static.prop.shoppingcart",
    "slide": "static.prop.slide",
    "suitcase": "static.prop.travelcase",
    "telephone": "static.prop.mobile",
    "trampoline": "static.prop.trampoline",
    "vending_machine": "static.prop.vendingmachine",
}


class Blueprints:
    """The blueprints that a server has.

    Args:
        library: Blueprint library of the server.
        objects: Blueprints of anomaly objects by their names, before those of `OBJECTS`.
    """

    def __init__(self, library: Any, objects: Mapping[str, str] | None = None) -> None:
        self._by_id = {blueprint.id: blueprint for blueprint in library}
        self._objects = {**OBJECTS, **(objects or {})}

    def find(self, id: str, **attributes: str) -> Any:
        """Return a blueprint with the given attributes.

        Raises:
            NotOnServer: The server does not have it, or it does not have one of the attributes.
        """
        if id not in self._by_id:
            raise NotOnServer(f"the CARLA server has no blueprint {id!r}.{did_you_mean(id, self._by_id)}")
        blueprint = self._by_id[id]
        for name, value in attributes.items():
            if not blueprint.has_attribute(name):
                raise NotOnServer(f"the blueprint {id!r} of the CARLA server has no attribute {name!r}.")
            blueprint.set_attribute(name, value)
        return blueprint

    def ids(self, kind: str) -> list[str]:
        """Return the sorted ids that begin with a kind, such as ``"vehicle."``."""
        return sorted(id for id in self._by_id if id.startswith(kind))

    def vehicle(self, id: str, **attributes: str) -> Any:
        """Return the blueprint of a vehicle of a scenario file."""
        return self.find(id if id in self._by_id else VEHICLES.get(id, id), **attributes)

    def object(self, name: str, **attributes: str) -> Any:
        """Return the blueprint of an anomaly object of the catalogue.

        Raises:
            NotOnServer: The server has no such object.
        """
        published = anomaly_object(name).blueprint
        id = published if published in self._by_id else self._objects.get(name, published)
        if id not in self._by_id:
            raise NotOnServer(
                f"the CARLA server has no object {name!r}: neither {published!r}, which the server of AnoVox has, nor "
                f"one of its own. Choose one of {', '.join(sorted(OBJECTS))}, or name a blueprint with `objects`."
            )
        return self.find(id, **attributes)


def weather_parameters(carla: Any, key: str) -> Any:
    """Return the parameters of a weather, by its key in scenario files."""
    return getattr(carla.WeatherParameters, WEATHERS[key].name)
