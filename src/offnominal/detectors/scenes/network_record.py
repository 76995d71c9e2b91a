"""How a scene network was trained: data, time, device and losses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter


@dataclass(frozen=True)
class TrainingRecord(Config):
    """Description of the training of a scene network.

    Args:
        detector: Registered id.
        sha256: Hash of the weights.
        scenes: Number of normal scenes.
        frames: Number of their frames.
        scenes_sha256: Hashes of the manifests of the recorded sets.
        towns: Towns of the scenes.
        weathers: Weathers of the scenes.
        seed: Seed of the training.
        device: Name of the device.
        torch: Version of torch.
        minutes: Duration of the training without reading the scenes.
        updates: Number of updates.
        validation_loss: Smallest loss on the held-out scenes.
        metrics: Results of an evaluation on other scenes, by their names.
    """

    detector: str
    sha256: str
    scenes: int
    frames: int
    scenes_sha256: tuple[str, ...]
    towns: tuple[str, ...]
    weathers: tuple[str, ...]
    seed: int
    device: str
    torch: str
    minutes: float
    updates: int
    validation_loss: float
    metrics: dict[str, Any] = field(default_factory=dict)


def record_path(path: Path | str) -> Path:
    """Return the path of the record of a detector, ``path.training.json``."""
    stem = Path(path)
    return stem.with_name(f"{stem.name}.training.json")


def write_record(path: Path | str, record: TrainingRecord) -> None:
    """Write the record of a detector beside its files."""
    write_checked_json(record_path(path), record.to_dict())


def read_record(path: Path | str) -> TrainingRecord:
    """Return the record of a detector.

    Args:
        path: Path of the detector, without extension.

    Raises:
        MissingFile: There is no record.
        DamagedFile: The file is not the record of a training, or was changed.
    """
    data = read_checked_json(record_path(path))
    try:
        return TrainingRecord.from_dict(data)
    except InvalidParameter as error:
        raise DamagedFile(f"{record_path(path)} is not the record of a training ({error}).") from None
