"""Datasets of episodes that were recorded elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from offnominal.core.checks import file_name
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, InvalidParameter
from offnominal.core.files import write_text
from offnominal.datasets.card import README, SCORE_FIGURE, describe
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
from offnominal.datasets.manifest import FRAMES_FOLDER, MANIFEST, SPLITS, Manifest, file_of

OWN_FILES = {MANIFEST, README, SCORE_FIGURE, SPLITS, FRAMES_FOLDER}


def save_dataset(
    folder: Path | str,
    splits: Mapping[str, Iterable[Episode]],
    *,
    world: str,
    channels: Channels | None = None,
    source: str = "save",
    documents: Mapping[str, str] | None = None,
    overwrite: bool = False,
    report: Report = warnings.warn,
) -> Dataset:
    """Write your own episodes, from a robot or from another package, as a dataset.

    Args:
        folder: Folder of the dataset, which must not contain other files.
        splits: Episodes by name of the split; iterables are written without being held in memory.
        world: Id of the world, or any name.
        channels: Names of the channels, such as ``{"actions": ["left wheel", "right wheel"]}``.
        source: Origin of the dataset, for the manifest.
        documents: Other texts by the names of their files, which are written beside the manifest and listed in it.
        overwrite: Whether to replace an existing dataset; see :func:`generate`.
        report: Called with a line of text if another writer is waited for.

    Raises:
        AlreadyExists: The folder is not empty, or has files that are not part of a dataset.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.rollouts import collect
        >>> folder = TemporaryDirectory()
        >>> episodes = collect("SAP-Goal0-v0", lambda observations: observations[:, :2], 5)
        >>> data = save_dataset(folder.name, {"train": episodes}, world="SAP-Goal0-v0")
        >>> data["train"][3] == episodes[3]
        True
    """
    path = destination(folder)
    _check_names(splits, world, source)
    texts = {file_name("an entry of documents", name): text for name, text in (documents or {}).items()}
    if clash := OWN_FILES.intersection(texts):
        raise InvalidParameter(f"documents has {min(clash)!r}, which every dataset has; choose another name.")

    def write_documents(made: Path, manifest: Manifest) -> None:
        describe(made, manifest)
        for name, text in texts.items():
            write_text(made / name, text)

    with build_folder(path, report) as unfinished:
        if not (overwrite or is_free(path)):
            raise AlreadyExists(f"{path} already exists; choose another folder, or pass overwrite=True.")
        check_replaceable(path, overwrite=overwrite)
        builder = DatasetBuilder(unfinished, Manifest.here(world, source), report)
        try:
            for name, episodes in splits.items():
                builder.add(name, episodes, channels or {})
            builder.finish(path, splits, write_documents)
        finally:
            clear(unfinished)
    return Dataset(path)


def _check_names(splits: Mapping[str, Iterable[Episode]], world: str, source: str) -> None:
    """Raise if a name cannot be used in a file name or a card."""
    if not isinstance(splits, Mapping) or not splits:
        raise InvalidParameter(f"splits is {splits!r}; give a mapping from names to episodes, with at least one split.")
    for name in splits:
        file_of(name)
    for what, given in (("world", world), ("source", source)):
        if not isinstance(given, str) or not given.strip() or not given.isprintable():
            raise InvalidParameter(f"{what} is {given!r}; expected a name of printable characters.")
