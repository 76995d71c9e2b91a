"""Opening datasets; those of a recipe or a world are generated on first use."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.directories import find_data_home
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generation import generate
from offnominal.datasets.manifest import MANIFEST
from offnominal.datasets.recipe import Recipe
from offnominal.datasets.split import Verify
from offnominal.worlds.catalogue import NAMESPACE, worlds


def load_dataset(source: str | Path | Recipe, *, verify: Verify = "hash") -> Dataset:
    """Return a dataset.

    Args:
        source: Folder of a dataset or its name in the data home, a recipe, or the id of a world. The dataset of a
            recipe is generated on first use and kept in the :func:`~offnominal.core.directories.data_home`. A world id
            stands for ``Recipe.for_world(id)``.
        verify: ``"hash"`` compares the SHA-256 of a split with the manifest when it is first read, ``"size"`` only its
            size when the dataset is opened.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[]), folder.name)
        >>> load_dataset(folder.name)["train"][2].seed
        10000002
    """
    if isinstance(source, str) and source.removeprefix(f"{NAMESPACE}/") in worlds:
        source = Recipe.for_world(source)
    if isinstance(source, Recipe):
        return Dataset(generate(source).folder, verify=verify)
    if not isinstance(source, Path | str):
        raise InvalidParameter(
            f"{source!r} is a {type(source).__name__}; expected a folder, a recipe or the id of a world."
        )
    with file_errors(source):
        is_folder = bool(str(source)) and Path(source).is_dir()
    if not is_folder and (home := find_data_home()) is not None:
        with file_errors(home / source):
            stored = (home / source / MANIFEST).is_file()
        if stored:
            return Dataset(home / source, verify=verify)
    if not is_folder:
        raise UnknownName(
            f"{str(source)!r} is neither the id of a world nor a folder.{did_you_mean(str(source), worlds.ids())} "
            "`offnominal worlds` lists the worlds."
        )
    return Dataset(source, verify=verify)


def dataset_folders(where: Path | str | None = None) -> list[Path]:
    """Return the folders of the datasets in a folder, intact or damaged.

    Args:
        where: A folder of datasets, the folder of one dataset, or its name in the
            :func:`~offnominal.core.directories.data_home`. If None, the data home.

    Raises:
        UnknownName: There is no such folder.
    """
    home = find_data_home()
    if where is None:
        return _inside(home) if home else []
    with file_errors(where):
        for folder in (Path(where), *([home / where] if home else [])):
            if (folder / MANIFEST).is_file():
                return [folder]
            if folder.is_dir():
                return _inside(folder)
    known = [path.name for path in _inside(home)] if home else []
    raise UnknownName(
        f"{str(where)!r} is neither a folder nor a dataset in the data home.{did_you_mean(str(where), known)} "
        "`offnominal datasets` lists the data home."
    )


def _inside(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
