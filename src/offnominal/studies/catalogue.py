"""The studies we ship, by name, and those in users' files."""

from __future__ import annotations

import runpy
import tomllib
from importlib.resources import files
from pathlib import Path

from offnominal.core.errors import InvalidParameter
from offnominal.core.registry import Registry, Spec
from offnominal.studies.kinds import AnyStudy, study_from

studies: Registry[AnyStudy] = Registry("study")

_SHIPPED = "offnominal.studies.catalogue:shipped"
for _spec in (
    Spec("anomaly-gym", _SHIPPED, "vector detectors on all faults of six worlds", {"file": "anomaly_gym/study.toml"}),
    Spec("quickstart", _SHIPPED, "six detectors on two worlds in a minute or two", {"file": "quickstart.toml"}),
    Spec("anomaly-gym-policies", _SHIPPED, "the same under other policies", {"file": "anomaly_gym/policies.toml"}),
    Spec(
        "anomaly-gym-images",
        _SHIPPED,
        "image detectors on all faults of six worlds",
        {"file": "anomaly_gym/images.toml"},
    ),
    Spec(
        "anomaly-gym-images-policies",
        _SHIPPED,
        "image detectors under other policies",
        {"file": "anomaly_gym/image_policies.toml"},
    ),
    Spec(
        "comparison", _SHIPPED, "detectors on forty tables, fairly searched", {"file": "detector_comparison/study.toml"}
    ),
    Spec("comparison-deep", _SHIPPED, "deep detectors on sixteen tables", {"file": "detector_comparison/deep.toml"}),
    Spec(
        "comparison-images",
        _SHIPPED,
        "detectors on images, one class unseen",
        {"file": "detector_comparison/images.toml"},
    ),
    Spec(
        "comparison-images-one-in",
        _SHIPPED,
        "detectors on images, one class normal",
        {"file": "detector_comparison/images_one_in.toml"},
    ),
    Spec("ood-rl", _SHIPPED, "do agents know that their world was changed?", {"file": "ood_rl/study.toml"}),
):
    studies.register(_spec)


def shipped(file: str) -> AnyStudy:
    """Return a study that comes with the package."""
    return parse(files("offnominal.studies").joinpath(file).read_text(encoding="utf-8"), file)


def load_study(source: str | Path) -> AnyStudy:
    """Return a study by name, or from a TOML file, or from a Python file that defines `study`.

    Args:
        source: Name of a registered study, or path of a file that ends in ``.toml`` or ``.py``. A Python file is run.

    Example:
        >>> load_study("anomaly-gym").at("smoke").worlds
        ('SAP-Goal0-v0', 'MJC-CartpoleSwingup-v0')
    """
    path = Path(source)
    if path.suffix not in (".toml", ".py"):
        return studies.make(str(source))
    if not path.is_file():
        raise InvalidParameter(f"there is no file {path}; give the path of a study, or the name of a registered one.")
    if path.suffix == ".toml":
        return parse(path.read_text(encoding="utf-8"), str(path))
    study = runpy.run_path(str(path)).get("study")
    if not isinstance(study, AnyStudy):
        raise InvalidParameter(f"{path} defines no `study` that is a Study; add `study = Study(...)`.")
    return study


def parse(text: str, where: str) -> AnyStudy:
    """Return the study that a TOML text describes."""
    try:
        return study_from(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidParameter(f"{where} is no TOML: {error}.") from None
