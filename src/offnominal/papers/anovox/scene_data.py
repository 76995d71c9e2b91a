"""The scenes of a study, as data: how many of each type, in which towns, with which sensors."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from offnominal.core.checks import number_in, one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.files import sha256_of
from offnominal.core.streams import Stream
from offnominal.datasets.scenes import HeldOut
from offnominal.datasets.scenes.index import rig_to_dict
from offnominal.studies.scales import check_integers
from offnominal.worlds.road.assets.catalogue import SIZES, catalogue
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.rigs import rig as rig_named
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, ScenarioPreset, Timing, make_scenarios
from offnominal.worlds.road.scenarios.anomaly import TEMPORAL_KINDS
from offnominal.worlds.road.scenarios.description import town_key, town_plans
from offnominal.worlds.road.scenarios.presets import placing
from offnominal.worlds.road.weather import WEATHERS

Split: TypeAlias = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
RESOLUTION = ("width", "height", "channels", "columns")
"""Fields of a rig that a study can change."""


@dataclass(frozen=True)
class SceneCounts(Config):
    """Numbers of scenes by type.

    Args:
        normal: Scenes without an anomaly.
        content: Scenes with an object on the route.
        temporal: Scenes with a road user that behaves anomalously.
    """

    normal: int = 0
    content: int = 0
    temporal: int = 0

    def __post_init__(self) -> None:
        check_integers(self, 0, "normal", "content", "temporal")


@dataclass(frozen=True)
class SceneData(Config):
    """Scenes for training and evaluation. The same data give the same scenes on every machine.

    Args:
        train: Number of normal scenes that detectors are fitted to.
        validation: Scenes on which thresholds are chosen.
        test: Scenes of the evaluation.
        twins: Whether the nominal twins of the test scenes are evaluated as well.
        sizes: Sizes of the objects, in turn.
        temporal: Kinds of temporal anomalies, equally likely.
        placing: Where objects are and what vehicles do about them, see `PLACINGS` of
            :mod:`offnominal.worlds.road.scenarios.presets`.
        record_every: Every n-th recorded tick gives a frame, in scenes with a temporal anomaly.
        content_every: The same for scenes with an object; `record_every` if None.
        ticks: First and last recorded tick of scenes with a temporal anomaly. Braking is at ticks 140 to 170. Normal
            scenes are recorded like those with the anomaly that they are prepared for, half of them for each type.
        rig: Name of the sensor rig.
        resolution: Changed fields of the rig: ``width``, ``height``, ``channels`` and ``columns``.
        traffic: Share of the usual number of vehicles and pedestrians of each town.
        towns: Towns in turn; all if empty.
        held_out: Towns and weathers that only test scenes have.
        seed: Seed of all scenes.

    Example:
        >>> data = SceneData(train=2, test=SceneCounts(content=5), towns=("Town01",))
        >>> [scenario.anomaly.size for scenario in data.scenarios("test")]
        ['tiny', 'small', 'medium', 'big', 'huge']
    """

    train: int = 16
    validation: SceneCounts = SceneCounts(normal=2, content=5, temporal=2)
    test: SceneCounts = SceneCounts(normal=4, content=20, temporal=6)
    twins: bool = True
    sizes: tuple[str, ...] = SIZES
    temporal: tuple[str, ...] = ("sudden-braking",)
    placing: str = "published"
    record_every: int = 4
    content_every: int | None = None
    ticks: tuple[int, int] = (16, 215)
    rig: str = "mono"
    resolution: dict[str, int] = field(default_factory=dict)
    traffic: float = 1.0
    towns: tuple[str, ...] = ()
    held_out: HeldOut = field(default_factory=HeldOut)
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, 1, "train")
        check_integers(self, 0, "seed")
        number_in("traffic", self.traffic, 0.0, 1.0)
        for type_ in ("content", "temporal"):
            self._timing(type_)
        placing(self.placing)
        for size in self.sizes:
            one_of("an entry of sizes", size, SIZES)
        for kind in self.temporal:
            one_of("an entry of temporal", kind, tuple(TEMPORAL_KINDS))
        if not (self.sizes and self.temporal):
            raise InvalidParameter("sizes or temporal is empty; name at least one of each.")
        object.__setattr__(self, "towns", tuple(town_key(town) for town in self.towns))
        for name in self.resolution:
            if name not in RESOLUTION:
                raise UnknownName(f"resolution has no entry {name!r}.{did_you_mean(name, RESOLUTION)}")
        self.sensors()
        if not (self._towns("train") and self._weathers("train")):
            raise InvalidParameter("all towns or all weathers are held out; leave at least one for training.")

    def sensors(self) -> Rig:
        """Return the rig of all scenes."""
        return Rig.from_dict({**rig_to_dict(rig_named(self.rig)), **self.resolution})

    def counts(self, split: Split) -> SceneCounts:
        """Return the numbers of scenes of a split, without twins."""
        return SceneCounts(normal=self.train) if split == "train" else getattr(self, split)

    def scenarios(self, split: Split) -> list[Scenario]:
        """Return the scenarios of a split. No two splits share a scenario."""
        return [
            scenario
            for type_, count in self.counts(split).to_dict().items()
            for scenario in self._scenarios(split, type_, count)
        ]

    def recipe(self, split: Split) -> str:
        """Return a hash of everything that decides the content of a split."""
        scenarios = [scenario.to_dict() for scenario in self.scenarios(split)]
        return sha256_of(json.dumps([scenarios, rig_to_dict(self.sensors()), self._has_twins(split)], sort_keys=True))

    def _has_twins(self, split: Split) -> bool:
        return self.twins and split == "test"

    def _scenarios(self, split: Split, type_: str, count: int) -> list[Scenario]:
        if not count:
            return []
        stream = Stream.named(self.seed, SPLITS.index(split), f"study scenes {type_}")
        preset = ScenarioPreset(split, count, 1, (type_,), {self.rig: 1}, placing=self.placing)
        made = make_scenarios(preset, seed=stream.integer(0, 2**53), temporal=self.temporal)
        draws = stream.uniform(2 * count, lane=1).reshape(count, 2)
        towns = self._towns(split)
        order = np.argsort(stream.uniform(len(towns), lane=2), kind="stable")
        found = []
        for k, drawn in enumerate(made):
            scenario = self._placed(drawn, k, split, towns[order[k % len(towns)]])
            changes: dict[str, Any] = {"timing": self._timing(scenario.setting)}
            if isinstance(scenario.planned, ContentAnomaly):
                size = self.sizes[k % len(self.sizes)]
                name = "prepared_for" if scenario.anomaly is None else "anomaly"
                changes[name] = _object(scenario.planned, size, self.placing, *draws[k])
            found.append(scenario.replace(**changes))
        return found

    def _placed(self, scenario: Scenario, number: int, split: Split, town: str) -> Scenario:
        """Return a scenario in a town, in a weather of the split, with its traffic."""
        weathers = self._weathers(split)
        plan = town_plans()[town]
        return scenario.replace(
            town=town,
            weather=scenario.weather if scenario.weather in weathers else weathers[number % len(weathers)],
            vehicles=round(self.traffic * plan.vehicles),
            pedestrians=round(self.traffic * plan.pedestrians),
        )

    def _timing(self, type_: str) -> Timing:
        """Return the ticks of the scenes of a type."""
        if type_ == "content":
            return Timing(record_every=self.record_every if self.content_every is None else self.content_every)
        first, last = self.ticks
        return Timing(settling_ticks=first - 1, recorded_ticks=last - first + 1, record_every=self.record_every)

    def _towns(self, split: Split) -> list[str]:
        known = list(self.towns or town_plans())
        return known if split == "test" else [town for town in known if town not in self.held_out.towns]

    def _weathers(self, split: Split) -> list[str]:
        return [name for name in WEATHERS if split == "test" or name not in self.held_out.weathers]


def _object(drawn: ContentAnomaly, size: str, where: str, which: float, side: float) -> ContentAnomaly:
    """Return an object of a size at the place of the drawn one."""
    fitting = [entry for entry in catalogue().values() if entry.size == size]
    entry = fitting[min(int(which * len(fitting)), len(fitting) - 1)]
    offset = placing(where).offset_of(entry.placement, float(side))
    return ContentAnomaly(entry.name, drawn.distance, lateral_offset=offset, yaw=drawn.yaw)
