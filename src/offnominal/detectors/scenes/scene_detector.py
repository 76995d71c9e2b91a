"""The contract of a scene detector: an anomaly score for every pixel and every point of a frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed
from offnominal.core.types import Array
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.parameters import Range, check_parameters, plain_parameters
from offnominal.detectors.scenes.frame_scores import FrameScores, Scores, bounded
from offnominal.detectors.scenes.observation import SceneObservation, checked_frame
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing
from offnominal.worlds.road.scenes import DrivingFrame

Sensor = Literal["camera", "lidar"]
Scene: TypeAlias = Iterable[DrivingFrame]
"""Frames of one drive in order: a recorded scene, a run of a scenario, or a list of frames."""
MOST_FRAMES = 10**9


@dataclass(kw_only=True, eq=False)
class SceneDetector(LearnedState):
    """Gives every pixel of a camera or every point of a lidar an anomaly score. Higher is more anomalous.

    :meth:`fit` learns from normal scenes only, and may use their semantic labels. Scoring uses a
    :class:`~offnominal.detectors.scenes.observation.SceneObservation`, which has no labels and no ground truth.
    A constructor only stores its arguments; attributes that `fit` learns end in ``_``. Scoring changes none of them and
    uses no later frame.

    Every score is finite. A pixel with an invalid depth and a point with an invalid coordinate have the score
    :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.

    A subclass implements :meth:`_fit`, :meth:`_update`, :meth:`_state_dict` and :meth:`_load_state_dict`; with memory
    also :meth:`_start`.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {}
    LEARNED: ClassVar[str] = "n_frames_"

    sensors: ClassVar[tuple[Sensor, ...]] = ("camera", "lidar")
    """Sensors that get scores; a frame needs at least one of them."""

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, scenes: Sequence[Scene], *, seed: int = 0) -> Self:
        """Learn from normal scenes.

        Args:
            scenes: Normal scenes; frames are read when they are used.
            seed: Of all random numbers of the training.

        Raises:
            InvalidParameter: There is no frame, an anomaly is active in a frame, or a sensor is missing.
        """
        seed = check_seed(seed)
        checked = NormalScenes(scenes, self)
        with all_or_nothing(self), np.errstate(all="ignore"):
            self._fit(checked, seed)
            self.n_frames_ = checked.n_frames
        return self

    @abstractmethod
    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        """Learn from checked scenes."""

    def score(self, frames: Scene) -> list[FrameScores]:
        """Return the scores of each frame of one scene."""
        return list(self.iter_scores(frames))

    def iter_scores(self, frames: Scene) -> Iterator[FrameScores]:
        """Yield the scores of each frame of one scene, one frame in memory at a time."""
        state = self.start()
        for frame in frames:
            state, scores = self.update(state, frame)
            yield scores

    def start(self) -> Any:
        """Return the state before the first frame of a scene."""
        self._require_fitted()
        return self._start()

    def _start(self) -> Any:
        """Return the state before the first frame; None for a detector without memory."""
        return None

    def update(self, state: Any, frame: DrivingFrame) -> tuple[Any, FrameScores]:
        """Return the state after a frame, and its scores; the given state is not changed.

        Args:
            state: Result of :meth:`start` or of the previous call.
            frame: The next frame of the scene. Only its measurements and the motion of the ego vehicle are used.
        """
        return self.score_observation(state, SceneObservation.of(checked_frame(frame)))

    def score_observation(self, state: Any, observation: SceneObservation) -> tuple[Any, FrameScores]:
        """Return the state after an observation, and its scores; see :meth:`update`."""
        self._require_fitted()
        self._require_sensors(observation)
        with np.errstate(all="ignore"):
            state, scores = self._update(state, observation)
        return state, self._completed(scores, observation)

    @abstractmethod
    def _update(self, state: Any, observation: SceneObservation) -> tuple[Any, FrameScores]:
        """Score an observation: pixels of cameras, and valid points of lidars."""

    def _require_sensors(self, observation: SceneObservation) -> None:
        present = {"camera": observation.cameras, "lidar": observation.lidars}
        if not any(present[sensor] for sensor in self.sensors):
            raise InvalidParameter(f"a frame has no {' and no '.join(self.sensors)}; {self.name} needs one.")

    def _completed(self, scores: FrameScores, observation: SceneObservation) -> FrameScores:
        """Return finite scores for all pixels and returns, the largest one where a measurement is invalid."""
        cameras: dict[str, Scores] = {}
        for name, values in scores.cameras.items():
            cameras[name] = np.where(observation.cameras[name].invalid, np.float32(MAX_SCORE), bounded(values))
        lidars: dict[str, Scores] = {}
        for name, values in scores.lidars.items():
            valid = observation.lidars[name].valid
            lidars[name] = np.full(len(valid), MAX_SCORE, np.float32)
            lidars[name][valid] = bounded(values)
        return FrameScores(cameras, lidars)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""
        return plain_parameters(self)

    def _shared_state(self) -> dict[str, Array]:
        return {"n_frames": np.array([self.n_frames_], np.int64)}

    def _load_shared_state(self, state: StateArrays) -> None:
        self.n_frames_ = state.integer("n_frames", low=1, high=MOST_FRAMES)


class NormalScenes:
    """Normal scenes for training; each frame is checked when it is read.

    Args:
        scenes: The scenes.
        detector: The detector that is fitted to them.
    """

    def __init__(self, scenes: Sequence[Scene], detector: SceneDetector) -> None:
        if isinstance(scenes, str | bytes) or not isinstance(scenes, Sequence) or not len(scenes):
            raise InvalidParameter(f"the scenes are {shown(scenes)}; expected a list of at least one normal scene.")
        if isinstance(scenes[0], DrivingFrame):
            raise InvalidParameter("the scenes are frames; expected a list of scenes, each with its frames.")
        self._scenes, self._detector = scenes, detector
        self.n_frames = 0

    def __len__(self) -> int:
        return len(self._scenes)

    def scene(self, number: int) -> Scene:
        """Return a scene as it was given."""
        return self._scenes[number]

    def frames(self, number: int) -> Iterator[tuple[DrivingFrame, SceneObservation]]:
        """Yield the frames of a scene, with what detectors may use of them in scoring."""
        for frame in self._scenes[number]:
            if checked_frame(frame).state.is_anomalous:
                raise InvalidParameter(
                    f"an anomaly is active in frame {frame.number} of scene {number}; fit {self._detector.name} to "
                    "normal scenes only."
                )
            observation = SceneObservation.of(frame)
            self._detector._require_sensors(observation)
            yield frame, observation

    def __iter__(self) -> Iterator[Iterator[tuple[DrivingFrame, SceneObservation]]]:
        """Yield the frames of each scene; all of them are counted."""
        self.n_frames = 0
        for number in range(len(self)):
            yield self._counted(number)
        if not self.n_frames:
            raise InvalidParameter(f"the {len(self)} scenes have no frames; give at least one.")

    def _counted(self, number: int) -> Iterator[tuple[DrivingFrame, SceneObservation]]:
        for pair in self.frames(number):
            self.n_frames += 1
            yield pair

    def observations(self) -> Iterator[SceneObservation]:
        """Yield what detectors may use of every frame of every scene."""
        for scene in self:
            for _, observation in scene:
                yield observation
