"""Clips: an episode and its nominal twin side by side."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly
from offnominal.anomalies.fault import Fault
from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.core.types import Frame, Frames
from offnominal.detectors.detector import Detector
from offnominal.reports.clip_files import check_clip_path, encode_frames, write_frames
from offnominal.reports.clip_layout import ClipSide, compose
from offnominal.rollouts.collection import rollout
from offnominal.worlds.catalogue import worlds

SIZE = 320
"""Pixels per side of an episode in a clip."""

TOGETHER = 6
"""Faults of a gallery whose frames are in memory at once."""


def write_clip(
    path: Path,
    world: str,
    policy: Policy,
    fault: Fault | None = None,
    *,
    seed: int = 0,
    steps: int | None = None,
    size: int = SIZE,
    detector: Detector | None = None,
) -> int:
    """Record an episode, beside its nominal twin if there is a fault, and return how many frames the clip has.

    Labels show the state (nominal or faulty), the fault, the step and, with a detector, the score and its curve. The
    border is red while the fault is active. The shorter episode keeps its last frame. Under a camera fault, the clip
    shows the images of the camera, enlarged.

    Args:
        path: Ends in ``.webp``, ``.gif`` or ``.mp4``.
        world: Id of the world.
        policy: The policy.
        fault: The fault; None for a nominal episode alone.
        seed: Random seed of the episode.
        steps: Stop after this many.
        size: Pixels per side of each episode.
        detector: Fitted detector, whose scores are shown.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.agents import PotentialField
        >>> folder = TemporaryDirectory()
        >>> write_clip(Path(folder.name) / "clip.webp", "SAP-Goal0-v0", PotentialField(), steps=3)
        4
    """
    check_clip_path(path)
    frames = clip_frames(world, policy, fault, seed=seed, steps=steps, size=size, detector=detector)
    write_frames(path, frames, _pace(world))
    return len(frames)


def clip_bytes(
    world: str,
    policy: Policy,
    fault: Fault | None = None,
    *,
    seed: int = 0,
    steps: int | None = 200,
    size: int = 240,
    detector: Detector | None = None,
    suffix: str = ".webp",
    limit: int = 500_000,
) -> bytes:
    """Return a clip as bytes of limited size, for pages.

    A clip that is too large keeps its duration and loses frames until it fits.

    Args:
        world: Id of the world.
        policy: The policy.
        fault: The fault; None for a nominal episode alone.
        seed: Random seed of the episode.
        steps: Stop after this many; None for whole episodes.
        size: Pixels per side of each episode.
        detector: Fitted detector, whose scores are shown.
        suffix: ``".webp"`` or ``".gif"`` for the element ``img``, ``".mp4"`` for ``video``.
        limit: Largest number of bytes.

    Raises:
        InvalidParameter: Not even two frames fit.

    Example:
        >>> from offnominal.agents import PotentialField
        >>> clip = clip_bytes("SAP-Goal0-v0", PotentialField(), Fault("action/offset", 0.5, 2), steps=5)
        >>> clip[:4], clip[8:12]
        (b'RIFF', b'WEBP')
    """
    frames = clip_frames(world, policy, fault, seed=seed, steps=steps, size=size, detector=detector)
    return limited_clip(frames, _pace(world), suffix=suffix, limit=limit)


def limited_clip(frames: Sequence[Frame], pace: float, *, suffix: str = ".webp", limit: int) -> bytes:
    """Return frames as a clip of at most `limit` bytes; frames are left out, evenly, until it fits.

    Args:
        frames: Arrays of shape (height, width, 3), uint8.
        pace: Frames per second.
        suffix: ``".webp"``, ``".gif"`` or ``".mp4"``.
        limit: Largest number of bytes.
    """
    every = 1
    while True:
        kept = list(frames[::every])
        clip = encode_frames(suffix, kept, pace / every)
        if len(clip) <= limit:
            return clip
        if len(kept) <= 2:
            raise InvalidParameter(
                f"two frames of the clip need {len(clip)} bytes, and the limit is {limit}; choose a smaller size."
            )
        every = max(every + 1, ceil(0.9 * every * len(clip) / limit))


def write_gallery(
    folder: Path,
    world: str,
    policy: Policy,
    faults: Sequence[Fault],
    *,
    seed: int = 0,
    steps: int | None = None,
    size: int = SIZE,
    suffix: str = ".webp",
) -> list[Path]:
    """Write one clip per fault into a folder; the nominal twin is simulated and rendered once for several.

    Args:
        folder: The folder; it is made if it does not exist.
        world: Id of the world.
        policy: The policy.
        faults: The faults.
        seed: Random seed of the episode.
        steps: Stop after this many.
        size: Pixels per side of each episode.
        suffix: ``".webp"``, ``".gif"`` or ``".mp4"``.

    Returns:
        Paths of the clips, named after the anomalies: ``action-noise.webp``.
    """
    paths = [folder / f"{fault.id.replace('/', '-')}{suffix}" for fault in faults]
    for path in paths:
        check_clip_path(path)
    kinds = [isinstance(fault.kind, CameraAnomaly) for fault in faults]
    for camera in (False, True):
        chosen = [number for number, kind in enumerate(kinds) if kind is camera]
        for first in range(0, len(chosen), TOGETHER):
            part = chosen[first : first + TOGETHER]
            rows = [(), *((faults[number],) for number in part)]
            nominal, *faulty = _episodes(world, policy, rows, seed, steps, size)
            for number, episode in zip(part, faulty, strict=True):
                frames = compose([_side(each, size, None) for each in (nominal, episode)])
                write_frames(paths[number], frames, _pace(world))
    return paths


def clip_frames(
    world: str,
    policy: Policy,
    fault: Fault | None = None,
    *,
    seed: int = 0,
    steps: int | None = None,
    size: int = SIZE,
    detector: Detector | None = None,
) -> list[Frame]:
    """Return the frames of a clip; arguments are those of :func:`write_clip`."""
    faults: list[tuple[Fault, ...]] = [()] if fault is None else [(), (fault,)]
    episodes = _episodes(world, policy, faults, seed, steps, size)
    return compose([_side(episode, size, detector) for episode in episodes])


def _episodes(
    world: str, policy: Policy, faults: list[tuple[Fault, ...]], seed: int, steps: int | None, size: int
) -> list[Episode]:
    """Return one episode per entry, with frames: images for people, or those of the camera if it has a fault."""
    seeds = np.full(len(faults), seed, np.int64)
    if any(isinstance(fault.kind, CameraAnomaly) for entry in faults for fault in entry):
        return rollout(world, policy, seeds, faults, max_steps=steps, frames=True)
    return rollout(world, policy, seeds, faults, max_steps=steps, render_size=size)


def _side(episode: Episode, size: int, detector: Detector | None) -> ClipSide:
    frames = episode.extras[FRAMES]
    if frames.shape[1] != size:
        frames = _enlarged(frames, size)
    title = " + ".join(f"{event.anomaly} {event.parameter:.3g}" for event in episode.events)
    scores = None if detector is None else detector.score([episode])[0]
    return ClipSide(title, frames, episode.active, scores)


def _enlarged(frames: Frames, size: int) -> Frames:
    """Return frames of another size; each pixel stays one colour."""
    index = np.arange(size) * frames.shape[1] // size
    return frames[:, index][:, :, index]


def _pace(world: str) -> int:
    """Return how many frames of a world are a second."""
    return round(1 / worlds.card(world).dt)
