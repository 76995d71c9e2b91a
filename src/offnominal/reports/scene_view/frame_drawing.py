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
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_image import CameraImage, render
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Material
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Box
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.labels import Label, colour_table
from offnominal.worlds.road.scenes import lidar_points
from offnominal.worlds.road.scenes.voxel_view import voxel_mesh

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


HEADROOM = 6.0
"""Voxels above this height are left out, m: the crowns of trees and roofs would hide the road."""
AHEAD, BEHIND, ASIDE = 42.0, 14.0, 24.0
"""Part of the grid that the three-dimensional view shows, m."""
EYE, TARGET = (-21.0, 7.0, 19.0), (13.0, -1.0, 0.0)
BACKGROUND = (0.953, 0.957, 0.965)
LIGHT = Light(
    towards_sun=(-0.5, 0.45, 0.9),
    sun=(0.42, 0.41, 0.39),
    above=(0.62, 0.62, 0.63),
    below=(0.4, 0.4, 0.4),
    shadows=False,
)
EGO_SIZE = (4.6, 1.9, 1.5)


def draw_voxels_from_above(
    voxels: Voxels, colours: NDArray[np.uint8], view: TopView, marked: BoolArray | None = None
) -> Image:
    """Return voxels from above, each column in the colour of its highest voxel below :data:`HEADROOM`.

    Args:
        voxels: The voxels.
        colours: (n, 3): a colour for each voxel.
        view: Size and reach of the view.
        marked: (n,): voxels of anomalies, which are drawn above others, with a circle.
    """
    centres = voxels.centres
    low = centres[:, 2] < HEADROOM
    special = None if marked is None else marked[low]
    return view.draw_squares(centres[low], colours[low], voxels.grid.voxel_size, special)


def draw_voxels_obliquely(voxels: Voxels, colours: NDArray[np.uint8], width: int, height: int) -> Image:
    """Return voxels as cubes, seen from behind and above the ego vehicle, with the ray caster.

    Args:
        voxels: The voxels.
        colours: (n, 3): a colour for each voxel.
        width: Width of the image.
        height: Height of the image.
    """
    kept = _near(voxels)
    things = [Instance(Box(EGO_SIZE), (0.0, 0.0, 0.5 * EGO_SIZE[2] + 0.2), material=Material((0.97, 0.97, 0.97)))]
    if kept.any():
        things.append(Instance(voxel_mesh(voxels.grid, voxels.index[kept], colours[kept])))
    scene = Scene(tuple(things), LIGHT, Sky(BACKGROUND, BACKGROUND))
    camera = Camera(EYE, TARGET, width, height, 46.0, samples=2)
    image = render(scene, camera, ("rgb",)).rgb
    assert image is not None
    return image


def _near(voxels: Voxels) -> BoolArray:
    x, y, z = voxels.centres.T
    near: BoolArray = (x > -BEHIND) & (x < AHEAD) & (np.abs(y) < ASIDE) & (z < HEADROOM)
    return near
