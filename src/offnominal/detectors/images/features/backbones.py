"""Backbones by name, with their published weights."""

from __future__ import annotations

from pickle import UnpicklingError

from safetensors import SafetensorError

from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.images.features.backbone import Backbone
from offnominal.detectors.images.features.backbone_packages import PACKAGES
from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS
from offnominal.detectors.images.features.weight_files import read_weights

ENCODER = "encoder"


def require_known(name: str) -> None:
    """Raise :class:`UnknownName` unless there is a backbone of this name.

    Example:
        >>> require_known("resnet19")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no backbone named 'resnet19'. Did you mean 'resnet18'? ...
    """
    package, separator, model = name.partition(":")
    names = [ENCODER, *PUBLISHED_WEIGHTS]
    if separator and package in PACKAGES:
        if not model:
            raise InvalidParameter(f"backbone is {name!r}; name a model of {package} after the colon.")
    elif name not in names:
        raise UnknownName(
            f"no backbone named {name!r}.{did_you_mean(name, names)} There are {', '.join(names)}, and any model of a "
            f"package as {', '.join(f'{package}:NAME' for package in PACKAGES)}."
        )


def load_backbone(name: str) -> Backbone:
    """Return a backbone with its published weights; the file is downloaded at the first use.

    Args:
        name: A name in :data:`~offnominal.detectors.images.features.published_weights.PUBLISHED_WEIGHTS`, or
            ``"timm:NAME"``, ``"torchvision:NAME"`` or ``"open_clip:NAME/TAG"``.
    """
    package, separator, model = name.partition(":")
    if separator:
        return PACKAGES[package](model).eval()
    published = PUBLISHED_WEIGHTS[name]
    file = published.fetch()
    backbone = published.build()
    try:
        backbone.load_state_dict(read_weights(file, published.member, published.prefix))
    except (RuntimeError, ValueError, UnpicklingError, SafetensorError) as error:
        raise DamagedFile(
            f"{file} does not contain the weights of {name} ({str(error).splitlines()[0]}); delete it, and it is "
            "downloaded again."
        ) from None
    return backbone.eval()
