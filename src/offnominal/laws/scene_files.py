"""The law of the files of driving scenes: before the anomaly is in view, they do not tell that there is one.

What a detector gets of a recorded frame are its images and points. Until the anomaly is in view, or is hit unseen,
those of a scene are the same bytes as those of its nominal twin, so that their sizes tell nothing either. Some files
are truth and say more: ``scene.json``, the scenario files, the folder ``ANOMALY`` of the published layout, and in the
compact layout the rows of all road users, of which an object is one from the first frame on. No detector gets them.
Their sizes are looked at where a size could be seen without reading the file: labels and instances, and whole frames
of the compact layout.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.scenes.compact_frame import encode_frame, header_of, schema_of
from offnominal.datasets.scenes.compact_sensors import encode_camera, encode_turn
from offnominal.datasets.scenes.published_layout import published_clouds, published_images
from offnominal.datasets.scenes.published_names import DEPTH, LIDAR, RGB
from offnominal.laws.leak_gate import Channels, LeakAuroc, leak_laws, measure_leaks, needed_samples
from offnominal.laws.report import LawReport, check_laws
from offnominal.laws.scene_leaks import PAIRS, Halves, SceneCase, accepted, paired_samples, scene_halves
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import Scenario, ScenarioPreset, scenario_preset
from offnominal.worlds.road.scenes import DrivingFrame, ScenarioRun, visible_frames

CHANNELS = ("size of images", "size of lidars", "size of labels", "size of frames")
RIG = Rig("small", (Mount("top", (0.0, 0.0, 1.8)),), width=96, height=64, channels=16, columns=256)
"""Small sensors, so that a scene takes a fraction of a second."""
LOOKED_AT = 10
"""Number of frames of a scene in which the anomaly is looked for."""
SPARE = 3
"""So many scenarios are drawn for each scene that counts: some are discarded, some have the anomaly in view at once."""


def check_scene_files(
    preset: str | ScenarioPreset,
    *,
    setting: str = "content",
    scenes: int | None = None,
    pairs: int = PAIRS,
    changes: Callable[[Scenario], Scenario] | None = None,
    seed: int = 0,
    workers: int = 1,
) -> LawReport:
    """Check that the files of a scene do not tell that it has an anomaly until that is in view.

    1. The images and points of a scene have the same bytes as those of its nominal twin in the frames before.
    2. The sizes of its files do not tell, in the first and in the last frame before: colours and depths, points, labels
       with instances and labelled points (files of the published layout), and whole frames of the compact layout.

    For the second law normal scenes of the preset with the same setting are compared with independent scenes that have
    the anomaly; the gate and its numbers of scenes are those of :mod:`~offnominal.laws.leak_gate`. Of a normal scene
    those frames count in which the anomaly that it is prepared for would not be in view.

    Args:
        preset: Preset of scenarios, or its name.
        setting: ``"content"`` for objects, ``"temporal"`` for road users.
        scenes: Number of recorded scenes of each class; None compares only the pairs, and skips the second law.
        pairs: Number of scenes that are compared with their nominal twins.
        changes: Function that changes each scenario before it is simulated.
        seed: First seed of the sets of scenarios.
        workers: Number of processes that record.

    Example:
        >>> report = check_scene_files("smoke", pairs=1, changes=lambda each: each.replace(vehicles=5, pedestrians=5))
        >>> [(finding.law, finding.holds) for finding in report][0]
        ('its sensors record what those of its nominal twin do until the anomaly is in view', True)
    """
    chosen = scenario_preset(preset) if isinstance(preset, str) else preset
    case = _Case(chosen, setting, scenes, pairs, changes, seed, workers)
    laws: dict[str, Callable[[], None]] = {
        "its sensors record what those of its nominal twin do until the anomaly is in view": case.equal
    }
    return check_laws(f"{chosen.name}, {setting}, files", laws | leak_laws(CHANNELS, case.measured, noun="scenes"))


class _Case(SceneCase):
    """The scenes of a preset and what their files tell."""

    @cached_property
    def halves(self) -> Halves:
        wanted = max(needed_samples(len(CHANNELS)), SPARE * (self.scenes or 0))
        return scene_halves(self.preset, self.setting, wanted, self.seed)

    def equal(self) -> None:
        def difference(scenario: Scenario) -> str | None:
            numbers = frames_before(scenario)
            return _difference(scenario, numbers) if numbers else None

        self.require_equal(self.halves[0][1], difference)

    def measured(self) -> dict[str, LeakAuroc]:
        return {} if self.scenes is None else self._found

    @cached_property
    def _found(self) -> dict[str, LeakAuroc]:
        assert self.scenes is not None
        record = partial(accepted, channels=recorded_channels, workers=self.workers)
        count = self.scenes // 2
        samples = paired_samples(self.halves, lambda some: record(map(self.changed, some), count))
        return measure_leaks(*samples, seed=self.seed)


def frames_before(scenario: Scenario) -> list[int]:
    """Return the frames before the anomaly of a scenario, or that it is prepared for, is in view or has an effect.

    About ten evenly spaced frames are looked at, up to the first one in which a pixel or a beam shows the anomaly, in
    which a camera shows its shadow or its reflection in a wet road, or in which a vehicle has touched it: one that is
    too small for the sensors can be hit before it is seen.
    """
    run = ScenarioRun(scenario.replace(anomaly=scenario.planned, prepared_for=None), rig=RIG)
    hit = run.ego_trace().first_hit
    ticks = scenario.timing.frame_ticks
    numbers = [k for k in range(0, len(run), max(1, len(run) // LOOKED_AT)) if hit is None or ticks[k] < hit]
    found: list[int] = []
    for frame in visible_frames(run, numbers=numbers, indirectly=True):
        if frame.camera or frame.lidar:
            break
        found.append(frame.number)
    return found


def recorded_channels(scenario: Scenario) -> Channels | None:
    """Return the sizes of the files of a scenario; None if it is discarded or has no frame before."""
    try:
        if ScenarioRun(scenario).ego_trace().discards or not (numbers := frames_before(scenario)):
            return None
        run = ScenarioRun(scenario, rig=RIG)
        frames = list(run.frames(numbers=numbers[:1] + numbers[-1:]))
    except InvalidParameter:
        return None
    first, last = (file_sizes(frames[k]) for k in (0, -1))
    return {name: [float(len(numbers)), float(first[name]), float(last[name])] for name in CHANNELS}


def file_sizes(frame: DrivingFrame) -> dict[str, int]:
    """Return the sizes of the files of a frame in bytes, by channel."""
    files = {"size of images": 0, "size of lidars": 0, "size of labels": 0}
    for camera in frame.sensors.cameras.values():
        for kind, content in published_images(camera).items():
            files["size of images" if kind in (RGB, DEPTH) else "size of labels"] += len(content)
    for lidar in frame.sensors.lidars.values():
        for kind, content in published_clouds(lidar).items():
            files["size of lidars" if kind == LIDAR else "size of labels"] += len(content)
    schema = schema_of(RIG)
    return files | {"size of frames": len(encode_frame(frame, schema, header_of(schema)))}


def _difference(scenario: Scenario, numbers: list[int]) -> str:
    """Return how the sensors of a scenario differ from those of its nominal twin; empty if they do not."""
    runs = (ScenarioRun(scenario, rig=RIG, twin=twin).frames(numbers=numbers) for twin in (False, True))
    for frame, other in zip(*runs, strict=True):
        names = [name for name, content in _contents(frame).items() if content != _contents(other)[name]]
        if names:
            return f"{names[0]} of frame {frame.number} differs from that of its nominal twin"
    return ""


def _contents(frame: DrivingFrame) -> dict[str, object]:
    """Return everything that the sensors of a frame record."""
    found: dict[str, object] = {}
    for name, camera in frame.sensors.cameras.items():
        found |= {f"camera {name}, {key}": _plain(value) for key, value in encode_camera(camera).items()}
    for name, lidar in frame.sensors.lidars.items():
        found |= {f"lidar {name}, {key}": _plain(value) for key, value in encode_turn(lidar).items()}
    return found


def _plain(value: object) -> object:
    return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else value
