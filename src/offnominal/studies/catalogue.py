"""The studies we ship, by name, and those in users' files."""

from __future__ import annotations

import json
import runpy
import tomllib
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path

from offnominal.core.errors import InvalidParameter, MissingFile
from offnominal.core.files import read_text
from offnominal.core.registry import Registry, Spec
from offnominal.studies.kinds import AnyStudy, study_from

studies: Registry[AnyStudy] = Registry("study")

_SHIPPED = "offnominal.studies.catalogue:shipped"
for _spec in (
    Spec(
        "anomaly-gym",
        _SHIPPED,
        "vector detectors on all faults of six worlds",
        {"file": "papers/anomaly_gym/study.toml"},
    ),
    Spec("quickstart", _SHIPPED, "six detectors on two worlds in a minute or two", {"file": "studies/quickstart.toml"}),
    Spec(
        "anomaly-gym-policies", _SHIPPED, "the same under other policies", {"file": "papers/anomaly_gym/policies.toml"}
    ),
    Spec(
        "anomaly-gym-images",
        _SHIPPED,
        "image detectors on all faults of six worlds",
        {"file": "papers/anomaly_gym/images.toml"},
    ),
    Spec(
        "anomaly-gym-images-policies",
        _SHIPPED,
        "image detectors under other policies",
        {"file": "papers/anomaly_gym/image_policies.toml"},
    ),
    Spec(
        "comparison", _SHIPPED, "detectors on forty tables, fairly searched", {"file": "papers/comparison/study.toml"}
    ),
    Spec("comparison-deep", _SHIPPED, "deep detectors on sixteen tables", {"file": "papers/comparison/deep.toml"}),
    Spec(
        "comparison-images",
        _SHIPPED,
        "detectors on images, one class unseen",
        {"file": "papers/comparison/images.toml"},
    ),
    Spec(
        "comparison-images-one-in",
        _SHIPPED,
        "detectors on images, one class normal",
        {"file": "papers/comparison/images_one_in.toml"},
    ),
    Spec("ood-rl", _SHIPPED, "do agents know that their world was changed?", {"file": "papers/ood_rl/study.toml"}),
):
    studies.register(_spec)


def shipped(file: str) -> AnyStudy:
    """Return a study that comes with the package."""
    return parse(files("offnominal").joinpath(file).read_text(encoding="utf-8"), file)


def load_study(source: str | Path, *, allow_modules: Collection[str] = ()) -> AnyStudy:
    """Return a study by name, or from a TOML file, or from a Python file that defines `study`.

    Args:
        source: Name of a registered study, or path of a file that ends in ``.toml`` or ``.py``. A Python file is run.
        allow_modules: Packages whose classes a TOML file may name although they are not registered through an entry
            point. Classes are imported when the study is run, and importing runs code: allow what you trust.

    Raises:
        ModuleNotAllowed: The TOML file names a class of another package.

    Example:
        >>> load_study("anomaly-gym").at("smoke").worlds
        ('SAP-Goal0-v0', 'MJC-CartpoleSwingup-v0')
    """
    path = Path(source)
    if path.suffix not in (".toml", ".py"):
        return studies.make(str(source))
    try:
        text = read_text(path)
    except MissingFile:
        raise InvalidParameter(
            f"there is no file {path}; give the path of a study, or the name of a registered one."
        ) from None
    if path.suffix == ".toml":
        return parse(text, str(path), allow_modules=allow_modules)
    study = runpy.run_path(str(path)).get("study")
    if not isinstance(study, AnyStudy):
        raise InvalidParameter(f"{path} defines no `study` that is a Study; add `study = Study(...)`.")
    return study


def parse(text: str, where: str, *, allow_modules: Collection[str] = ()) -> AnyStudy:
    """Return the study that a TOML text describes.

    Args:
        text: Its content.
        where: Named in errors.
        allow_modules: See :func:`load_study`.
    """
    try:
        data = tomllib.loads(text)
        # Cells are named by a hash of their JSON, which has no dates and ends somewhere.
        json.dumps(data)
    except RecursionError:
        raise InvalidParameter(f"{where} is not a study: it is nested too deeply.") from None
    except (ValueError, TypeError) as error:
        raise InvalidParameter(f"{where} is not a study in TOML: {error}.") from None
    return study_from(data, allow_modules=allow_modules)
