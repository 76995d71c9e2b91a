"""A dataset: a folder of splits with a manifest."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import get_args

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.datasets.manifest import Manifest, read_manifest
from offnominal.datasets.split import Split, Verify, counted

LISTED = 4
NOT_EVALUATED = ("train", "validation", "twins")
"""Splits that no detector is evaluated on, whatever their labels are."""


class Dataset:
    """Mapping from the names of splits to splits.

    Size and existence of every file are checked when the dataset is opened. With ``verify="hash"`` the SHA-256 of a
    split is also compared when it is first read, which costs less than reading it.

    Args:
        folder: Folder of the dataset.
        verify: ``"hash"`` or ``"size"``.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import Recipe, generate
        >>> folder = TemporaryDirectory()
        >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[]), folder.name)
        >>> data["train"][0].seed
        10000000
        >>> data["tset"]
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no split 'tset' in SAP-Goal0-v0. Did you mean 'test'? ...
    """

    def __init__(self, folder: Path | str, *, verify: Verify = "hash") -> None:
        if verify not in get_args(Verify):
            raise InvalidParameter(f"verify is {verify!r}; choose 'hash' or 'size'.")
        self.manifest: Manifest = read_manifest(folder)
        self.folder = Path(folder)
        self._splits = {
            name: Split(name, self.folder, entry, world=self.world, verify=verify)
            for name, entry in self.manifest.splits.items()
        }
        for split in self._splits.values():
            split.check("size")

    @property
    def world(self) -> str:
        """Id of the world, or another name for the source of the episodes."""
        return self.manifest.world

    @property
    def splits(self) -> list[str]:
        """Names of the splits."""
        return list(self._splits)

    @property
    def faults(self) -> dict[tuple[str, str], str]:
        """Names of the splits with faults, by anomaly and level."""
        recipe = self.manifest.recipe
        return {(cell.anomaly, cell.level): cell.name for cell in recipe.cells} if recipe else {}

    @property
    def faulty(self) -> list[str]:
        """Names of the splits with faults: those of the recipe, or without one those with active labels."""
        if self.manifest.recipe:
            return list(self.faults.values())
        entries = self.manifest.splits.items()
        return [name for name, entry in entries if entry.statistics.faulty > 0 and name not in NOT_EVALUATED]

    def images(self) -> Dataset:
        """Return the dataset with frames as observations; see :meth:`Split.images`.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> from offnominal.datasets import Recipe, generate
            >>> folder = TemporaryDirectory()
            >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=2, levels=[], frames=True), folder.name)
            >>> data.images()["train"][0].observations.shape[1:]
            (3, 128, 128)
        """
        images = copy(self)
        images._splits = {name: split.images() for name, split in self._splits.items()}
        return images

    def __getitem__(self, name: str) -> Split:
        """Return a split; raise :class:`UnknownName` with the nearest existing name if there is none."""
        if name in self._splits:
            return self._splits[name]
        raise UnknownName(
            f"no split {name!r} in {self.world}.{did_you_mean(str(name), self._splits)} "
            f"It has: {', '.join(self._splits)}."
        )

    def __contains__(self, name: object) -> bool:
        return name in self._splits

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)

    def __repr__(self) -> str:
        names = [*self.splits[:LISTED], "…"] if len(self) > LISTED + 1 else self.splits
        episodes = counted(sum(len(split) for split in self._splits.values()), "episode")
        return f"Dataset({self.world}, {counted(len(self), 'split')} with {episodes}: {', '.join(names)})"
