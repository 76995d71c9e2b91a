"""Frames of the cameras of a LeRobot dataset, which are MP4 videos beside its Parquet files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidLog, MissingDependency, MissingFile, UnknownName, did_you_mean
from offnominal.core.types import Array, IntArray
from offnominal.datasets.logs.boundary import parsing, require_fits
from offnominal.datasets.parquet import name_damage

EPISODES_PER_CHUNK = 1000
FIELD = re.compile(r"\{\w+(:0?\d{1,2}d)?\}")
"""A field in the path of a video; any other could ask for a text of any length."""
EPISODES = "meta/episodes"
Place = tuple[dict[str, int], float]
"""Values in the path of a video, and the second at which an episode begins in it."""


class CameraFrames:
    """The frames of one camera, decoded on demand.

    Args:
        folder: Folder of the dataset.
        info: Content of ``meta/info.json``.
        episodes: (n,): episode of each row of the dataset.
        camera: Name of the camera, such as ``"observation.images.top"``.
        size: Height and width of the frames in pixels; their own if None.

    Raises:
        UnknownName: There is no such camera.
        InvalidLog: The description of the dataset has no videos.
    """

    def __init__(
        self, folder: Path, info: Mapping[str, Any], episodes: IntArray, camera: str, size: int | None = None
    ) -> None:
        known = cameras(info)
        if camera not in known:
            raise UnknownName(f"{folder} has no camera {camera!r}.{did_you_mean(camera, known)} It has: {known}.")
        self.folder, self.camera, self._episodes = folder, camera, episodes
        self.size = None if size is None else positive_integer("frame_size", size)
        self._template, self._fps = str(info.get("video_path") or ""), float(info.get("fps") or 0.0)
        if not self._template or not self._fps > 0.0:
            raise InvalidLog(f"meta/info.json of {folder} has no 'video_path' or no 'fps'; the videos cannot be found.")
        self._chunk = int(info.get("chunks_size") or EPISODES_PER_CHUNK)
        self._places = _shared_videos(folder, camera)

    def read(self, start: int, stop: int) -> Array:
        """Return the frames of some rows of one episode, (rows, height, width, 3) bytes."""
        with parsing(self.folder, "a LeRobot dataset"):
            return self._read(start, stop)

    def _read(self, start: int, stop: int) -> Array:
        episode = int(self._episodes[start])
        if int(self._episodes[stop - 1]) != episode:
            raise InvalidLog(f"rows {start} to {stop - 1} of {self.folder} belong to several episodes of its videos.")
        first = int(np.argmax(self._episodes == episode))
        values, begin = self._place(episode)
        seconds = begin + (start - first) / self._fps
        return video_frames(self._path(values), seconds, stop - start, fps=self._fps, size=self.size)

    def _place(self, episode: int) -> Place:
        if not self._places:
            return {"episode_chunk": episode // self._chunk, "episode_index": episode}, 0.0
        if episode not in self._places:
            raise InvalidLog(f"{EPISODES} of {self.folder} has no episode {episode}; its video cannot be found.")
        return self._places[episode]

    def _path(self, values: Mapping[str, int]) -> Path:
        if set("{}") & set(FIELD.sub("", self._template)):
            raise InvalidLog(
                f"'video_path' of {self.folder} is {self._template!r}; expected fields such as {{episode_index:06d}}."
            )
        try:
            path = self.folder / self._template.format(video_key=self.camera, **values)
        except (KeyError, IndexError, AttributeError, ValueError):
            raise InvalidLog(f"'video_path' of {self.folder} is {self._template!r}; its fields are unknown.") from None
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise InvalidLog(f"'video_path' of {self.folder} is {self._template!r}; expected a path in the folder.")
        if not path.is_file():
            raise MissingFile(f"{path} does not exist; download the videos of the dataset too.")
        return path


def cameras(info: Mapping[str, Any]) -> list[str]:
    """Return the names of the cameras of a dataset.

    Example:
        >>> cameras({"features": {"action": {"dtype": "float32"}, "observation.images.top": {"dtype": "video"}}})
        ['observation.images.top']
    """
    features = info.get("features", {})
    return [name for name, about in features.items() if isinstance(about, dict) and about.get("dtype") == "video"]


def _shared_videos(folder: Path, camera: str) -> dict[int, Place]:
    """Return the place of each episode in videos of several episodes; empty if each episode has its own video."""
    files = sorted((folder / EPISODES).rglob("*.parquet"))
    parts = ("chunk_index", "file_index", "from_timestamp")
    names = ["episode_index", *(f"videos/{camera}/{part}" for part in parts)]
    places: dict[int, Place] = {}
    for file in files:
        with name_damage(file, "a table"):
            missing = [name for name in names if name not in pq.read_schema(file).names]
            if missing:
                raise InvalidLog(f"{file} has no column {missing[0]!r}; the videos cannot be found.")
            columns = pq.read_table(file, columns=names)
        for episode, in_chunk, in_file, begin in zip(*(columns[name].to_pylist() for name in names), strict=True):
            places[int(episode)] = ({"chunk_index": int(in_chunk), "file_index": int(in_file)}, float(begin))
    return places


def video_frames(path: Path, seconds: float, count: int, *, fps: float, size: int | None = None) -> Array:
    """Return consecutive frames of a video, (count, height, width, 3) bytes.

    Args:
        path: The video.
        seconds: Time of the first frame.
        count: Number of frames.
        fps: Frames per second.
        size: Height and width of the frames in pixels; their own if None.

    Raises:
        MissingDependency: The package ``imageio-ffmpeg`` is not installed.
        InvalidLog: The video cannot be decoded, or is too short.
    """
    try:
        from imageio_ffmpeg import read_frames
    except ImportError:
        raise MissingDependency(
            'the videos of a LeRobot dataset need imageio-ffmpeg; install it with `pip install "offnominal[video]"`.'
        ) from None
    # Frames before the given time are dropped, so half a frame less keeps the wanted one.
    begin = seconds - 0.5 / fps
    before = ["-ss", f"{begin:.6f}"] if begin > 0.0 else []
    scaled = [] if size is None else ["-s", f"{size}x{size}"]
    reader = read_frames(
        str(path), pix_fmt="rgb24", input_params=before, output_params=[*scaled, "-frames:v", str(count)]
    )
    try:
        width, height = next(reader)["size"]
        require_fits(path, count * width * height * 3, f"{count} frames of {width} x {height} pixels")
        images = [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in islice(reader, count)]
    except (OSError, RuntimeError, StopIteration, ValueError) as error:
        raise InvalidLog(f"{path} cannot be decoded as a video ({str(error).splitlines()[:1]}).") from None
    finally:
        reader.close()
    if len(images) < count:
        raise InvalidLog(
            f"{path} has {len(images)} frames from second {seconds:g} on; expected {count}, one per row of the dataset."
        )
    return np.stack(images)
