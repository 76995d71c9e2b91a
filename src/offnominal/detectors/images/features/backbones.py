"""Backbones by name, and their published weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from offnominal.core.directories import data_home
from offnominal.core.download import fetch_file
from offnominal.core.errors import DamagedFile, InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.images.features.backbone import Backbone
from offnominal.detectors.images.features.backbone_packages import PACKAGES
from offnominal.detectors.images.features.clip_vit import ClipVit
from offnominal.detectors.images.features.dino_vit import DinoVit
from offnominal.detectors.images.features.resnet18 import ResNet18
from offnominal.detectors.images.features.vgg16 import VGG16

ENCODER = "encoder"


@dataclass(frozen=True, slots=True)
class PublishedWeights:
    """A backbone whose weights are published as a file.

    Args:
        build: Returns the backbone with random weights.
        url: Address of the file.
        file: Name of the file in the data home.
        sha256: Hash of the file; empty if none is published. Then the first download is trusted and its hash kept.
        prefix: Prefix of the backbone's weights in the file.
    """

    build: Callable[[], Backbone]
    url: str
    file: str
    sha256: str = ""
    prefix: str = ""


PUBLISHED_WEIGHTS = {
    "resnet18": PublishedWeights(
        ResNet18,
        "https://download.pytorch.org/models/resnet18-f37072fd.pth",
        "resnet18-f37072fd.pth",
        "f37072fd47e89c5e827621c5baffa7500819f7896bbacec160b1a16c560e07ec",
    ),
    "dino_vits16": PublishedWeights(
        DinoVit,
        "https://dl.fbaipublicfiles.com/dino/dino_deitsmall16_pretrain/dino_deitsmall16_pretrain.pth",
        "dino_deitsmall16_pretrain.pth",
    ),
    "clip_vit_b32": PublishedWeights(
        ClipVit,
        "https://huggingface.co/timm/vit_base_patch32_clip_224.openai/resolve/"
        "a6f597a30f7b82c51704746581f9a4e41421e878/open_clip_model.safetensors",
        "clip_vit_b32_openai.safetensors",
        "e6d1bd7789aa45192b3bf90570a789b478bae1b74ebcce7eddd908e83a2b7c31",
        "visual.",
    ),
    "vgg16": PublishedWeights(
        VGG16,
        "https://download.pytorch.org/models/vgg16-397923af.pth",
        "vgg16-397923af.pth",
        "397923af8e79cdbb6a7127f12361acd7a2f83e06b05044ddf496e83de57a5bf0",
    ),
}


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
        name: One of ``"resnet18"``, ``"dino_vits16"``, ``"clip_vit_b32"``, ``"vgg16"``, ``"timm:NAME"``,
            ``"torchvision:NAME"`` and ``"open_clip:NAME/TAG"``.
    """
    package, separator, model = name.partition(":")
    if separator:
        return PACKAGES[package](model).eval()
    published = PUBLISHED_WEIGHTS[name]
    file = fetch_file(published.url, data_home() / "weights", name=published.file, sha256=published.sha256)
    backbone = published.build()
    try:
        backbone.load_state_dict(_weights(file, published.prefix))
    except (RuntimeError, ValueError, UnpicklingError, SafetensorError) as error:
        raise DamagedFile(
            f"{file} does not contain the weights of {name} ({str(error).splitlines()[0]}); delete it, and it is "
            "downloaded again."
        ) from None
    return backbone.eval()


def _weights(file: Path, prefix: str) -> dict[str, Tensor]:
    """Read weights; code in the file is never executed."""
    if file.suffix == ".safetensors":
        with safe_open(file, framework="pt") as content:
            names = [name for name in content.keys() if name.startswith(prefix)]  # noqa: SIM118
            return {name.removeprefix(prefix): content.get_tensor(name).float() for name in names}
    read: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    return read
