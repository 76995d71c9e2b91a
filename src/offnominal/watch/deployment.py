"""A deployable folder: detector, alarm and checks of samples, for computers without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offnominal.alarms.files import load_alarm
from offnominal.core.checksum import read_checked_json
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.core.files import sha256_of
from offnominal.core.printable import shown
from offnominal.detectors.export.replay import OnnxModel
from offnominal.watch.channel_checks import Checks

if TYPE_CHECKING:
    from offnominal.alarms.alarm import Alarm

FORMAT = 1
MANIFEST, MODEL, ALARM, CHECKS, REPLAY = "deployment.json", "detector.onnx", "alarm.json", "checks.json", "replay.json"
FILES = (MODEL, ALARM, CHECKS, REPLAY)


@dataclass(frozen=True)
class Manifest(Config):
    """Description of a deployable folder.

    Args:
        name: Name of what is monitored.
        version: Version of this package that wrote it.
        created: Time of writing, UTC.
        detector: Id of the detector.
        parameters: Its parameters.
        alarm: Id of the alarm.
        threshold: Threshold of its statistic.
        guarantee: Its guarantee and the assumption, as text.
        observations: Names of the values of an observation.
        actions: Names of the values of an action.
        discrete_actions: Whether an action is one integer.
        episodes: Number of calibration episodes.
        transitions: Number of their transitions.
        tolerance: Largest difference of a score from that of the detector, relative to scores above 1.
        files: SHA-256 by name of each other file.
        format: Version of this description.
    """

    name: str
    version: str
    created: str
    detector: str
    alarm: str
    threshold: float
    guarantee: str
    observations: tuple[str, ...]
    actions: tuple[str, ...]
    discrete_actions: bool
    episodes: int
    transitions: int
    tolerance: float
    parameters: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def model_digest(self) -> str:
        """First digits of a hash of all files: two folders with the same digest give the same scores and alarms."""
        return sha256_of("".join(f"{name}:{self.files[name]};" for name in sorted(self.files)))[:12]


@dataclass(frozen=True)
class Deployment:
    """A deployable folder that was read and compared with its hashes.

    Args:
        folder: The folder.
        manifest: Its description.
        model: The detector, run by onnxruntime.
        alarm: The fitted alarm.
        checks: Checks of samples.
    """

    folder: Path
    manifest: Manifest
    model: OnnxModel
    alarm: Alarm
    checks: Checks

    @classmethod
    def load(cls, folder: Path | str) -> Deployment:
        """Read a folder that :func:`~offnominal.watch.deployment_writer.write_deployment` wrote.

        Raises:
            MissingFile: The folder or one of its files does not exist.
            DamagedFile: A file does not have the hash of the manifest, or cannot be read.
        """
        place = Path(folder)
        manifest = read_manifest(place)
        for name, problem in damaged_files(place, manifest).items():
            if problem:
                raise DamagedFile(f"{place / name}: {problem}; get the folder again.")
        checks = read_entries(place / CHECKS, Checks.from_dict, "the checks of a deployment")
        model = OnnxModel(place / MODEL)
        found = cls(place, manifest, model, load_alarm(place / ALARM), checks)
        found._require_consistent()
        return found

    def _require_consistent(self) -> None:
        named = tuple(each.name for each in self.checks.channels)
        if named != self.manifest.observations + self.manifest.actions:
            raise DamagedFile(f"{self.folder / CHECKS} has other channels than {MANIFEST}: {', '.join(named)}.")
        width = self.model.shape("observation")
        if width != (1, len(self.manifest.observations)):
            raise DamagedFile(
                f"{self.folder / MODEL} takes observations of shape {width}; expected one row for robots."
            )


def is_deployment(folder: Path) -> bool:
    """Return whether a path is a deployable folder."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """Return the description of a deployable folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise MissingFile(f"{folder} is no deployable folder: there is no {MANIFEST}; write one by `export-folder`.")
    data = read_checked_json(path)
    if data.get("format", FORMAT) != FORMAT:
        raise UnsupportedFormat(f"{path} has format {shown(data['format'])}; this version reads format {FORMAT}.")
    manifest: Manifest = _made(path, Manifest.from_dict, data, "the manifest of a deployment")
    if manifest.files.keys() != set(FILES):
        raise DamagedFile(f"{path} lists {', '.join(manifest.files) or 'no files'}; expected {', '.join(FILES)}.")
    return manifest


def damaged_files(folder: Path, manifest: Manifest) -> dict[str, str]:
    """Return by file what differs from the manifest; an empty text if nothing does."""
    problems = {}
    for name, expected in manifest.files.items():
        if not (folder / name).is_file():
            problems[name] = "the file is missing"
            continue
        found = sha256_of(folder / name)
        problems[name] = "" if found == expected else f"SHA-256 is {found[:12]}…, the manifest says {expected[:12]}…"
    return problems


def read_entries(path: Path, make: Any, what: str) -> Any:
    """Return what a checked JSON file describes."""
    return _made(path, make, read_checked_json(path), what)


def _made(path: Path, make: Any, data: Mapping[str, Any], what: str) -> Any:
    try:
        return make(data)
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is not {what} ({error}); get the folder again.") from None
