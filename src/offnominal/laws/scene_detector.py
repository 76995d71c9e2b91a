"""The laws of scene detectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from offnominal.core.checks import instance_of
from offnominal.core.types import Array
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.registered_id import registered_id
from offnominal.detectors.scenes.catalogue import (
    load_scene_detector,
    make_scene_detector,
    save_scene_detector,
    scene_detectors,
)
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.scene_detector import SceneDetector
from offnominal.laws.capabilities import require_gpu_tag
from offnominal.laws.code import executed, require_covered_detector
from offnominal.laws.named_errors import require_named_error
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require
from offnominal.laws.street_scenes import street_scene
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame, RigFrame
from offnominal.worlds.road.scenes import DrivingFrame

N_SCENES, N_FRAMES = 3, 4


def check_scene_detector(
    detector: str | Callable[[], SceneDetector],
    *,
    scenes: Sequence[Sequence[DrivingFrame]] | None = None,
    fresh: Sequence[DrivingFrame] | None = None,
) -> LawReport:
    """Check the laws of scene detectors for one detector.

    1. Causal: the scores of a frame do not depend on later frames.
    2. Online equals batch.
    3. Pure: scoring changes neither the fitted state nor online states.
    4. Training is reproducible by its seed; a saved and loaded detector gives the same scores.
    5. There is a score for every pixel or every point; scores are finite and not constant.
    6. Labels and ground truth have no effect on scores.
    7. An invalid depth or coordinate has the largest score; the scores of later frames recover.
    8. Invalid input is a named error; a scene with an anomaly is not accepted for training.
    9. Its code version, part of the key of stored results, covers all code that it runs.
    10. It has a torch network if its entry has the tag ``gpu``, and only then.

    Scores are compared bit for bit.

    Args:
        detector: Id, or a function that returns a new, unfitted detector, such as its class.
        scenes: Normal scenes for training; a few small streets if None.
        fresh: Frames of another scene to score; a street with a cow if None.

    Example:
        >>> check_scene_detector("HeightAboveRoad").ok
        True
    """
    make: Callable[[], SceneDetector] = (
        partial(make_scene_detector, detector) if isinstance(detector, str) else detector
    )
    training = scenes or [street_scene(N_FRAMES, seed=seed) for seed in range(N_SCENES)]
    case = _Case(make, training, fresh or street_scene(N_FRAMES, seed=90, anomaly=True))
    return check_laws(
        case.fitted.name,
        {
            "it is causal": case.causal,
            "online equals batch": case.online_equals_batch,
            "scoring changes nothing": case.pure,
            "training is reproducible by its seed": case.deterministic,
            "a saved detector is loaded unchanged": case.saved,
            "scores are finite and differ": case.not_degenerate,
            "labels and truth have no effect": case.labels_have_no_effect,
            "an invalid reading has the largest score": case.invalid_reading,
            "invalid input is a named error": case.invalid_input,
            "its code version covers its code": case.code_is_covered,
            "its declared capabilities are true": case.capabilities,
        },
    )


class _Case:
    """A fitted scene detector with the scores of its laws."""

    def __init__(
        self,
        make: Callable[[], SceneDetector],
        scenes: Sequence[Sequence[DrivingFrame]],
        fresh: Sequence[DrivingFrame],
    ) -> None:
        self.make, self.scenes, self.fresh = make, list(scenes), list(fresh)
        self.fitted = instance_of("what the function returns", make(), SceneDetector).fit(self.scenes, seed=1)  # type: ignore[type-abstract]
        self.id = registered_id(scene_detectors, self.fitted)
        self.scores = self.fitted.score(self.fresh)

    def causal(self) -> None:
        cut = len(self.fresh) // 2 + 1
        _require_same(self.fitted.score(self.fresh[:cut]), self.scores[:cut], "depend on later frames")

    def online_equals_batch(self) -> None:
        state, online = self.fitted.start(), []
        for frame in self.fresh:
            state, scores = self.fitted.update(state, frame)
            online.append(scores)
        _require_same(online, self.scores, "are other ones online")

    def pure(self) -> None:
        before = {name: values.copy() for name, values in self.fitted.state_dict().items()}
        state, _ = self.fitted.update(self.fitted.start(), self.fresh[0])
        twice = [self.fitted.update(state, self.fresh[1])[1] for _ in range(2)]
        _require_same(twice[:1], twice[1:], "of the same state and frame are other ones the second time")
        _require_same(self.fitted.score(self.fresh), self.scores, "are other ones the second time")
        for name, values in self.fitted.state_dict().items():
            require(np.array_equal(values, before[name]), f"scoring changed {name}")

    def deterministic(self) -> None:
        _require_same(self.repeated[0], self.scores, "differ after training again with the same seed")

    def saved(self) -> None:
        if self.id is None:
            raise SkipLaw("it is not registered, so it cannot be saved")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "detector"
            save_scene_detector(path, self.fitted)
            _require_same(load_scene_detector(path).score(self.fresh), self.scores, "differ after loading")

    def not_degenerate(self) -> None:
        for number, (frame, scores) in enumerate(zip(self.fresh, self.scores, strict=True)):
            require(bool(scores.cameras) or bool(scores.lidars), f"frame {number} has no scores")
            for name, values in scores.cameras.items():
                _require_shape(values, frame.sensors.cameras[name].image.depth, f"frame {number}, camera {name}")
            for name, values in scores.lidars.items():
                cloud = frame.sensors.lidars[name].measured
                _require_shape(values, cloud.ranges[cloud.returned], f"frame {number}, lidar {name}")
        pooled = np.concatenate([scores.flat() for scores in self.scores])
        require(bool(np.ptp(pooled) > 0.0), f"every score is {pooled[0]:g}")

    def labels_have_no_effect(self) -> None:
        hidden = [_with_other_labels(frame) for frame in self.fresh]
        _require_same(self.fitted.score(hidden), self.scores, "depend on labels or on ground truth")

    def invalid_reading(self) -> None:
        frames = [self.fresh[0], _with_invalid_reading(self.fresh[1]), *self.fresh[2:]]
        scores = self.fitted.score(frames)
        _require_same(scores[:1], self.scores[:1], "change before an invalid reading")
        for values in scores[1].cameras.values():
            require(
                values[0, 0] == np.float32(MAX_SCORE), f"a pixel with an invalid depth has the score {values[0, 0]}"
            )
        for values in scores[1].lidars.values():
            require(values[0] == np.float32(MAX_SCORE), f"a point with an invalid coordinate has the score {values[0]}")
        for number, each in enumerate(scores[1:], 1):
            largest = int((each.flat() == np.float32(MAX_SCORE)).sum())
            expected = len(each.cameras) + len(each.lidars) if number == 1 else 0
            require(largest == expected, f"frame {number} has {largest} of the largest scores; expected {expected}")
            require(bool(np.isfinite(each.flat()).all()), f"frame {number} has a score that is not finite")

    def invalid_input(self) -> None:
        blind = replace(self.fresh[0], sensors=RigFrame({}, {}))
        cases: dict[str, Callable[[], object]] = {
            "no scenes": lambda: self.make().fit([]),
            "a scene without frames": lambda: self.make().fit([[]]),
            "a training scene with an anomaly": lambda: self.make().fit([_as_anomalous(self.fresh)]),
            "a frame without sensors": lambda: self.fitted.score([blind]),
            "a frame that is a text": lambda: self.fitted.score(["frame"]),  # type: ignore[list-item]
            "scoring before training": lambda: self.make().score(self.fresh),
        }
        for what, call in cases.items():
            require_named_error(what, call)

    @cached_property
    def repeated(self) -> tuple[list[FrameScores], set[str]]:
        """The scores after a second training, and the executed definitions."""
        detector = self.make()
        with executed(type(detector).__module__.partition(".")[0]) as found:
            scores = detector.fit(self.scenes, seed=1).score(self.fresh)
        return scores, found

    def code_is_covered(self) -> None:
        require_covered_detector(self.make, self.fitted, self.id, scene_detectors, self.repeated[1])

    def capabilities(self) -> None:
        require_gpu_tag(self.fitted, self.id, scene_detectors)


def _require_same(found: Sequence[FrameScores], expected: Sequence[FrameScores], what: str) -> None:
    for number, (first, second) in enumerate(zip(found, expected, strict=True)):
        require(np.array_equal(first.flat(), second.flat()), f"the scores of frame {number} {what}")


def _require_shape(values: Array, measured: Array | None, where: str) -> None:
    shape = None if measured is None else measured.shape
    require(values.shape == shape, f"{where}: scores have the shape {values.shape}; expected {shape}")
    require(values.dtype == np.float32, f"{where}: scores are {values.dtype}; expected float32")
    require(bool(np.isfinite(values).all()), f"{where} has a score that is not finite")


def _with_other_labels(frame: DrivingFrame) -> DrivingFrame:
    """Return a frame with other labels, instances and other road users, but the same measurements."""
    sensors, state = frame.sensors, frame.state
    cameras = {name: _relabelled_image(each) for name, each in sensors.cameras.items()}
    lidars = {name: _relabelled_cloud(each) for name, each in sensors.lidars.items()}
    other = replace(state, label=state.label + 1, anomalous=~state.anomalous, instance=state.instance + 7)
    moved = other.position.copy()
    moved[1:] += 3.0
    return replace(frame, sensors=RigFrame(cameras, lidars), state=replace(other, position=moved))


def _relabelled_image(given: CameraFrame) -> CameraFrame:
    image = given.image
    none = np.zeros_like(image.label)
    return replace(given, image=replace(image, label=none, instance=none))


def _relabelled_cloud(given: LidarFrame) -> LidarFrame:
    none = np.zeros_like(given.measured.label)
    measured = replace(given.measured, label=none, instance=none)
    return replace(given, measured=measured, exact=measured)


def _with_invalid_reading(frame: DrivingFrame) -> DrivingFrame:
    """Return a frame whose first pixels and points are invalid."""
    cameras, lidars = dict(frame.sensors.cameras), dict(frame.sensors.lidars)
    for name, camera in cameras.items():
        depth = np.array(camera.image.depth)
        depth[0, 0] = np.nan
        cameras[name] = replace(camera, image=replace(camera.image, depth=depth))
    for name, lidar in lidars.items():
        points = lidar.measured.points.copy()
        first = np.argwhere(lidar.measured.returned)[0]
        points[tuple(first)] = np.nan
        lidars[name] = replace(lidar, measured=replace(lidar.measured, points=points))
    return replace(frame, sensors=RigFrame(cameras, lidars))


def _as_anomalous(frames: Sequence[DrivingFrame]) -> list[DrivingFrame]:
    """Return frames in which an anomaly is active."""
    return [
        replace(frame, state=replace(frame.state, anomalous=np.ones_like(frame.state.anomalous))) for frame in frames
    ]
