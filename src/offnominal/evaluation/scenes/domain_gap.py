"""The gap between simulated scenes and photographs: trained here and tested there, and the reverse.

The rules are the same for every detector and set. Photographs with an even position in their set train, those with an
odd one test. A photograph trains with its widest strip without an anomaly, since no set has images for training.
All frames of the test scenes are tested; a pixel of an anomaly is positive, and no pixel is void.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter, MissingFile
from offnominal.core.printable import shown
from offnominal.datasets.scenes.reading import DrivingScene
from offnominal.datasets.scenes.road_images import (
    ANOMALY,
    NORMAL,
    ROAD_IMAGE_SETS,
    RoadImage,
    RoadImages,
    open_road_images,
)
from offnominal.detectors.scenes.scene_detector import Scene, SceneDetector
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.road_image_metrics import RoadImageMetrics, evaluate_road_images, image_scores
from offnominal.worlds.road.scenes.labelled_voxels import ANOMALIES

HERE = "simulated"


@dataclass(frozen=True, slots=True)
class GapRow:
    """A detector that is trained on one domain and tested on one.

    Args:
        trained: Domain of the training.
        tested: Domain of the test.
        metrics: Its metrics.
    """

    trained: str
    tested: str
    metrics: RoadImageMetrics

    def columns(self) -> dict[str, Any]:
        """Return a row of a table."""
        found: dict[str, Any] = {"trained on": self.trained, "tested on": self.tested, "images": self.metrics.images}
        ranking = self.metrics.ranking
        for name, value in (("auroc", ranking.auroc), ("aupr", ranking.average_precision), ("fpr95", ranking.fpr95)):
            found |= value.columns(name)
        return found


@dataclass(frozen=True)
class DomainGap:
    """The gap between domains.

    Args:
        rows: A row for every pair of the simulated domain and a set of photographs, and for each domain with itself.
        missing: One line for each set that is not in the data home.
        left_out: Why images are left out, by their archive members.
    """

    rows: tuple[GapRow, ...]
    missing: tuple[str, ...]
    left_out: dict[str, str]


def measure_gap(
    make: Callable[[], SceneDetector],
    train: Sequence[Scene],
    test: Iterable[DrivingScene],
    *,
    sets: Sequence[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> DomainGap:
    """Train a detector of colours here and there, and test both here and there.

    Args:
        make: Function that returns an unfitted detector of colours, such as the class ``PatchKNN``.
        train: Normal simulated scenes.
        test: Simulated scenes with anomalies.
        sets: Names of sets of photographs; None are all.
        replicates: Bootstrap replicates.
        seed: Seed of the training and of the bootstrap.

    Raises:
        UnknownName: There is no such set.
        DamagedFile: An archive has another MD5.
    """
    names = tuple(ROAD_IMAGE_SETS) if sets is None else tuple(sets)
    found: dict[str, RoadImages] = {}
    missing: list[str] = []
    for name in names:
        try:
            found[name] = open_road_images(name)
        except MissingFile:
            missing.append(ROAD_IMAGE_SETS[name].missing)
    scenes = list(test)
    tests: dict[str, Callable[[], Iterator[RoadImage]]] = {HERE: partial(images_of, scenes)}
    tests |= {name: partial(odd, images) for name, images in found.items()}
    trained = {HERE: _made(make).fit(train, seed=seed)}
    trained |= {name: _made(make).fit([normal_frames(images)], seed=seed) for name, images in found.items()}
    rows = tuple(
        GapRow(one, two, evaluate_road_images(image_scores(detector), tests[two](), replicates=replicates, seed=seed))
        for one, detector in trained.items()
        for two in tests
        if HERE in (one, two) or one == two
    )
    left_out = {member: reason for images in found.values() for member, reason in images.left_out.items()}
    return DomainGap(rows, tuple(missing), left_out)


def _made(make: Callable[[], SceneDetector]) -> SceneDetector:
    made = make()
    if not isinstance(made, SceneDetector):
        raise InvalidParameter(f"the result of make is {shown(made)}; expected a scene detector.")
    return made


def images_of(scenes: Iterable[DrivingScene]) -> Iterator[RoadImage]:
    """Yield the images of all cameras of all frames, with the labels of photographs."""
    positive = [int(label) for label in ANOMALIES]
    for scene in scenes:
        for frame in scene:
            for name, camera in frame.sensors.cameras.items():
                image = camera.image
                if image.rgb is None or image.label is None:
                    raise InvalidParameter(
                        f"camera {name!r} of scene {scene.id} has no colours or no labels; record both."
                    )
                label = np.where(np.isin(image.label, positive), np.uint8(ANOMALY), np.uint8(NORMAL))
                yield RoadImage(f"{scene.id}/{frame.number}/{name}", image.rgb, label, scene.scenario_id)


def odd(images: RoadImages) -> Iterator[RoadImage]:
    """Yield the intact images with an odd position, which test."""
    return (image for position, image in _numbered(images) if position % 2)


def normal_frames(images: RoadImages) -> list[Any]:
    """Return the normal parts of the intact images with an even position, which train, as frames.

    Raises:
        InvalidParameter: None of them has a normal part.
    """
    parts = [image.normal_part() for position, image in _numbered(images) if position % 2 == 0]
    frames = [part.frame(number) for number, part in enumerate(part for part in parts if part is not None)]
    if not frames:
        raise InvalidParameter(f"no image of {images.about.title} has an upright strip without an anomaly.")
    return frames


def _numbered(images: RoadImages) -> Iterator[tuple[int, RoadImage]]:
    """Yield the intact images with their positions in the set, which others do not change."""
    positions = {id: position for position, (id, _, _) in enumerate(images.pairs)}
    return ((positions[image.id], image) for image in images.intact())
