"""Images with the camera and the floor of the public code of Anomaly-Gym."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Frame
from offnominal.datasets.plan import Plan
from offnominal.datasets.recipe import PUBLISHED_VIEWS
from offnominal.datasets.recording_changes import ChangedRecipe, EpisodeChange, RecordingChange
from offnominal.worlds.world_source import WorldSource


class PublishedView(RecordingChange):
    """Frames have the published camera and floor: the world is made with ``view="published"``."""

    def check(self, recipe: ChangedRecipe) -> None:
        """Raise an error if the world has no such view, or if no frames are recorded."""
        if recipe.world not in PUBLISHED_VIEWS:
            raise InvalidParameter(f"{recipe.world} has no published_view; only {', '.join(PUBLISHED_VIEWS)} has one.")
        check_frames("published_view", recipe)

    def world_options(self) -> dict[str, Any]:
        """Return the view."""
        return {"view": "published"}


ROW, COLUMN = 13, 114
"""Pixel of the first digit in an image of 128 x 128 pixels."""
COVERAGE = np.array([139, 88, 135, 143, 128, 140, 146, 113, 152, 146]) / 255.0
"""How much of its pixel a black digit covers. The font of the original has 4 points, so that a digit is one pixel."""


class StepCounter(RecordingChange):
    """Frames show the number of their step."""

    def check(self, recipe: ChangedRecipe) -> None:
        """Raise an error if no frames are recorded."""
        check_frames("step_counter", recipe)

    def episode_change(self, plan: Plan, world: WorldSource, max_steps: int | None) -> EpisodeChange:
        """Return what prints the counter into the frames of an episode."""
        return lambda episode, _: with_step_counter(episode)


def check_frames(name: str, recipe: ChangedRecipe) -> None:
    """Raise an error if a recipe with a change of frames records none."""
    if not recipe.frames:
        raise InvalidParameter(f"{name} changes frames only; record them with frames=True.")


def with_step_counter(episode: Episode) -> Episode:
    """Return an episode with its step counter in every frame, where and as small as in the original.

    Example:
        >>> frames = np.full((12, 128, 128, 3), 255, np.uint8)
        >>> episode = Episode(np.zeros((12, 1)), np.zeros((11, 1)), np.zeros(11), np.zeros(11, bool))
        >>> found = with_step_counter(replace(episode, extras={FRAMES: frames})).extras[FRAMES]
        >>> found[0, 13, 114, 0], found[11, 13, 114:117, 0]
        (np.uint8(116), array([167, 167, 255], dtype=uint8))
    """
    counted = np.stack(list(_counted(episode)))
    return replace(episode, extras={**episode.extras, FRAMES: counted})


def _counted(episode: Episode) -> Iterator[Frame]:
    for step, frame in enumerate(episode.extras[FRAMES]):
        digits = [int(digit) for digit in str(step)]
        pixels = ROW, slice(COLUMN, COLUMN + len(digits))
        printed = frame.copy()
        printed[pixels] = np.rint(printed[pixels] * (1.0 - COVERAGE[digits, None]))
        yield printed
