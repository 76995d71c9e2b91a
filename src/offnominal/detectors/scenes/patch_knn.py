"""Patch memory: distance of an image patch to the nearest patches of normal scenes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates, uniform_filter

from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.parameters import STEPS, Range
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.detectors.scenes.nominal_rows import CANDIDATES, NominalRows, RowSample
from offnominal.detectors.scenes.observation import SceneObservation
from offnominal.detectors.scenes.scene_detector import NormalScenes, SceneDetector, Sensor
from offnominal.detectors.state_arrays import StateArrays

DESCRIPTORS = "descriptors"
Describe = Callable[[NDArray[np.uint8]], FloatArray]
"""From an image (height, width, 3) to features (rows, columns, width)."""
AROUND = 5
"""Side of the surroundings of a patch, in patches."""


@dataclass(kw_only=True, eq=False)
class PatchKNN(SceneDetector):
    """Mean distance of the features of an image patch to those of the nearest normal patches.

    The memory is a greedy k-centre subset of the patches of normal scenes, as in PatchCore (Roth et al., 2022).

    Args:
        backbone: Feature extractor. ``"descriptors"``: colour, contrast, edges, surroundings and row of a patch; they
            have no weights. ``"resnet18"``, ``"dino_vits16"``, ``"timm:NAME"``, ``"torchvision:NAME"`` and others: the
            patch features of a published network, applied to square parts of the image. A function from an image to
            features (rows, columns, width) also works, but such a detector cannot be saved.
        patch_size: Side of a patch of the descriptors, in pixels of an image with 768 columns.
        memory_size: Largest number of normal patches in the memory.
        n_neighbors: Number of neighbours.
        device: Device of a published network: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"patch_size": Range(2, 256), "memory_size": STEPS, "n_neighbors": STEPS}
    sensors: ClassVar[tuple[Sensor, ...]] = ("camera",)

    backbone: str | Callable[..., Any] = DESCRIPTORS
    patch_size: int = 16
    memory_size: int = 4096
    n_neighbors: int = 3
    device: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.backbone, str):
            if not callable(self.backbone):
                raise InvalidParameter(f"backbone is {shown(self.backbone)}; expected a name or a function of images.")
        elif self.backbone != DESCRIPTORS:
            choose_device(self.device)
            from offnominal.detectors.images.features.backbones import require_known

            require_known(self.backbone)

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        draw = Stream.named(seed, 0, "patches").generator()
        sample = RowSample(CANDIDATES * self.memory_size, draw)
        self.describe_ = self._describe()
        for observation in scenes.observations():
            for camera in observation.cameras.values():
                features = self.describe_(camera.rgb)
                sample.add(features.reshape(-1, features.shape[2]))
        self.memory_ = NominalRows.of(sample.rows(), self.memory_size, draw)

    def _describe(self) -> Describe:
        if not isinstance(self.backbone, str):
            return self.backbone
        if self.backbone == DESCRIPTORS:
            return lambda rgb: patch_descriptors(rgb, max(2, round(self.patch_size * rgb.shape[1] / 768)))
        from offnominal.detectors.scenes.backbone_patches import BackbonePatches

        return BackbonePatches(self.backbone, self.device)

    def _update(self, state: None, observation: SceneObservation) -> tuple[None, FrameScores]:
        scores = {}
        for name, camera in observation.cameras.items():
            features = self.describe_(camera.rgb)
            rows, columns, width = features.shape
            distances = self.memory_.distances(features.reshape(-1, width), self.n_neighbors)
            scores[name] = _enlarged(distances.reshape(rows, columns), camera.depth.shape)
        return None, FrameScores(scores)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""
        if not isinstance(self.backbone, str):
            raise InvalidParameter("the backbone is a function, which cannot be saved; fit the detector again.")
        return super().get_params()

    def _state_dict(self) -> dict[str, Array]:
        return self.memory_.arrays()

    def _load_state_dict(self, state: StateArrays) -> None:
        self.describe_ = self._describe()
        self.memory_ = NominalRows.restored(state, 1)


def _enlarged(values: FloatArray, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return a map interpolated to the pixels of an image."""
    places = [
        np.clip((np.arange(size) + 0.5) * n / size - 0.5, 0, n - 1) for n, size in zip(values.shape, shape, strict=True)
    ]
    grid = np.meshgrid(*places, indexing="ij")
    return np.asarray(map_coordinates(values.astype(np.float32), grid, order=1, mode="nearest"), np.float32)


def patch_descriptors(rgb: NDArray[np.uint8], patch_size: int) -> FloatArray:
    """Return descriptors (rows, columns, 15) of overlapping patches, two per patch size in each direction.

    They are the mean colour, the standard deviation of the brightness, the mean vertical and horizontal edge, the mean
    colour and edges of the surroundings, the difference from the surroundings in brightness, and the row and
    the distance from the middle column in the image.

    Args:
        rgb: (height, width, 3): colours.
        patch_size: Side of a patch, in pixels.
    """
    image = rgb.astype(np.float32) / 255.0
    brightness = image.mean(axis=2)
    down = np.abs(np.diff(brightness, axis=0, prepend=brightness[:1]))
    right = np.abs(np.diff(brightness, axis=1, prepend=brightness[:, :1]))
    stride = max(1, patch_size // 2)
    planes = [*np.moveaxis(image, 2, 0), brightness, brightness**2, down, right]
    start = min(stride // 2, min(brightness.shape) - 1)
    red, green, blue, mean, square, vertical, horizontal = (
        uniform_filter(each, patch_size, mode="nearest")[start::stride, start::stride] for each in planes
    )
    contrast = np.sqrt(np.maximum(square - mean**2, 0.0))
    wide = [
        uniform_filter(each, 2 * AROUND, mode="nearest") for each in (red, green, blue, contrast, vertical, horizontal)
    ]
    rows, columns = mean.shape
    row = np.broadcast_to(np.linspace(0.0, 1.0, rows)[:, None], mean.shape)
    column = np.broadcast_to(np.abs(np.linspace(-1.0, 1.0, columns)), mean.shape)
    apart = np.abs(mean - sum(wide[:3]) / 3.0)
    return np.stack([red, green, blue, contrast, vertical, horizontal, *wide, apart, row, column], axis=2).astype(
        np.float64
    )
