"""Write episodes that were recorded elsewhere into a dataset."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, InvalidParameter
from offnominal.datasets.card import describe
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.dataset_builder import (
    DatasetBuilder,
    Report,
    build_folder,
    check_replaceable,
    clear,
    destination,
    is_free,
)
from offnominal.datasets.layout import Channels
from offnominal.datasets.manifest import Manifest, file_of


def save_dataset(
    folder: Path | str,
    splits: Mapping[str, Iterable[Episode]],
    *,
    world: str,
    channels: Channels | None = None,
    source: str = "save",
    overwrite: bool = False,
    report: Report = warnings.warn,
) -> Dataset:
    """Write episodes of your own, from a robot or from another package, as a dataset.

    Args:
        folder: Of the dataset; it must not hold anything else.
        splits: Episodes by the name of their split; they are written as they come.
        world: Where they come from: the id of a world, or any name.
        channels: Names of the channels, such as ``{"actions": ["left wheel", "right wheel"]}``.
        source: Where the dataset comes from, for the manifest.
        overwrite: Replace a dataset that is already there; see :func:`generate`.
        report: Told, in a line of text, if another writer is waited for.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.rollouts import collect
        >>> folder = TemporaryDirectory()
        >>> episodes = collect("SAP-Goal0-v0", lambda seen: seen[:, :2], 5)
        >>> data = save_dataset(folder.name, {"train": episodes}, world="SAP-Goal0-v0")
        >>> data["train"][3] == episodes[3]
        True
    """
    place = destination(folder)
    _check_names(splits, world, source)
    with build_folder(place, report) as shop:
        if not (overwrite or is_free(place)):
            raise AlreadyExists(f"{place} is there already; choose another folder or ask for it to be overwritten.")
        check_replaceable(place, overwrite=overwrite)
        work = DatasetBuilder(shop, Manifest.here(world, source), report)
        try:
            for name, episodes in splits.items():
                work.add(name, episodes, channels or {})
            work.finish(place, splits, describe)
        finally:
            clear(shop)
    return Dataset(place)


def _check_names(splits: Mapping[str, Iterable[Episode]], world: str, source: str) -> None:
    """Refuse names that no file or card could hold, before anything is written."""
    if not isinstance(splits, Mapping) or not splits:
        raise InvalidParameter(f"splits is {splits!r}; give episodes by the name of their split, one split at least.")
    for name in splits:
        file_of(name)
    for what, given in (("world", world), ("source", source)):
        if not isinstance(given, str) or not given.strip() or not given.isprintable():
            raise InvalidParameter(f"{what} is {given!r}; expected a name of printable characters.")
