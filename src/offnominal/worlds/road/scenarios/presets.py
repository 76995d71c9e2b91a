"""Sets of scenarios: presets, drawn from a seed in the published proportions of AnoVox.

Scenarios are divided evenly over the towns, with the remainder in the last one, and over the types in each town. All
weathers are equally frequent. Of 1,228 published scenarios 1,117 have the rig ``mono``, 76 ``stereo`` and 35 ``multi``.
All 178 objects are equally likely, so the super-classes have their published shares. Normal scenarios are prepared for
anomalies of the same distribution, half of them for each type, so that only the anomaly itself tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import numpy as np

from offnominal.core.checks import one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.worlds.road.assets.catalogue import catalogue
from offnominal.worlds.road.assets.vehicles import CAR_BODIES
from offnominal.worlds.road.scenarios.anomaly import (
    LEAD_DISTANCES,
    LEAD_KINDS,
    OBJECT_DISTANCES,
    TEMPORAL_KINDS,
    Anomaly,
    ContentAnomaly,
    TemporalAnomaly,
)
from offnominal.worlds.road.scenarios.description import Scenario, Timing, town_plans
from offnominal.worlds.road.scenarios.errors import known_name
from offnominal.worlds.road.town.description import LANE_WIDTH
from offnominal.worlds.road.town.obstacle import Ego
from offnominal.worlds.road.town.presets import PRESETS as TOWNS
from offnominal.worlds.road.weather import WEATHERS

T = TypeVar("T")
TYPES = ("normal", "content", "temporal")
RIG_SHARES = {"mono": 1117, "stereo": 76, "multi": 35}
# Objects that topple over stand beside the lane, this far to the left of its centre, m.
BESIDE = (-3.2, -2.2)
DRAWS_PER_SCENARIO = 12


@dataclass(frozen=True)
class Placing(Config):
    """Where objects are, and what vehicles do about them.

    All are at 65 to 105 m along the route, as in the public code, or beside it if they topple over.

    Args:
        name: Name of the placing.
        offset: Largest distance from the centre of the lane, m; distances are uniform.
        turned: Whether objects have any direction, instead of that of the lane.
        ego: What vehicles do about objects, see :class:`Scenario`.

    Example:
        >>> placing("published").offset == 0.5 * LANE_WIDTH
        True
    """

    name: str
    offset: float
    turned: bool = True
    ego: Ego = "blind"

    def offset_of(self, placement: str, u: float) -> float:
        """Return the distance to the left of the centre of the lane of an object, from a uniform number."""
        right, left = BESIDE if placement == "unstable" else (-self.offset, self.offset)
        return round(right + (left - right) * u, 2)


PLACINGS: dict[str, Placing] = {
    each.name: each
    for each in (
        # The paper: around the centres of lanes. Its code draws a rotation and does not apply it.
        Placing("published", 0.5 * LANE_WIDTH),
        Placing("public-code", 0.0, turned=False),
        Placing("always-visible", 1.0, ego="stopping"),
    )
}


def placing(name: str) -> Placing:
    """Return a placing by its name."""
    return PLACINGS[known_name("placing", name, PLACINGS)]


@dataclass(frozen=True)
class ScenarioPreset(Config):
    """Size and composition of a set of scenarios.

    Args:
        name: Name of the preset.
        scenarios: Number of scenarios.
        record_every: Every n-th of the 200 recorded ticks gives a frame.
        types: Types of its scenarios, equally frequent.
        rigs: Relative frequency of the rigs.
        placing: Name of the placing of its objects.
    """

    name: str
    scenarios: int
    record_every: int
    types: tuple[str, ...]
    rigs: dict[str, int]
    placing: str = "published"

    def __post_init__(self) -> None:
        placing(self.placing)

    @property
    def timing(self) -> Timing:
        """Ticks of each scenario."""
        return Timing(record_every=self.record_every)

    @property
    def frames(self) -> int:
        """Number of frames of all scenarios."""
        return self.scenarios * self.timing.frames


# The two published detectors were trained with 5 frames of each of 595 nominal scenarios: as many as Cityscapes has.
PRESETS: dict[str, ScenarioPreset] = {
    each.name: each
    for each in (
        ScenarioPreset("smoke", 4, 10, TYPES, RIG_SHARES),
        ScenarioPreset("mini", 24, 4, TYPES, RIG_SHARES),
        ScenarioPreset("cityscapes", 595, 40, ("normal",), {"mono": 1}),
        ScenarioPreset("full", 1228, 1, TYPES, RIG_SHARES),
        ScenarioPreset("always-visible", 24, 4, TYPES, RIG_SHARES, placing="always-visible"),
        ScenarioPreset("public-code", 24, 4, TYPES, RIG_SHARES, placing="public-code"),
    )
}


def scenario_preset(name: str) -> ScenarioPreset:
    """Return a preset by its name.

    Example:
        >>> scenario_preset("full").frames
        245600
    """
    return PRESETS[known_name("preset", name, PRESETS)]


def scenario_presets() -> tuple[ScenarioPreset, ...]:
    """Return all presets."""
    return tuple(PRESETS.values())


def make_scenarios(
    preset: str | ScenarioPreset,
    *,
    seed: int = 0,
    types: Sequence[str] | None = None,
    temporal: Sequence[str] = ("sudden-braking",),
) -> list[Scenario]:
    """Return the scenarios of a preset. The same seed gives the same scenarios on every machine.

    Args:
        preset: Preset or its name.
        seed: Seed of the set.
        types: Types of the scenarios; None is that of the preset. ``["normal"]`` gives a training set.
        temporal: Kinds of temporal anomalies, equally likely. Only the default one is published.

    Example:
        >>> for each in make_scenarios("smoke", seed=5):
        ...     print(each.town, each.weather, each.rig, each.type, each.setting)
        small-town MID_RAINY_NOON mono temporal temporal
        residential WET_CLOUDY_NOON mono content content
        roundabout HARD_RAIN_NOON mono normal content
        grid SOFT_RAIN_SUNSET mono temporal temporal
    """
    chosen = scenario_preset(preset) if isinstance(preset, str) else preset
    kinds = _names("types", chosen.types if types is None else types, TYPES)
    behaviours = _names("temporal", temporal, tuple(TEMPORAL_KINDS))
    stream = Stream.named(seed, 0, "scenarios")
    n = chosen.scenarios
    towns = _towns(n, stream)
    sky = _shuffled(list(WEATHERS), stream, lane=2)
    weathers = _shuffled([sky[k % len(sky)] for k in range(n)], stream, lane=3)
    rigs = _shuffled(_in_proportion(chosen.rigs, n), stream, lane=4)
    types_ = _types(towns, tuple(_shuffled(kinds, stream, lane=5)))
    settings = iter(_settings(types_, kinds, stream))
    where = placing(chosen.placing)
    made = []
    for k, (town, type_) in enumerate(zip(towns, types_, strict=True)):
        plan, draws = town_plans()[town], stream.uniform(DRAWS_PER_SCENARIO, step=k + 1)
        planned = _anomaly(next(settings) if type_ == "normal" else type_, behaviours, where, draws[5:])
        made.append(
            Scenario(
                id=_uuid(draws[:4]),
                town=town,
                weather=weathers[k],
                seed=int(draws[4] * 2**53),
                vehicles=plan.vehicles,
                pedestrians=plan.pedestrians,
                rig=rigs[k],
                ego=where.ego,
                anomaly=None if type_ == "normal" else planned,
                prepared_for=planned if type_ == "normal" else None,
                timing=chosen.timing,
            )
        )
    return made


def _names(noun: str, given: Sequence[str], known: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(given, str) or not given:
        raise InvalidParameter(f"{noun} is {given!r}; expected a list of some of {', '.join(known)}.")
    return tuple(one_of(f"an entry of {noun}", each, known) for each in given)


def _towns(n: int, stream: Stream) -> list[str]:
    """Return the town of each scenario, sorted by town; fewer scenarios than towns are in different ones."""
    names = list(TOWNS)
    each, left = divmod(n, len(names))
    if each:
        return [name for name in names for _ in range(each)] + names[-1:] * left
    return sorted(_shuffled(names, stream, lane=1)[:left], key=names.index)


def _types(towns: Sequence[str], types: tuple[str, ...]) -> list[str]:
    """Return the type of each scenario: in turn within a town, and each town begins with the next type."""
    first, counts, result = {town: k for k, town in enumerate(dict.fromkeys(towns))}, dict.fromkeys(towns, 0), []
    for town in towns:
        result.append(types[(first[town] + counts[town]) % len(types)])
        counts[town] += 1
    return result


def _settings(types: Sequence[str], kinds: Sequence[str], stream: Stream) -> list[str]:
    """Return the type that each normal scenario is prepared for: those of the set; all if it has only normal ones."""
    known = [each for each in kinds if each != "normal"] or [each for each in TYPES if each != "normal"]
    order = _shuffled(known, stream, lane=6)
    n = types.count("normal")
    return _shuffled([order[k % len(order)] for k in range(n)], stream, lane=7)


def _in_proportion(shares: dict[str, int], n: int) -> list[str]:
    """Return n names in proportion, rounded by largest remainders."""
    total = sum(shares.values())
    counts = {name: n * share // total for name, share in shares.items()}
    for name in sorted(shares, key=lambda each: -(n * shares[each] % total))[: n - sum(counts.values())]:
        counts[name] += 1
    return [name for name, count in counts.items() for _ in range(count)]


def _shuffled(items: Sequence[T], stream: Stream, *, lane: int) -> list[T]:
    order = np.argsort(stream.uniform(len(items), lane=lane), kind="stable")
    return [items[k] for k in order]


def _anomaly(type_: str, temporal: tuple[str, ...], where: Placing, u: FloatArray) -> Anomaly:
    if type_ == "temporal":
        return _temporal(_pick(temporal, u[0]), u[1:])
    entry = _pick(list(catalogue().values()), u[0])
    near, far = OBJECT_DISTANCES
    return ContentAnomaly(
        entry.name,
        distance=float(_pick(range(near, far + 1), u[1])),
        lateral_offset=where.offset_of(entry.placement, float(u[2])),
        yaw=-round(360.0 * float(u[3]), 1) if where.turned else 0.0,
    )


def _temporal(kind: str, u: FloatArray) -> TemporalAnomaly:
    actor = "walker.pedestrian" if kind == "jaywalker" else f"vehicle.{_pick(CAR_BODIES, u[0])}"
    low, high = LEAD_DISTANCES
    lead = _pick(range(low, high + 1), u[1]) if kind in LEAD_KINDS else None
    return TemporalAnomaly(kind, actor, lead_distance=lead)


def _pick(items: Sequence[T], u: float) -> T:
    return items[min(int(u * len(items)), len(items) - 1)]


def _uuid(u: FloatArray) -> str:
    """Return an id in the form of a random UUID."""
    words = [int(each * 2**32) for each in u]
    return str(UUID(int=sum(word << (32 * k) for k, word in enumerate(words)), version=4))
