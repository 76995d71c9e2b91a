"""Scenarios in the published JSON format of AnoVox, extended by a seed and the entries that it lacks.

Positions and angles in files are in the published frame: y, offsets and yaw to the right. The additional entries are
``seed``, ``sensor_rig``, ``ego_behavior``, ``ego``, ``prepared_for`` and ``timing`` of a scenario, and
``lateral_offset``, ``size``, ``placement``, ``height`` and ``ticks`` of an anomaly.
"""

from __future__ import annotations

from typing import Any

from offnominal.core.checks import instance_of, number_in
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.files import sha256_of
from offnominal.core.printable import shown
from offnominal.worlds.road.scenarios.anomaly import TEMPORAL_KINDS, Anomaly, ContentAnomaly, TemporalAnomaly
from offnominal.worlds.road.scenarios.description import Place, Scenario, Timing, town_key, town_plans
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenarios.json_entries import Entries, merge

NORMAL, STATIC = "NORMALITY", "STATIC"
NO_BLUEPRINT = "---"
ANOMALY_TYPES = (NORMAL, STATIC, *TEMPORAL_KINDS.values())
SEED_DIGITS = 13
Data = dict[str, Any]


def scenario_to_json(scenario: Scenario) -> Data:
    """Return a scenario as an entry of a published file.

    Example:
        >>> data = scenario_to_json(Scenario("first", "grid", "CLEAR_NOON", seed=3, vehicles=20, pedestrians=10))
        >>> data["anomaly_config"]
        {'anomalytype': 'NORMALITY', 'anomaly_bp_name': '---', 'distance_to_waypoint': 0, 'rotation': 0}
        >>> scenario_from_json(data, "grid").seed
        3
    """
    data: Data = {"id": scenario.id, "anomaly_config": _anomaly_to_json(scenario.anomaly)}
    if scenario.start is not None:
        data["ego_spawnpoint"] = _place_to_json(scenario.start)
    if scenario.end is not None:
        data["ego_end_spawnpoint"] = _place_to_json(scenario.end)
    if scenario.route is not None:
        data["ego_route"] = {"locations": [{"x": x, "y": _mirrored(y), "z": z} for x, y, z in scenario.route]}
    data |= {
        "weather_preset": scenario.weather,
        "npc_vehicle_amount": scenario.vehicles,
        "npc_walker_amount": scenario.pedestrians,
        "seed": scenario.seed,
        "sensor_rig": scenario.rig,
        "ego_behavior": scenario.behaviour,
        "ego": scenario.ego,
        "timing": scenario.timing.to_dict(),
    }
    if scenario.prepared_for is not None:
        data["prepared_for"] = _anomaly_to_json(scenario.prepared_for)
    return merge(data, scenario.extra)


def scenario_from_json(data: Any, town: str) -> Scenario:
    """Return a scenario of a published file.

    A scenario without a seed gets one from its id. Unknown entries are kept in ``extra``; misspelled ones are errors.

    Args:
        data: Entry of the file.
        town: Town of the file.

    Raises:
        InvalidScenario: An entry is missing or misspelled, or has an invalid value.
        UnknownName: There is no such weather, rig, object or behaviour.
    """
    entries = Entries(data, "the scenario")
    extra: Data = {}
    id = entries.take("id")
    anomaly_entries = Entries(entries.take("anomaly_config"), "anomaly_config")
    route_entries = entries.within("ego_route")
    prepared = entries.take("prepared_for", None)
    prepared_entries = Entries({} if prepared is None else prepared, "prepared_for")
    plan = town_plans()[town_key(town)]
    scenario = Scenario(
        id=id,
        town=town,
        # The published README has these three inside the route.
        weather=_beside(entries, route_entries, "weather_preset"),
        vehicles=_beside(entries, route_entries, "npc_vehicle_amount", plan.vehicles),
        pedestrians=_beside(entries, route_entries, "npc_walker_amount", plan.pedestrians),
        seed=entries.take("seed", seed_of(id)),
        rig=entries.take("sensor_rig", "mono"),
        behaviour=entries.take("ego_behavior", "normal"),
        ego=entries.take("ego", "blind"),
        anomaly=_anomaly_from_json(anomaly_entries),
        prepared_for=None if prepared is None else _anomaly_from_json(prepared_entries),
        start=_place_from_json(entries, "ego_spawnpoint", extra),
        end=_place_from_json(entries, "ego_end_spawnpoint", extra),
        route=_route_from_json(route_entries),
        timing=Timing.from_dict(instance_of("timing", entries.take("timing", {}), dict)),
    )
    for each in (anomaly_entries, route_entries, prepared_entries):
        if each.unknown():
            extra[each.name] = each.unknown()
    return scenario.replace(extra=entries.unknown() | extra)


def seed_of(id: Any) -> int:
    """Return the seed of a scenario whose file has none: the first 52 bits of the SHA-256 of its id.

    Example:
        >>> seed_of("0b5f") == seed_of("0b5f") != seed_of("0b60")
        True
    """
    return int(sha256_of(str(id))[:SEED_DIGITS], 16)


def _beside(entries: Entries, route: Entries, key: str, *default: Any) -> Any:
    entries.take(key, None)
    return (route if key not in entries and key in route else entries).take(key, *default)


