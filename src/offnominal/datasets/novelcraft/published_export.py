"""Export of a NovelCraft set to the published layout: one file per image and per sensed frame."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

from offnominal.core.errors import AlreadyExists
from offnominal.core.files import file_errors
from offnominal.core.progress_bar import progress
from offnominal.datasets.dataset_builder import FINISHED, Report, build_folder, clear, destination, is_free
from offnominal.datasets.novelcraft.craft_tables import COLUMNS
from offnominal.datasets.novelcraft.episode_files import IMAGE, SENSED
from offnominal.datasets.novelcraft.novelcraft import NovelCraft
from offnominal.datasets.novelcraft.novelcraft_manifest import MANIFEST, read_novelcraft_manifest


def export_published(data: NovelCraft, folder: Path | str, *, report: Report = warnings.warn) -> Path:
    """Write a set as ``<class>/<episode>/<frame>.png`` and ``.json``, with the three tables, to a new folder.

    Args:
        data: The set.
        folder: Folder that does not exist or is empty. It appears when all files are written.
        report: Called with a line of text when another process that writes there is waited for.

    Raises:
        AlreadyExists: The folder has other files.
        DamagedFile: A table is not the one that the manifest of the set lists.
        InaccessibleFile: The disk is full, or the folder cannot be written.
    """
    path = destination(folder)
    if (data.folder / MANIFEST).exists():
        read_novelcraft_manifest(data.folder).check_tables(data.folder, COLUMNS)
    if not is_free(path):
        raise AlreadyExists(f"{path} exists; choose another folder.")
    with build_folder(path, report) as hidden, progress("Exporting NovelCraft", total=len(data)) as tick:
        made = hidden / FINISHED
        with file_errors(made):
            clear(hidden)
            made.mkdir()
            for id, episode in data.items():
                (made / id).mkdir(parents=True)
                for files, frame in episode.sources:
                    for kind in (IMAGE, SENSED):
                        (made / id / f"{frame}.{kind}").write_bytes(files.read(frame, kind))
                tick(note=id)
            for name in COLUMNS:
                shutil.copyfile(data.folder / name, made / name)
            made.rename(path)
    return path
