"""The law of the files of driving scenes: it passes the presets, and refuses files that tell."""

import dataclasses

import pytest

from offnominal.laws import check_scene_files
from offnominal.laws import scene_files as module
from offnominal.worlds.road.scenarios import make_scenarios, scenario_preset, scenario_presets
from offnominal.worlds.road.scenes import ScenarioRun, visible_frames

pytestmark = pytest.mark.long
TWIN = "its sensors record what those of its nominal twin do until the anomaly is in view"


def few(scenario):
    return scenario.replace(vehicles=5, pedestrians=5)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["content", "temporal"])
@pytest.mark.parametrize("preset", [each.name for each in scenario_presets() if each.types != ("normal",)])
def test_files_of_no_preset_tell(preset, setting):
    report = check_scene_files(preset, setting=setting, pairs=2, changes=few)
    report.raise_if_broken()
    assert next(iter(report)).holds


def test_sensors_that_know_of_the_anomaly_are_refused(monkeypatch):
    class Telling(ScenarioRun):
        """A run whose images are brighter if there is an anomaly, also where that is not in view."""

        def frames(self, start=0, *, numbers=None):
            for frame in super().frames(start, numbers=numbers):
                for camera in frame.sensors.cameras.values() if not self.twin else ():
                    camera.image.rgb[:] |= 1
                yield frame

    report = check_scene_files("smoke", pairs=1, changes=few)
    assert next(iter(report)).holds
    monkeypatch.setattr(module, "ScenarioRun", Telling)
    broken = next(iter(check_scene_files("smoke", pairs=1, changes=few)))
    assert broken.law == TWIN
    assert "camera top, rgb of frame" in broken.problem


def test_frames_before_are_those_without_the_anomaly():
    scenario = next(few(each) for each in make_scenarios("mini", seed=1) if each.type == "temporal")
    numbers = module.frames_before(scenario)
    found = {each.number: each.camera or each.lidar for each in visible_frames(ScenarioRun(scenario, rig=module.RIG))}
    assert numbers
    assert not any(found[number] for number in numbers)
    normal = scenario.replace(anomaly=None, prepared_for=scenario.anomaly)
    assert module.frames_before(normal) == numbers
    frame = next(iter(ScenarioRun(scenario, rig=module.RIG)))
    assert set(module.file_sizes(frame)) == set(module.CHANNELS)
    assert all(size > 100 for size in module.file_sizes(frame).values())


def test_a_size_that_tells_is_refused(monkeypatch):
    def sizes(scenario):
        size = float(scenario.seed % 7) + 4.0 * (scenario.anomaly is not None)
        return {name: [size if name == "size of labels" else 1.0] for name in module.CHANNELS}

    monkeypatch.setattr(module, "recorded_channels", sizes)
    case = module._Case(dataclasses.replace(scenario_preset("mini")), "content", 80, 1, None, 0, 1)
    assert [name for name, found in case.measured().items() if found.leaks] == ["size of labels"]
