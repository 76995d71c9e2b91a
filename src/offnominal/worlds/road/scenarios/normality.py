"""Definition of normality as data, and the check that the scenarios of a training set keep to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from offnominal.core.checks import instances_of, number_in
from offnominal.core.config import Config
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly
from offnominal.worlds.road.scenarios.description import BEHAVIOURS, Scenario
from offnominal.worlds.road.scenarios.errors import known_name
from offnominal.worlds.road.scenarios.scenario_file import ScenarioFile
from offnominal.worlds.road.town.presets import PRESETS
from offnominal.worlds.road.weather import WEATHERS

NORMAL_CLASSES = tuple(label.name for label in Label if not label.is_anomaly)
ANOMALY_CLASSES = tuple(label.name for label in Label if label.is_anomaly)


@dataclass(frozen=True)
class Normality(Config):
    """What belongs to normality. Everything else is an anomaly or a change of domain.

    The defaults are the published definition: eight towns, 14 weathers, four rigs, an ego vehicle with normal
    behaviour, all classes but those of anomalies. Its table lists 13 weathers; the text and the data have 14.

    Args:
        towns: Names of the towns.
        weathers: Names of the weathers.
        rigs: Names of the rigs.
        behaviours: Behaviours of the ego vehicle.
        classes: Names of the semantic labels that may be visible.
        hard_brake: Brake command, from 0 to 1, from which on a vehicle brakes hard. No vehicle does.

    Example:
        >>> normality = Normality(weathers=("CLEAR_NOON",))
        >>> scenario = Scenario("first", "grid", "CLOUDY_NOON", seed=3, vehicles=20, pedestrians=10)
        >>> [each.message for each in normality.violations(scenario)]
        ["weather is 'CLOUDY_NOON'; normality has CLEAR_NOON."]
    """

    towns: tuple[str, ...] = tuple(PRESETS)
    weathers: tuple[str, ...] = tuple(WEATHERS)
    rigs: tuple[str, ...] = ("mono", "stereo", "multi", "surround")
    behaviours: tuple[str, ...] = ("normal",)
    classes: tuple[str, ...] = NORMAL_CLASSES
    hard_brake: float = 1.0

    def __post_init__(self) -> None:
        known = {
            "town": (self.towns, tuple(PRESETS)),
            "weather": (self.weathers, tuple(WEATHERS)),
            "rig": (self.rigs, tuple(RIGS)),
            "behaviour": (self.behaviours, BEHAVIOURS),
            "class": (self.classes, NORMAL_CLASSES + ANOMALY_CLASSES),
        }
        for noun, (given, names) in known.items():
            for name in given:
                known_name(noun, name, names)
        number_in("hard_brake", self.hard_brake, 0.0, 1.0, open_low=True)

    def with_anomalies(self) -> Normality:
        """Return a definition that also allows all anomalies, for a test set."""
        return self.replace(classes=tuple(dict.fromkeys(self.classes + ANOMALY_CLASSES)))

    def violations(self, scenario: Scenario, file: str = "") -> list[Violation]:
        """Return how the description of a scenario violates normality.

        Classes and hard braking can be checked completely only in a recording.

        Args:
            scenario: Scenario to check.
            file: Name of its file.
        """
        allowed = {
            "town": self.towns,
            "weather": self.weathers,
            "rig": self.rigs,
            "behaviour": self.behaviours,
        }
        found = [
            Violation(file, scenario.id, name, f"{name} is {value!r}; normality has {', '.join(names)}.")
            for name, names in allowed.items()
            if (value := getattr(scenario, name)) not in names
        ]
        anomaly = scenario.anomaly
        if anomaly is not None and anomaly.label.name not in self.classes:
            what = (
                f"the object {anomaly.name!r} is on the route"
                if isinstance(anomaly, ContentAnomaly)
                else f"a road user behaves anomalously ({anomaly.kind})"
            )
            message = f"{what}; normality has no class {anomaly.label.name}."
            found.append(Violation(file, scenario.id, "anomaly", message))
        return found


@dataclass(frozen=True)
class Violation(Config):
    """One violation of normality.

    Args:
        file: Name of the scenario file.
        scenario: Id of the scenario.
        entry: What violates normality: ``"town"``, ``"weather"``, ``"rig"``, ``"behaviour"`` or ``"anomaly"``.
        message: The violation in words.
    """

    file: str
    scenario: str
    entry: str
    message: str


def find_violations(files: Iterable[ScenarioFile], normality: Normality | None = None) -> list[Violation]:
    """Return all violations of normality in scenario files.

    Args:
        files: Scenario files, such as the values of :func:`~offnominal.worlds.road.scenarios.read_scenarios`.
        normality: Definition of normality; None is the published one.
    """
    definition = Normality() if normality is None else normality
    return [
        violation
        for file in instances_of("files", files, ScenarioFile)
        for scenario in file.scenarios
        for violation in definition.violations(scenario, file.name)
    ]
