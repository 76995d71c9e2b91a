"""Which files of a folder belong to its dataset, and may be removed with it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from offnominal.core.errors import AlreadyExists, OffnominalError
from offnominal.core.files import file_errors
from offnominal.datasets.manifest import MANIFEST, Manifest, read_manifest

SHOWN = 8


def owned_files(manifest: Manifest) -> set[str]:
    """Return the files that a manifest lists, itself included, as paths relative to the dataset."""
    entries = [each for entry in manifest.splits.values() for each in (entry, entry.frames) if each is not None]
    return {MANIFEST, *manifest.documents, *(entry.file for entry in entries)}


def foreign_files(folder: Path, manifest: Manifest) -> list[str]:
    """Return what else is in the folder of a dataset: other files, other folders and symbolic links, sorted.

    Symbolic links are not followed.
    """
    owned = owned_files(manifest)
    parents = {Path(file).parent.as_posix() for file in owned}
    found: list[str] = []
    with file_errors(folder):
        for place, folders, files in os.walk(folder, onerror=_raise):
            inside = Path(place).relative_to(folder)
            for name in list(folders):
                path = (inside / name).as_posix()
                if path not in parents or (folder / path).is_symlink():
                    found.append(f"{path}/")
                    folders.remove(name)
            found += [path for name in files if (path := (inside / name).as_posix()) not in owned]
    return sorted(found)


def check_removable(folder: Path) -> Manifest:
    """Return the manifest of a dataset that may be replaced; refuse if anything else would be lost with it.

    Raises:
        AlreadyExists: The folder has no readable manifest of ours, or holds files that the manifest does not list.
    """
    try:
        manifest = read_manifest(folder)
    except OffnominalError as error:
        raise AlreadyExists(
            f"{folder} is not overwritten, because it is not a readable dataset: {error} Choose another folder, or "
            "remove this one yourself."
        ) from None
    foreign = foreign_files(folder, manifest)
    if foreign:
        listed = ", ".join(foreign[:SHOWN]) + (f" and {len(foreign) - SHOWN} more" if len(foreign) > SHOWN else "")
        raise AlreadyExists(
            f"{folder} is not overwritten, because it holds files that are not part of the dataset: {listed}. Move "
            "them elsewhere, or choose another folder."
        )
    return manifest


def remove_dataset(folder: Path) -> None:
    """Remove the files that the manifest of a dataset lists, the manifest last, then the folders if they are empty."""
    with suppress(OffnominalError):
        owned = owned_files(read_manifest(folder))
        for file in sorted(owned, key=MANIFEST.__eq__):
            with suppress(OSError):
                (folder / file).unlink()
    for place in sorted({folder, *folder.glob("*/")}, reverse=True):
        with suppress(OSError):
            place.rmdir()


def _raise(error: OSError) -> None:
    raise error
