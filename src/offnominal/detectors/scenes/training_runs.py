"""Training of the scene networks on a recorded set of driving scenes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import read_json
from offnominal.datasets.scenes import DrivingScene, open_scenes
from offnominal.detectors.files import DetectorCard
from offnominal.detectors.scenes.catalogue import make_scene_detector, save_scene_detector

NETWORKS = ("MaxSoftmax", "RbA", "REAL")
"""Ids of the scene detectors with a network of their own; ``MaxLogit`` and ``Entropy`` share that of ``MaxSoftmax``."""


def train_scene_networks(
    scenes: Path | str,
    out: Path | str,
    *,
    minutes: float | None = 30.0,
    detectors: Sequence[str] = NETWORKS,
    seed: int = 0,
    device: str = "auto",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, DetectorCard]:
    """Train scene networks on the normal scenes of a recorded set, and save each in a folder.

    Scenes with an anomaly are left out. Interrupted runs resume: call the function again; a detector whose files exist
    is not trained again.

    Args:
        scenes: Folder of a set of driving scenes in the compact layout.
        out: Folder of the results, ``<id>.safetensors`` and ``<id>.json`` each.
        minutes: Minutes of training of all detectors together; reading the scenes takes additional time. None for the
            number of updates of each detector, without a limit.
        detectors: Ids of scene detectors, some of :data:`NETWORKS`.
        seed: Seed of all trainings.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        parameters: Further parameters, by the id of the detector.

    Returns:
        The cards of all detectors, by id.

    Raises:
        InvalidParameter: The set has no normal scenes.
    """
    for id in detectors:
        one_of("an entry of detectors", id, NETWORKS)
    if minutes is not None:
        number_in("minutes", minutes, 0.0, open_low=True)
    normal = normal_scenes(scenes)
    share = None if minutes is None else minutes / max(1, len(detectors))
    cards = {}
    for id in detectors:
        path = Path(out) / id
        if not path.with_name(f"{id}.json").is_file():
            given = {"device": device, "max_minutes": share, **(parameters or {}).get(id, {})}
            save_scene_detector(path, make_scene_detector(id, **given).fit(normal, seed=seed))
        cards[id] = DetectorCard.from_dict(read_json(path.with_name(f"{id}.json")))
    return cards


def normal_scenes(folder: Path | str) -> list[DrivingScene]:
    """Return the scenes of a recorded set without an anomaly: normal scenarios and nominal twins."""
    found = [scene for scene in open_scenes(folder) if scene.twin or scene.scenario.anomaly is None]
    if not found:
        raise InvalidParameter(f"{folder} has no normal scenes; record those of `offnominal scenarios make --normal`.")
    return found
