"""Catalogue of the four public image sets."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.datasets.sources import SourceOptions, presence, read_sources

PACKAGE = "offnominal.datasets.image_sets"


@dataclass(frozen=True, slots=True)
class ImageSetEntry:
    """One image set of the catalogue.

    Attributes:
        name: Name of the set.
        shape: Height, width and channels of an image.
        images: Number of training and test images together.
        classes: Names of the labels 0, 1, 2 and so on.
        page: Web page of the data.
        licence: Licence of the data.
        sources: Alternative sources of its files, by name.

    Example:
        >>> image_set_entry("mnist").images
        70000
    """

    name: str
    shape: tuple[int, int, int]
    images: int
    classes: tuple[str, ...]
    page: str
    licence: str
    sources: SourceOptions

    @property
    def presence(self) -> str:
        """``present``, ``download`` or ``by hand``."""
        return presence(self.sources)


def image_set_names() -> tuple[str, ...]:
    """Return the names of the image sets.

    Example:
        >>> image_set_names()
        ('cifar10', 'fashion_mnist', 'mnist', 'svhn2')
    """
    return tuple(_entries())


def image_set_entry(name: str) -> ImageSetEntry:
    """Return the catalogue entry of an image set.

    Raises:
        UnknownName: No image set has that name.
    """
    entries = _entries()
    if not isinstance(name, str) or name not in entries:
        near = did_you_mean(str(name), entries)
        raise UnknownName(f"no image set named {name!r}.{near} There are {', '.join(entries)}.")
    return entries[name]


@cache
def _entries() -> dict[str, ImageSetEntry]:
    text = files(PACKAGE).joinpath("catalogue.toml").read_text(encoding="utf-8")
    sources = read_sources(PACKAGE)
    return {name: _entry(name, facts, sources[name]) for name, facts in sorted(tomllib.loads(text).items())}


def _entry(name: str, facts: dict[str, Any], sources: SourceOptions) -> ImageSetEntry:
    height, width, channels = facts.pop("shape")
    return ImageSetEntry(
        name=name, shape=(height, width, channels), classes=tuple(facts.pop("classes")), sources=sources, **facts
    )
