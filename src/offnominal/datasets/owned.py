"""Files that belong to a dataset and may be removed with it."""

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
    entries = [part for entry in manifest.splits.values() for part in (entry, entry.frames) if part is not None]
    return {MANIFEST, *manifest.documents, *(entry.file for entry in entries)}


def foreign_files(folder: Path, manifest: Manifest) -> list[str]:
    """Return files, folders and symbolic links in the folder of a dataset that are not part of it, sorted.

    Symbolic links are not followed.
    """
    owned = owned_files(manifest)
    parents = {Path(file).parent.as_posix() for file in owned}
    found: list[str] = []
    with file_errors(folder):
        for root, folders, files in os.walk(folder, onerror=_raise):
            inside = Path(root).relative_to(folder)
            for name in list(folders):
                path = (inside / name).as_posix()
                if path not in parents or (folder / path).is_symlink():
                    found.append(f"{path}/")
                    folders.remove(name)
            found += [path for name in files if (path := (inside / name).as_posix()) not in owned]
    return sorted(found)


def check_removable(folder: Path) -> Manifest:
    """Return the manifest of a dataset that may be replaced.

    Raises:
        AlreadyExists: The folder has no readable manifest, or has files that the manifest does not list.
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
    """Remove the files of a dataset, the manifest last, and then its folders if they are empty."""
    with suppress(OffnominalError):
        owned = owned_files(read_manifest(folder))
        for file in sorted(owned, key=MANIFEST.__eq__):
            with suppress(OSError):
                (folder / file).unlink()
    for path in sorted({folder, *folder.glob("*/")}, reverse=True):
        with suppress(OSError):
            path.rmdir()


def _raise(error: OSError) -> None:
    raise error