def _anomaly_to_json(anomaly: Anomaly | None) -> Data:
    if anomaly is None:
        return {"anomalytype": NORMAL, "anomaly_bp_name": NO_BLUEPRINT, "distance_to_waypoint": 0, "rotation": 0}
    if isinstance(anomaly, ContentAnomaly):
        return {
            "anomalytype": STATIC,
            "anomaly_bp_name": anomaly.entry.blueprint,
            # Published readers use it as the index of a point of the route.
            "distance_to_waypoint": _whole(anomaly.distance),
            "rotation": _mirrored(anomaly.yaw),
            "lateral_offset": _mirrored(anomaly.lateral_offset),
            "size": anomaly.size,
            "placement": anomaly.placement,
            "height": anomaly.height,
        }
    data: Data = {"anomalytype": TEMPORAL_KINDS[anomaly.kind], "anomaly_bp_name": anomaly.actor}
    if anomaly.lead_distance is not None:
        data["approximate_dist_to_spawning_waypoint"] = anomaly.lead_distance
    if anomaly.ticks is not None:
        data["ticks"] = list(anomaly.ticks)
    return data


def _anomaly_from_json(entries: Entries) -> Anomaly | None:
    kind, blueprint = entries.take("anomalytype"), entries.take("anomaly_bp_name", NO_BLUEPRINT)
    instance_of("anomalytype", kind, str)
    if kind not in ANOMALY_TYPES:
        raise UnknownName(
            f"no anomalytype named {shown(kind)}.{did_you_mean(kind, ANOMALY_TYPES)} Choose one of "
            f"{', '.join(ANOMALY_TYPES)}."
        )
    if kind == NORMAL:
        for key in ("distance_to_waypoint", "rotation"):
            entries.take(key, 0)
        if blueprint != NO_BLUEPRINT:
            raise InvalidScenario(
                f"anomalytype is {NORMAL}, but anomaly_bp_name is {shown(blueprint)}; expected {NO_BLUEPRINT!r}, or "
                f"the anomalytype {STATIC}."
            )
        return None
    return _content_from_json(entries, blueprint) if kind == STATIC else _temporal_from_json(entries, kind, blueprint)


def _content_from_json(entries: Entries, blueprint: Any) -> ContentAnomaly:
    anomaly = ContentAnomaly(
        name=blueprint,
        distance=entries.take("distance_to_waypoint"),
        yaw=_mirrored(number_in("rotation", entries.take("rotation", 0.0))),
        lateral_offset=_mirrored(number_in("lateral_offset", entries.take("lateral_offset", 0.0))),
        placement=entries.take("placement", None),
        height=entries.take("height", None),
    )
    size = entries.take("size", anomaly.size)
    if size != anomaly.size:
        raise InvalidScenario(
            f"size is {shown(size)}, but {anomaly.name!r} is {anomaly.size}; choose an object of that size, or leave "
            "out the size."
        )
    return anomaly


def _temporal_from_json(entries: Entries, kind: str, blueprint: Any) -> TemporalAnomaly:
    names = {published: name for name, published in TEMPORAL_KINDS.items()}
    ticks = entries.take("ticks", None)
    return TemporalAnomaly(
        names[kind],
        blueprint,
        lead_distance=entries.take("approximate_dist_to_spawning_waypoint", None),
        ticks=tuple(ticks) if isinstance(ticks, list) else ticks,
    )


def _place_to_json(place: Place) -> Data:
    return {
        "location": {"x": place.x, "y": _mirrored(place.y), "z": place.z},
        "rotation": {"pitch": place.pitch, "yaw": _mirrored(place.yaw), "roll": place.roll},
    }


def _place_from_json(entries: Entries, key: str, extra: Data) -> Place | None:
    """Return a place, and add its unknown entries to the extra ones."""
    data = entries.take(key, None)
    if data is None:
        return None
    place = Entries(data, key)
    location, rotation = Entries(place.take("location"), f"{key}.location"), place.within("rotation")
    x, y, z = (number_in(f"{key}: {axis}", location.take(axis)) for axis in ("x", "y", "z"))
    pitch, yaw, roll = (number_in(f"{key}: {angle}", rotation.take(angle, 0.0)) for angle in ("pitch", "yaw", "roll"))
    inside = {name: each.unknown() for name, each in (("location", location), ("rotation", rotation)) if each.unknown()}
    if unknown := place.unknown() | inside:
        extra[key] = unknown
    return Place(x, _mirrored(y), z, yaw=_mirrored(yaw), pitch=pitch, roll=roll)


def _route_from_json(entries: Entries) -> tuple[tuple[float, float, float], ...] | None:
    points = entries.take("locations", None)
    if points is None:
        return None
    if not isinstance(points, list):
        raise InvalidScenario(f"ego_route.locations is {shown(points)}; expected a list of objects with x, y and z.")
    return tuple(_point_from_json(point, number) for number, point in enumerate(points))


def _point_from_json(point: Any, number: int) -> tuple[float, float, float]:
    entries = Entries(point, f"ego_route.locations[{number}]")
    x, y, z = (number_in(f"{entries.name}.{axis}", entries.take(axis)) for axis in ("x", "y", "z"))
    if entries.unknown():
        raise InvalidScenario(f"{entries.name} has the unknown entry {next(iter(entries.unknown()))!r}; remove it.")
    return x, _mirrored(y), z


def _mirrored(value: float) -> float:
    """Return the value on the other side of the x axis, never -0."""
    return -value + 0


def _whole(value: float) -> float:
    """Return a whole number as an int, any other one as it is."""
    return int(value) if value == int(value) else value
