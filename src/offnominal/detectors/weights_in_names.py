"""Names of detectors that say which weights they have, where their own name says others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

UNTRAINED = "-untrained"
ENCODER = "encoder"
SMALL_ENCODER, RANDOM_ENCODER = "small encoder", "random encoder"
PUBLISHED = {"KNN-ResNet": "resnet18", "DINO-Patch": "dino_vits16", "CLIP-Sim": "clip_vit_b32"}
"""The backbone that the name of a detector means; by default they have a small encoder that `fit` trains."""
CLASSES = {
    "KNNResNet": "KNN-ResNet",
    "DINOPatch": "DINO-Patch",
    "CLIPSim": "CLIP-Sim",
    "FeatureMahalanobis": "Feature-Mahalanobis",
}
"""The feature detectors, by their class."""
CLASSIFIERS = ("DeepEnsemble", "Energy", "FeatureSVM", "MaxLogit", "MaxSoftmax", "NDCC", "ODIN", "ClassMahalanobis")
"""Detectors with a classifier of the normal classes; by default it has a small encoder too."""
MEANS = {
    "resnet": "resnet18",
    "res-knn": "resnet18",
    "dino": "dino_vits16",
    "clip": "clip_vit_b32",
    "vgg": "vgg16",
    "efficientnet": "efficientnet_lite",
    **{f"lite{number}": f"efficientnet_lite{number}" for number in range(3)},
}
"""How the backbone begins that a reader expects by a part of a name, in small letters."""
OPEN = ("feature-mahalanobis", "featuremahalanobis")
"""Parts of names that mean no weights at all; those that a detector has always stand behind them."""


def name_with_weights(name: str, detector: str, parameters: Mapping[str, Any]) -> str:
    """Return the name of a detector, with its weights behind it if it has others than the name says.

    Args:
        name: Name in tables, such as its id.
        detector: Its registered id, or ``"package.module:Class"``.
        parameters: Arguments of its constructor.

    Example:
        >>> name_with_weights("KNN-ResNet", "KNN-ResNet", {})
        'KNN-ResNet (small encoder)'
        >>> name_with_weights("KNN-ResNet", "KNN-ResNet", {"backbone": "resnet18"})
        'KNN-ResNet'
        >>> (
        ...     name_with_weights("KNN-VGG", "KNN-ResNet", {"backbone": "vgg16_conv"}),
        ...     name_with_weights("VGG", "CLIP-Sim", {}),
        ... )
        ('KNN-VGG', 'VGG (small encoder)')
        >>> name_with_weights("KNN-encoder", "KNN-ResNet", {}), name_with_weights("KNN", "KNN", {})
        ('KNN-encoder', 'KNN')
    """
    kind = detector.removesuffix(UNTRAINED)
    id = CLASSES.get(kind.partition(":")[2], kind)
    backbone = parameters.get("backbone", ENCODER)
    used = backbone if isinstance(backbone, str) else ""
    expected = [start for part, start in MEANS.items() if part in name.lower()]
    open_to_any = not expected and any(part in name.lower() for part in OPEN)
    fits = not open_to_any and all(used.startswith(start) for start in expected)
    if id not in (*CLASSES.values(), *CLASSIFIERS) or fits:
        return name
    if backbone == ENCODER:
        random = detector.endswith(UNTRAINED) or parameters.get("n_epochs") == 0
        weights = RANDOM_ENCODER if random else SMALL_ENCODER
    else:
        weights = backbone if isinstance(backbone, str) else getattr(backbone, "__name__", type(backbone).__name__)
    return name if weights in name else f"{name} ({weights})"


def table_with_weights(table: Any) -> Any:
    """Return rows of results whose names say which weights detectors have; see :func:`name_with_weights`.

    Rows of early versions have the id alone. Rows without the columns `name`, `detector` and `parameters` are returned
    as they are.

    Args:
        table: An Arrow table.

    Example:
        >>> import pyarrow as pa
        >>> row = {"name": "DINO-Patch", "detector": "DINO-Patch", "parameters": '{"bank_size": 50}'}
        >>> table_with_weights(pa.Table.from_pylist([row]))["name"].to_pylist()
        ['DINO-Patch (small encoder)']
    """
    if not {"name", "detector", "parameters"} <= set(table.column_names):
        return table
    import pyarrow as pa

    columns = [table[column].to_pylist() for column in ("name", "detector", "parameters")]
    names = [_shown(*row) for row in zip(*columns, strict=True)]
    if names == columns[0]:
        return table
    at = table.column_names.index("name")
    return table.set_column(at, table.schema.field(at), pa.array(names, table.schema.field(at).type))


@cache
def _shown(name: str | None, detector: str | None, parameters: str | None) -> str | None:
    """Return the name in a row, whose parameters are JSON."""
    if name is None or detector is None:
        return name
    try:
        given = json.loads(parameters or "{}")
    except ValueError:
        return name
    if not isinstance(given, list):
        return name_with_weights(name, detector, given if isinstance(given, Mapping) else {})
    # Rows of NovelCraft have several detectors, and the parameters of their method before those of the detectors.
    for id, parameters_of_part in zip(detector.split(", "), given[1:], strict=False):
        name = name_with_weights(name, id, parameters_of_part if isinstance(parameters_of_part, Mapping) else {})
    return name
