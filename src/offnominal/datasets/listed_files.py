"""Comparison of the files of a folder with those that its manifest lists."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from offnominal.core.errors import OffnominalError
from offnominal.core.files import file_errors, sha256_of


def file_problem(path: Path, sha256: str, remedy: str) -> str:
    """Return why a file is not the listed one, or an empty text.

    Args:
        path: The file.
        sha256: Hash in the manifest.
        remedy: What to do about it, for the message.
    """
    try:
        return "" if sha256_of(path) == sha256 else f"{path} is not the file that the manifest lists; {remedy}."
    except OffnominalError as error:
        return str(error)


def document_problems(folder: Path, documents: Mapping[str, str], remedy: str) -> dict[str, str]:
    """Return why files are not the listed ones, by name; intact files are left out.

    Args:
        folder: Folder of the files.
        documents: Hashes in the manifest by name.
        remedy: What to do about it, for the messages.
    """
    found = {name: file_problem(folder / name, sha256, remedy) for name, sha256 in documents.items()}
    return {name: wrong for name, wrong in found.items() if wrong}


def unlisted_files(folder: Path, owned: Collection[str]) -> Iterator[str]:
    """Yield the files of a folder that are not among the owned ones, relative to the folder and in order."""
    with file_errors(folder):
        for root, folders, files in os.walk(folder):
            folders.sort()
            inside = Path(root).relative_to(folder)
            yield from (path for name in sorted(files) if (path := (inside / name).as_posix()) not in owned)
