"""Prediction of the next depth image from the motion of the ego vehicle and of every surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.parameters import POSITIVE, Range
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.observation import CameraObservation, SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector, Sensor
from offnominal.detectors.scenes.surfaces import closing_speeds, followed, limits, means, medians, surfaces
from offnominal.detectors.state_arrays import StateArrays

MOVING = 0.5
"""Speed from which a surface counts as moving, m/s."""
SMALLEST = 24
"""Least number of pixels of a surface whose motion is measured."""
LOWEST, HIGHEST = 0.8, 4.5
"""Largest heights of the lowest and of the highest pixel of a road user, m."""
SPREAD = 1.5
"""Largest median deviation of the speeds of pixels from their median with which a surface is followed, m/s."""
STEADY = 0.5
"""The same up to which a surface stands or moves in the direction of view, and not across it, m/s."""
ALIKE = 1.6
"""Largest ratio of the visible areas of one surface in two images."""
HARDEST = 15.0
"""Largest acceleration of a road user, m/s²; a larger change of speed is another surface."""
N_MAPS = 6
"""Number of maps of a track."""
WIDEST = 512
"""Larger images are reduced to at most so many columns."""


class Track(NamedTuple):
    """What is remembered of one camera.

    Args:
        image: The last image, reduced.
        maps: (6, height, width): speed of each pixel's surface, its unexpected gain and loss of speed so far, all in
            m/s, its visible area, and x and y of its centre, m; NaN where they are unknown.
    """

    image: CameraObservation
    maps: FloatArray


class Memory(NamedTuple):
    """The state between two frames: their time, and a track by the name of each camera."""

    seconds: float
    tracks: Mapping[str, Track]


@dataclass(kw_only=True, eq=False)
class Motion(SceneDetector):
    """Unexpected change of speed of each visible surface, m/s.

    The next depth image is predicted from the last one: the camera moves as the ego vehicle does, and every surface
    moves on with its speed. A surface is a connected set of pixels above the road. Its speed is the median of those of
    its pixels in the direction of view; where these differ, as those of a car that turns do, it is the speed of its
    centre over ground. The difference between image and prediction is its change of speed. Cars accelerate and brake in
    normal scenes as well, so a cumulative sum (CUSUM; Page, 1954) subtracts at each step what is usual in normal
    scenes, and follows the surface through the images. Nothing is subtracted while a surface stands still, and the sum
    begins again when it drives on.

    Args:
        quantile: Quantile of the accelerations of surfaces in normal scenes that is still usual.
        max_seconds: Largest time between two frames; after a longer one the detector starts again.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "quantile": Range(0.5, 1.0, open_high=True),
        "max_seconds": POSITIVE,
    }
    sensors: ClassVar[tuple[Sensor, ...]] = ("camera",)

    quantile: float = 0.9
    max_seconds: float = 2.5

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        samples = [np.zeros(1)]
        for scene in scenes:
            state = self._start()
            for _, observation in scene:
                seconds = observation.seconds - state.seconds
                state, changes = self._advance(state, observation, usual=0.0)
                samples += [np.abs(each) / seconds for each in changes.values()]
        self.usual_ = float(np.quantile(np.concatenate(samples), self.quantile))

    def _start(self) -> Memory:
        return Memory(-np.inf, {})

    def _update(self, state: Memory, observation: SceneObservation) -> tuple[Memory, FrameScores]:
        after, _ = self._advance(state, observation, usual=self.usual_)
        scores = {}
        for name, track in after.tracks.items():
            height, width = observation.cameras[name].depth.shape
            found = np.nan_to_num(track.maps[1:3]).max(axis=0)
            stride = _stride(width)
            scores[name] = found.repeat(stride, axis=0).repeat(stride, axis=1)[:height, :width].astype(np.float32)
        return after, FrameScores(scores)

    def _advance(
        self, state: Memory, observation: SceneObservation, *, usual: float
    ) -> tuple[Memory, dict[str, FloatArray]]:
        """Return the state after a frame, and by camera the changes of speed of moving surfaces in this frame."""
        seconds = observation.seconds - state.seconds
        tracks, changes = {}, {}
        for name, full in observation.cameras.items():
            image, last = full.reduced(_stride(full.depth.shape[1])), state.tracks.get(name)
            if last is None or not 0.0 < seconds <= self.max_seconds or last.image.depth.shape != image.depth.shape:
                tracks[name] = Track(image, np.full((N_MAPS, *image.depth.shape), np.nan))
            else:
                height = image.points()[..., 2] - observation.position[2]
                maps, changes[name] = _moved(image, height, last, seconds, usual * seconds)
                tracks[name] = Track(image, maps)
        return Memory(observation.seconds, tracks), changes

    def _state_dict(self) -> dict[str, Array]:
        return {"usual": np.array([self.usual_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.usual_ = state.number("usual", low=0.0, high=1e6)


def _stride(width: int) -> int:
    return -(-width // WIDEST)


def _moved(
    image: CameraObservation, height: FloatArray, last: Track, seconds: float, allowed: float
) -> tuple[FloatArray, FloatArray]:
    """Return the maps after an image, and the changes of speed of its moving surfaces, m/s."""
    pixels = closing_speeds(image, last.image, seconds)
    surface, n = surfaces(image.depth.astype(np.float64), height, pixels)
    speed = medians(pixels, surface, n)
    spread = medians(np.abs(pixels - _painted(speed, surface)), surface, n)
    size = np.bincount(surface[np.isfinite(pixels) & (surface >= 0)], minlength=n)
    # A pixel covers an area that grows with the square of its depth.
    area = size * medians(image.depth.astype(np.float64), surface, n) ** 2
    low, high = limits(height, surface, n)
    road_user = (size >= SMALLEST) & (low <= LOWEST) & (high <= HIGHEST)
    closing = np.where(road_user & (spread <= SPREAD), speed, 0.0)
    earlier = followed(last.maps, image, last.image, np.nan_to_num(_painted(closing, surface)) * seconds)
    before, gain, loss, area_before, *centre_before = (medians(each, surface, n) for each in earlier)
    centre = means(image.points()[..., :2], surface, n)
    across = np.hypot(*(centre - np.stack(centre_before))) / seconds
    speed = np.where(spread <= STEADY, np.abs(speed), across)
    speed[~road_user] = np.nan
    change = speed - before
    same = (np.abs(np.log(area / area_before)) < np.log(ALIKE)) & (np.abs(change) <= HARDEST * seconds)
    stood, stands = (np.abs(each) <= MOVING for each in (before, speed))
    same &= stands | ~stood
    usual = np.where(stood & stands, 0.0, allowed)
    step, gain, loss = (np.where(same, each, 0.0) for each in (change, gain, loss))
    sums = np.maximum(gain + step - usual, 0.0), np.maximum(loss - step - usual, 0.0)
    maps = np.stack([_painted(each, surface) for each in (speed, *sums, area, *centre)])
    return maps, change[same & (np.abs(before) > MOVING)]


def _painted(values: FloatArray, surface: IntArray) -> FloatArray:
    """Return the value of the surface of each pixel; NaN where there is none."""
    return np.append(values, np.nan)[surface]
