"""The panels of one frame: sensors and voxel truth, and below them the scores of each detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.evaluation.scenes.elements import Elements, voxel_elements
from offnominal.reports.scene_view.frame_view import FrameView
from offnominal.reports.scene_view.score_views import (
    TRUTH,
    ScoreScale,
    draw_score_map,
    outline,
    ramp_colours,
    reduce_max,
)
from offnominal.reports.scene_view.top_view import PAPER, Image, TopView
from offnominal.reports.scene_view.voxel_views import draw_voxels_from_above, draw_voxels_obliquely
from offnominal.sensing.camera_image import CameraImage
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.labels import Label, colour_table
from offnominal.worlds.road.scenes import lidar_points

WIDE = 1.5
"""Width of a three-dimensional view, as a multiple of its height."""
LOWEST, HIGHEST = -0.5, 4.0
"""Heights with the first and the last colour of points without labels, m."""
ANOMALOUS: BoolArray = np.zeros(256, np.bool_)
ANOMALOUS[[int(label) for label in Label if label.is_anomaly]] = True


@dataclass(frozen=True, eq=False)
class Panel:
    """An image with a title."""

    title: str
    image: Image


@dataclass(frozen=True, eq=False)
class ScoredCamera:
    """Scores of a camera in the size of its panel: image, scores, and where an anomaly is."""

    image: Image
    scores: NDArray[np.float32]
    truth: BoolArray | None


@dataclass(frozen=True, eq=False)
class FrameScoring:
    """Scores of one detector in one frame, kept until the scale of all frames is known.

    Args:
        cameras: Scored cameras by name.
        points: (n, 3): points of all scored lidars in the frame of the ego vehicle.
        point_scores: (n,): their scores.
        voxels: Voxel truth.
        elements: Voxels with a score.
    """

    cameras: Mapping[str, ScoredCamera]
    points: NDArray[np.float32]
    point_scores: NDArray[np.float32]
    voxels: Voxels
    elements: Elements


@dataclass(frozen=True)
class PanelSize:
    """Size of the panels.

    Args:
        height: Height of every panel, pixels.
    """

    height: int

    @property
    def top_view(self) -> TopView:
        """View of a panel from above."""
        return TopView(self.height)

    @property
    def wide(self) -> int:
        """Width of a three-dimensional panel."""
        return round(WIDE * self.height)


def camera_names(view: FrameView, chosen: Sequence[str] | None) -> list[str]:
    """Return the names of the cameras to draw.

    Raises:
        UnknownName: The frame has no such camera.
    """
    for name in chosen or ():
        if name not in view.images:
            raise UnknownName(
                f"the scene has no camera {name!r}.{did_you_mean(name, view.images)} "
                f"Its cameras: {', '.join(view.images) or 'none'}."
            )
    return list(view.images if chosen is None else chosen)


def draw_frame(view: FrameView, cameras: Sequence[str], size: PanelSize) -> list[Panel]:
    """Return the panels of the sensors and of the voxel truth.

    Args:
        view: The frame.
        cameras: Names of the cameras.
        size: Size of the panels.

    Raises:
        InvalidParameter: There is nothing to draw: no image, no point and no voxel.
    """
    panels = [Panel(f"camera {name}", _camera_panel(view.images[name], size)) for name in cameras]
    cloud, voxels = view.cloud, view.voxels
    if cloud is not None:
        marked = None if cloud.label is None else ANOMALOUS[cloud.label]
        image = size.top_view.draw_points(cloud.points, point_colours(cloud.points, cloud.label), marked)
        panels.append(Panel("lidar, from above", image))
    if voxels is not None:
        colours = colour_table()[voxels.label]
        marked = ANOMALOUS[voxels.label]
        panels.append(Panel("voxel truth", draw_voxels_from_above(voxels, colours, size.top_view, marked)))
        panels.append(Panel("voxel truth, 3-D", draw_voxels_obliquely(voxels, colours, size.wide, size.height)))
    if not panels:
        raise InvalidParameter(f"frame {view.number} has no camera, no lidar and no voxels; there is nothing to draw.")
    return panels


def scoring_of(view: FrameView, scores: FrameScores, cameras: Sequence[str], size: PanelSize) -> FrameScoring:
    """Return what is drawn of the scores of a frame."""
    frame, voxels = view.driving, view.voxels
    assert frame is not None
    assert voxels is not None
    clouds = {name: lidar_points(frame, name, measured=True) for name in scores.lidars}
    none = np.empty(0, np.float32)
    return FrameScoring(
        {name: _scored(view.images[name], scores.cameras[name], size) for name in cameras if name in scores.cameras},
        np.concatenate([none.reshape(0, 3), *(each.points for each in clouds.values())]),
        np.concatenate([none, *(scores.lidars[name][each.source] for name, each in clouds.items())]),
        voxels,
        voxel_elements(frame, scores, truth=voxels),
    )


def draw_scoring(
    scoring: FrameScoring, scale: ScoreScale, cameras: Sequence[str], size: PanelSize, *, lidar: bool
) -> list[Panel]:
    """Return the panels of the scores of a detector, below those of :func:`draw_frame`.

    Args:
        scoring: The scores.
        scale: Their scale.
        cameras: Names of the cameras.
        size: Size of the panels.
        lidar: Whether the frame has a panel of its lidars.
    """
    panels = []
    for name in cameras:
        known = scoring.cameras.get(name)
        if known is None:
            panels.append(Panel("camera: not scored", np.full((size.height, size.wide, 3), PAPER, np.uint8)))
        else:
            panels.append(
                Panel(f"scores, camera {name}", draw_score_map(known.image, known.scores, known.truth, scale))
            )
    if lidar:
        title = "scores, lidar" if len(scoring.points) else "lidar: not scored"
        panels.append(Panel(title, size.top_view.draw_points(scoring.points, scale.colours(scoring.point_scores))))
    colours = np.full((len(scoring.voxels), 3), PAPER, np.uint8)
    found = scoring.elements
    rows = np.searchsorted(scoring.voxels.index, found.index)
    colours[rows] = scale.outcome_colours(found.scores, found.positive)
    marked = np.zeros(len(colours), np.bool_)
    marked[rows] = found.positive
    panels.append(Panel("outcomes", draw_voxels_from_above(scoring.voxels, colours, size.top_view, marked)))
    panels.append(Panel("outcomes, 3-D", draw_voxels_obliquely(scoring.voxels, colours, size.wide, size.height)))
    return panels


def point_colours(points: FloatArray | NDArray[np.float32], label: NDArray[np.uint8] | None) -> Image:
    """Return the colours of the labels of points, or of their heights without labels."""
    if label is not None:
        return colour_table()[label]
    return ramp_colours(np.clip((points[:, 2] - LOWEST) / (HIGHEST - LOWEST), 0.0, 1.0))


def _camera_panel(image: CameraImage, size: PanelSize) -> Image:
    """Return the colours of a camera, with a red outline around anomalies."""
    drawn = _resized(image, size)
    if image.label is not None:
        drawn[outline(_truth(image, drawn))] = TRUTH
    return drawn


def _scored(image: CameraImage, scores: NDArray[np.float32], size: PanelSize) -> ScoredCamera:
    drawn = _resized(image, size)
    truth = None if image.label is None else _truth(image, drawn)
    return ScoredCamera(drawn, reduce_max(scores, *drawn.shape[:2]), truth)


def _truth(image: CameraImage, drawn: Image) -> BoolArray:
    assert image.label is not None
    return np.asarray(reduce_max(ANOMALOUS[image.label], *drawn.shape[:2]), np.bool_)


def _resized(image: CameraImage, size: PanelSize) -> Image:
    from PIL import Image as Pillow

    if image.rgb is None:
        raise InvalidParameter("a camera has no colours; record the output rgb.")
    height, width = image.rgb.shape[:2]
    shape = (max(1, round(size.height * width / height)), size.height)
    return np.array(Pillow.fromarray(image.rgb).resize(shape, Pillow.Resampling.LANCZOS))
