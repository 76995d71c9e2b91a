"""Clips: an episode and its nominal twin side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from offnominal.agents.policy import Policy
from offnominal.anomalies.factory import make
from offnominal.anomalies.fault import Fault
from offnominal.core.types import Array
from offnominal.reports.clip_files import check_clip_path, write_frames
from offnominal.rollouts.collection import collect

SCALE = 3
GAP = 12
EDGE = 4
PAPER, NOMINAL, FAULTY = (255, 255, 255), (201, 204, 209), (214, 73, 51)


def write_clip(
    path: Path, world: str, policy: Policy, fault: Fault | None = None, *, seed: int = 0, steps: int | None = None
) -> int:
    """Record an episode, beside its nominal twin if there is a fault, and return how many frames the clip has.

    The frame around the episode is red while the fault is active. The shorter episode holds its last frame.

    Args:
        path: Ends in ``.gif``, ``.mp4`` or ``.webp``.
        world: Id of the world.
        policy: The policy.
        fault: The fault; None for a nominal episode alone.
        seed: Random seed of the episode.
        steps: Stop after this many.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.agents import PotentialField
        >>> folder = TemporaryDirectory()
        >>> write_clip(Path(folder.name) / "clip.gif", "SAP-Goal0-v0", PotentialField(), steps=3)
        4
    """
    check_clip_path(path)
    sides = [list(_frames(world, policy, None, seed, steps))]
    if fault is not None:
        sides.append(list(_frames(world, policy, fault, seed, steps)))
    length = max(len(side) for side in sides)
    frames = [_composed([side[min(i, len(side) - 1)] for side in sides]) for i in range(length)]
    write_frames(path, frames, _pace(world))
    return length


def _frames(
    world: str, policy: Policy, fault: Fault | None, seed: int, steps: int | None
) -> Iterator[tuple[Array, bool]]:
    """Return the frames of an episode, and whether the fault was on."""
    (episode,) = collect(world, policy, 1, faults=fault, seed=seed, max_steps=steps, frames=True)
    return zip(episode.extras["frames"], [False, *episode.active.tolist()], strict=True)


def _composed(sides: list[tuple[Array, bool]]) -> Array:
    """Return one image: enlarged, framed, side by side."""
    parts: list[Array] = []
    for image, active in sides:
        large = image.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
        framed = np.empty((large.shape[0] + 2 * EDGE, large.shape[1] + 2 * EDGE, 3), np.uint8)
        framed[:] = FAULTY if active else NOMINAL
        framed[EDGE:-EDGE, EDGE:-EDGE] = large
        if parts:
            parts.append(np.full((len(framed), GAP, 3), PAPER, np.uint8))
        parts.append(framed)
    return np.concatenate(parts, axis=1)


def _pace(world: str) -> int:
    """Return how many frames of a world are a second."""
    env = make(world)
    pace = int(env.metadata["render_fps"])
    env.close()
    return pace
