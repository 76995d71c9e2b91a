"""Checks of a scenario that need its town, its simulation or its recording."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from offnominal.core.checks import instances_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios.description import Scenario
from offnominal.worlds.road.scenarios.normality import Normality, Violation
from offnominal.worlds.road.scenarios.scenario_file import ScenarioFile
from offnominal.worlds.road.scenes.driving_frame import DrivingFrame
from offnominal.worlds.road.scenes.run import ScenarioRun
from offnominal.worlds.road.town.driving_kernel import HARDEST_BRAKING
from offnominal.worlds.road.town.errors import InvalidSpawn, NoRoute
from offnominal.worlds.road.town.snapshot import EGO, Snapshot

ROUNDING = 1e-6
LABELS = 256
"""Labels are bytes."""
KNOWN = frozenset(map(int, Label))


class RecordingCheck:
    """Checks a recording while its frames arrive: hard braking, visible classes, and whether the anomaly is visible.

    Args:
        scenario: The scenario.
        normality: Definition of normality; None is the published one, with all anomalies if the scenario has one.
        file: Name of the scenario file, for the violations.
    """

    def __init__(self, scenario: Scenario, normality: Normality | None = None, *, file: str = "") -> None:
        published = Normality() if scenario.anomaly is None else Normality().with_anomalies()
        self.scenario = scenario
        self.normality = published if normality is None else normality
        self.file = file
        self.pixels: dict[Label, int] = {}
        self._first_seen: dict[Label, int] = {}
        self._braking: dict[int, list[int]] = {}

    def add_state(self, state: Snapshot) -> None:
        """Check the state of a tick: who brakes hard. Anomalies of behaviour are exempt while they are active."""
        if self.scenario.type == "temporal":
            return
        hard = state.acceleration <= -self.normality.hard_brake * HARDEST_BRAKING + ROUNDING
        hard[EGO] = state.controls[2] >= self.normality.hard_brake
        for row in np.flatnonzero(hard):
            self._braking.setdefault(int(state.instance[row]), []).append(state.tick)

    def add_image(self, label: Array, number: int) -> None:
        """Count the classes of an image of labels, given the number of its frame."""
        if label.dtype.kind not in "iu" or (label.size and not 0 <= label.min() <= label.max() < LABELS):
            raise InvalidParameter(f"label is {shown(label)}; expected an image of semantic labels, 0 to {LABELS - 1}.")
        counts = np.bincount(label.ravel(), minlength=LABELS)
        for value in np.flatnonzero(counts):
            if int(value) not in KNOWN:
                raise InvalidParameter(f"the image has a label {value}, which no class has.")
            seen = Label(int(value))
            self.pixels[seen] = self.pixels.get(seen, 0) + int(counts[value])
            self._first_seen.setdefault(seen, number)

    def add(self, frame: DrivingFrame) -> None:
        """Check a frame: its state and the images of all its cameras."""
        self.add_state(frame.state)
        for camera in frame.sensors.cameras.values():
            if camera.image.label is not None:
                self.add_image(camera.image.label, frame.number)

    def violations(self, run: ScenarioRun) -> list[Violation]:
        """Return all violations after the last frame: those of the frames, discards, and an invalid route."""
        found = [("route", message) for message in run.validity] + [("discard", message) for message in run.discards]
        for instance, ticks in self._braking.items():
            who = "the ego vehicle" if instance == 1 else f"the vehicle with instance {instance}"
            found.append(("braking", f"{who} brakes hard at tick {ticks[0]}, {len(ticks)} ticks in all."))
        for label, count in self.pixels.items():
            if label.name not in self.normality.classes:
                first = self._first_seen[label]
                found.append(("class", f"{label.name} is visible from frame {first} on, {count:,} pixels in all."))
        anomaly = self.scenario.anomaly
        if anomaly is not None and not run.twin and not self.pixels.get(anomaly.label):
            found.append(("anomaly", "the anomaly is not visible in any image."))
        return [Violation(self.file, self.scenario.id, entry, message) for entry, message in found]


def check_run(run: ScenarioRun, normality: Normality | None = None, *, file: str = "") -> list[Violation]:
    """Simulate a scenario and return its violations. Its geometry is checked first.

    Images are rendered only as long as the anomaly of the scenario has not been visible.

    Args:
        run: Run of the scenario.
        normality: Definition of normality; see :class:`RecordingCheck`.
        file: Name of the scenario file.
    """
    check = RecordingCheck(run.scenario, normality, file=file)
    awaited = None if run.twin or run.scenario.anomaly is None else run.scenario.anomaly.label
    for number, state, labels in run.labels():
        check.add_state(state)
        if awaited is not None and state.is_anomalous and not check.pixels.get(awaited) and number >= 0:
            for label in labels():
                check.add_image(label, number)
    return check.violations(run)


def placement_violations(scenario: Scenario, file: str = "") -> list[Violation]:
    """Return how a scenario contradicts the geometry of its town: its start, its route, and the place of its object."""
    try:
        ScenarioRun(scenario).check_placement()
    except InvalidSpawn as error:
        return [Violation(file, scenario.id, "start", str(error))]
    except NoRoute as error:
        return [Violation(file, scenario.id, "route", str(error))]
    except InvalidParameter as error:
        return [Violation(file, scenario.id, "anomaly", str(error))]
    return []


def find_placement_violations(files: Iterable[ScenarioFile]) -> list[Violation]:
    """Return the violations of all scenarios of some files that follow from the geometry of their towns."""
    given = instances_of("files", files, ScenarioFile)
    return [each for file in given for scenario in file.scenarios for each in placement_violations(scenario, file.name)]


def find_recording_violations(files: Iterable[ScenarioFile], normality: Normality | None = None) -> list[Violation]:
    """Simulate all scenarios of some files and return their violations.

    Args:
        files: Scenario files.
        normality: Definition of normality; see :class:`RecordingCheck`.
    """
    found = []
    for file in instances_of("files", files, ScenarioFile):
        for scenario in file.scenarios:
            try:
                found += check_run(ScenarioRun(scenario), normality, file=file.name)
            except InvalidParameter as error:
                found.append(Violation(file.name, scenario.id, "anomaly", str(error)))
    return found
