"""Checks of the files of a Minari dataset before Minari reads them."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.errors import InvalidLog
from offnominal.core.files import file_errors, read_json
from offnominal.datasets.hdf5_files import opened_hdf5

METADATA = "metadata.json"
SPACES = ("observation_space", "action_space")


def refuse_foreign_content(name: str, folder: Path) -> None:
    """Raise :class:`InvalidLog` if reading a dataset would read other files of the machine or run code that it names.

    HDF5 files may link to other files. Without its spaces in the metadata, Minari builds the environment that the
    metadata describe, and calls whatever function they name.

    Args:
        name: Id of the dataset, for error messages.
        folder: Folder of the data, with ``metadata.json``.
    """
    with file_errors(folder):
        if not (folder / METADATA).is_file():
            raise InvalidLog(f"{name!r} is not a Minari dataset: {folder} has no {METADATA}.")
    metadata = read_json(folder / METADATA)
    for space in SPACES:
        if not isinstance(metadata.get(space), str):
            raise InvalidLog(
                f"{folder / METADATA} has no {space!r}, and Minari would call the function that its 'env_spec' names. "
                f"Add the {space} of the environment, if you trust the dataset."
            )
    with file_errors(folder):
        files = sorted(folder.rglob("*.hdf5"))
    for file in files:
        with opened_hdf5(file):
            pass
