"""Images with the camera and the floor of the public code of Anomaly-Gym."""

from __future__ import annotations

from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.recipe import PUBLISHED_VIEWS
from offnominal.datasets.recording_changes import ChangedRecipe, RecordingChange
from offnominal.papers.anomaly_gym.recording_errors.step_counter import check_frames


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
