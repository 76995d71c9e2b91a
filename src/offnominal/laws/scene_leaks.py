"""The law of leaks of driving scenes: only the anomaly tells that a scene has one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from multiprocessing import get_context
from typing import TypeAlias

import numpy as np

from offnominal.core.checks import integer_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.laws.leak_gate import Channels, LeakAuroc, Value, leak_laws, measure_leaks, needed_samples
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require
from offnominal.worlds.road.scenarios import Scenario, ScenarioPreset, make_scenarios, scenario_preset
from offnominal.worlds.road.scenes import ScenarioRun
from offnominal.worlds.road.scenes.ego_trace import EgoTrace
from offnominal.worlds.road.town.snapshot import Snapshot
from offnominal.worlds.road.weather import WEATHERS

SETTINGS = ("content", "temporal")
DESCRIBED = ("town", "weather", "time of day", "rig", "planned traffic", "length")
"""Channels that the description of a scene has."""
SIMULATED = ("ego vehicle", "number of vehicles")
"""Channels that only its simulation has."""
CHANNELS = (*DESCRIBED, *SIMULATED)
PAIRS = 3
MOST_SETS = 4000
Halves: TypeAlias = list[tuple[list[Scenario], list[Scenario]]]
"""Normal scenarios and those with an anomaly, for each half of the scenes."""


def check_scene_leaks(
    preset: str | ScenarioPreset,
    *,
    setting: str = "content",
    scenes: int | None = None,
    pairs: int = PAIRS,
    changes: Callable[[Scenario], Scenario] | None = None,
    seed: int = 0,
    workers: int = 1,
) -> LawReport:
    """Check that only the anomaly tells that a scene of a preset has one.

    1. A scene equals its nominal twin until a vehicle touches the object, or until the road user behaves anomalously:
       the places, speeds and controls of all road users have the same bytes.
    2. The description of a scene does not tell: its town, its weather and time of day, its rig, the planned number of
       vehicles and pedestrians, its number of frames and of ticks.
    3. The ego vehicle does not tell: its speed, acceleration, throttle, steering and brake until it meets the place of
       the object, or until the road user begins. Nor does the number of vehicles and pedestrians for which there was
       room.

    For the second and the third law normal scenes of the preset with the same setting are compared with independent
    scenes that have the anomaly; the gate and its numbers of scenes are those of
    :mod:`~offnominal.laws.leak_gate`. The third needs simulations.

    Args:
        preset: Preset of scenarios, or its name.
        setting: ``"content"`` for objects, ``"temporal"`` for road users.
        scenes: Number of simulated scenes of each class; None simulates only the pairs, and skips the third law.
        pairs: Number of scenes that are compared with their nominal twins.
        changes: Function that changes each scenario before it is simulated, for example its ego vehicle.
        seed: First seed of the sets of scenarios.
        workers: Number of processes that simulate.

    Example:
        >>> report = check_scene_leaks("smoke", pairs=1, scenes=None)
        >>> report.ok, [finding.law for finding in report if finding.skipped]
        (True, ['its ego vehicle does not tell', 'its number of vehicles does not tell'])
    """
    chosen = scenario_preset(preset) if isinstance(preset, str) else preset
    case = _Case(chosen, setting, scenes, pairs, changes, seed, workers)
    laws: dict[str, Callable[[], None]] = {
        "a scene equals its nominal twin until the anomaly has an effect": case.equal
    }
    return check_laws(f"{chosen.name}, {setting}", laws | leak_laws(CHANNELS, case.measured, noun="scenes"))


@dataclass(frozen=True)
class SceneCase:
    """Scenes of a preset, and how many of them are compared; the arguments are those of :func:`check_scene_leaks`."""

    preset: ScenarioPreset
    setting: str
    scenes: int | None
    pairs: int
    changes: Callable[[Scenario], Scenario] | None
    seed: int
    workers: int

    def __post_init__(self) -> None:
        one_of("setting", self.setting, SETTINGS)
        if self.scenes is not None:
            integer_in("scenes", self.scenes, 4, 100_000)
        integer_in("pairs", self.pairs, 1, 10_000)
        integer_in("workers", self.workers, 1, 256)

    def changed(self, scenario: Scenario) -> Scenario:
        """Return a scenario as it is simulated."""
        return scenario if self.changes is None else self.changes(scenario)

    def require_equal(self, scenarios: Iterable[Scenario], difference: Callable[[Scenario], str | None]) -> None:
        """Require that enough scenarios do not differ from their nominal twins.

        Args:
            scenarios: Scenarios with an anomaly.
            difference: Returns how one differs, an empty text if it does not, and None if it cannot be compared.
        """
        compared = 0
        for scenario in map(self.changed, scenarios):
            try:
                problem = difference(scenario)
            except InvalidParameter:
                continue
            if problem is None:
                continue
            require(not problem, f"scenario {scenario.id} in {scenario.town}: {problem}")
            compared += 1
            if compared == self.pairs:
                return
        require(False, f"{compared} scenes could be compared with their nominal twins; {self.pairs} are needed")


class _Case(SceneCase):
    """The scenes of a preset and what their channels tell."""

    @cached_property
    def halves(self) -> Halves:
        """Normal scenarios and those with an anomaly: those that fit the detectors, and those that are scored."""
        wanted = max(needed_samples(len(CHANNELS)), self.scenes or 0)
        return scene_halves(self.preset, self.setting, wanted, self.seed)

    def equal(self) -> None:
        self.require_equal(
            self.halves[0][1], lambda scenario: _difference(ScenarioRun(scenario), ScenarioRun(scenario, twin=True))
        )

    @cached_property
    def found(self) -> dict[str, LeakAuroc]:
        found = measure_leaks(*self._samples(lambda some: list(map(_described, some))), seed=self.seed)
        if self.scenes is not None:
            count = self.scenes // 2
            simulate = partial(accepted, channels=simulated_channels, workers=self.workers)
            found |= measure_leaks(
                *self._samples(lambda some: simulate(map(self.changed, some), count)), seed=self.seed
            )
        return found

    def _samples(self, channels: Callable[[list[Scenario]], list[Channels]]) -> list[list[Channels]]:
        return paired_samples(self.halves, channels)

    def measured(self) -> dict[str, LeakAuroc]:
        return self.found


def _described(scenario: Scenario) -> Channels:
    """Return the channels of a description."""
    weather = WEATHERS[scenario.weather]
    timing = scenario.timing
    return {
        "town": [scenario.town],
        "weather": [scenario.weather],
        "time of day": [weather.sun_altitude],
        "rig": [scenario.rig],
        "planned traffic": [float(scenario.vehicles), float(scenario.pedestrians)],
        "length": [float(timing.frames), float(timing.ticks), float(timing.record_every)],
    }


def scene_halves(preset: ScenarioPreset, setting: str, wanted: int, seed: int) -> Halves:
    """Return as many normal scenarios and scenarios with an anomaly for each of the two halves.

    The halves are of different sets: what a set balances, such as its towns, would turn around what the first half of
    it tells by chance. Each half is shuffled before it is cut, because a set is in the order of its towns. Half of the
    scenarios that are simulated may be discarded after the published rules.

    Args:
        preset: Preset of the scenarios.
        setting: ``"content"`` or ``"temporal"``.
        wanted: Number of scenarios of each class in each half.
        seed: Seed of the first set.
    """
    sets = iter(range(MOST_SETS))
    return [_half(preset, setting, wanted, seed, sets) for _ in range(2)]


def _half(
    preset: ScenarioPreset, setting: str, wanted: int, seed: int, sets: Iterator[int]
) -> tuple[list[Scenario], list[Scenario]]:
    """Return as many scenarios of each class from the next sets."""
    found: tuple[list[Scenario], list[Scenario]] = ([], [])
    for number in sets:
        for scenario in make_scenarios(preset, seed=seed + number):
            if scenario.setting == setting:
                found[scenario.anomaly is not None].append(scenario)
        if min(map(len, found)) >= wanted:
            order = np.random.default_rng((seed, number))
            normal, anomalous = ([some[k] for k in order.permutation(len(some))[:wanted]] for some in found)
            return normal, anomalous
        if number == 0 and preset.types == ("normal",):
            break
    raise SkipLaw("the preset has no scenes with an anomaly of this setting")


def paired_samples(halves: Halves, channels: Callable[[list[Scenario]], list[Channels]]) -> list[list[Channels]]:
    """Return the samples of both classes, as many of the first half as of the second.

    Args:
        halves: Scenarios of the two halves.
        channels: Function that returns the channels of scenarios.
    """
    samples = []
    for k in range(2):
        first, second = (channels(half[k]) for half in halves)
        n = min(len(first), len(second))
        samples.append(first[:n] + second[:n])
    return samples


def accepted(
    scenarios: Iterable[Scenario], count: int, *, channels: Callable[[Scenario], Channels | None], workers: int
) -> list[Channels]:
    """Return the channels of the first scenarios that have some.

    Args:
        scenarios: The scenarios.
        count: Number of scenarios at most.
        channels: Function that returns the channels of a scenario, or None for one that does not count.
        workers: Number of processes.
    """
    with closing(_map(channels, list(scenarios), workers)) as made:
        return list(islice((each for each in made if each is not None), count))


def _map(
    channels: Callable[[Scenario], Channels | None], scenarios: Sequence[Scenario], workers: int
) -> Generator[Channels | None, None, None]:
    if workers == 1:
        yield from map(channels, scenarios)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(channels, scenarios, chunksize=max(1, len(scenarios) // (64 * workers)))
        finally:  # scenes that are not asked for any more
            pool.shutdown(cancel_futures=True)


def simulated_channels(scenario: Scenario) -> Channels | None:
    """Return the channels of the simulation of a scenario; None if it is discarded after the published rules."""
    try:
        trace = ScenarioRun(scenario).ego_trace()
    except InvalidParameter:
        return None
    if trace.discards or not len(trace.rows):
        return None
    counts: list[Value] = [float(trace.vehicles), float(trace.pedestrians)]
    return {"ego vehicle": ego_values(trace), "number of vehicles": counts}


def ego_values(trace: EgoTrace) -> list[Value]:
    """Return what the ego vehicle does: statistics of its speed, acceleration and controls."""
    rows = trace.rows
    values: list[FloatArray] = [
        rows.mean(axis=0), rows.std(axis=0), rows.min(axis=0), rows.max(axis=0), rows[0], rows[-1],
    ]  # fmt: skip
    return [float(len(rows)), *np.concatenate(values).tolist()]


def _difference(run: ScenarioRun, twin: ScenarioRun) -> str:
    """Return how a scene differs from its nominal twin before its anomaly has an effect; empty if it does not."""
    truth = run.anomaly_truth()
    if truth is None:
        return "it has no anomaly"
    content = truth.distance is not None
    effect = min((hit.tick for hit in truth.hits), default=run.scenario.timing.ticks + 1)
    last = effect if content else truth.first_tick
    for state, other in zip(run.states(), twin.states(), strict=True):
        if state.tick >= last:
            break
        names = [name for name, equal in _compared(state, other) if not equal]
        if names:
            return f"{names[0]} differs from its nominal twin at tick {state.tick}, before tick {last}"
    return ""


def _compared(state: Snapshot, other: Snapshot) -> Iterable[tuple[str, bool]]:
    n = len(other.kind)
    for name in ("position", "heading", "speed", "acceleration", "size", "label"):
        yield name, getattr(state, name)[:n].tobytes() == getattr(other, name)[:n].tobytes()
    yield "controls", state.controls == other.controls
    yield "lights", state.lights.tobytes() == other.lights.tobytes()
