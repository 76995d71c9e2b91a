"""Open a dataset; make it first if need be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generate import generate
from offnominal.datasets.split import Verify
from offnominal.worlds.catalogue import NAMESPACE, worlds


def load(source: str | Path, *, verify: Verify = "hash", **options: Any) -> Dataset:
    """Return a dataset.

    Args:
        source: The folder of a dataset, or the id of a world. A world's dataset is generated on first use and kept in
            the :func:`data_home`, one for each set of options.
        verify: ``"hash"`` compares the SHA-256 of a split with the manifest when it is first read, ``"size"`` only its
            size when the dataset is opened.
        **options: Those of :func:`generate`, for worlds.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> made = generate("SAP-Goal0-v0", folder.name, episodes=3, levels=[])
        >>> load(folder.name)["train"][2].seed
        10000002
    """
    if isinstance(source, str) and source.removeprefix(f"{NAMESPACE}/") in worlds:
        return Dataset(generate(source, **options).folder, verify=verify)
    if not Path(source).is_dir():
        raise UnknownName(
            f"{str(source)!r} is neither the id of a world nor a folder.{did_you_mean(str(source), worlds.ids())} "
            "`offnominal worlds` lists the worlds."
        )
    if options:
        raise InvalidParameter(
            f"{source} is a folder, which holds what it holds; leave out {', '.join(options)}, or name a world."
        )
    return Dataset(source, verify=verify)
