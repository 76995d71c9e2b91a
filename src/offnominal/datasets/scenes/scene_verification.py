"""Verification of recorded driving scenes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from offnominal.core.errors import DamagedFile, OffnominalError
from offnominal.core.progress_bar import progress
from offnominal.datasets.listed_files import document_problems, unlisted_files
from offnominal.datasets.scenes.index import (
    AGAIN,
    SCENE,
    SCENES,
    SceneEntry,
    SceneIndex,
    SceneManifest,
    read_part,
    read_scene_index,
)


def verify_scenes(folder: Path | str) -> dict[str, str]:
    """Verify all files of a set of driving scenes and return the problem of each scene.

    The hash of the manifest is compared first, then those of the index, of every frame and of all other files. Missing
    files, files that are not part of the set and wrong numbers of frames are problems, too.

    Args:
        folder: Folder of the set.

    Returns:
        One line of text per scene, empty if it is intact. Other files are listed only if they have a problem.

    Raises:
        OffnominalError: The manifest is missing or damaged.
    """
    path = Path(folder)
    manifest = SceneManifest.read(path)
    problems: dict[str, str] = {}
    owned = {SCENES, *manifest.documents}
    with progress("Verifying driving scenes", total=len(manifest.scenes)) as tick:
        for id, entry in manifest.scenes.items():
            problems[id] = _problem(path, entry, owned)
            tick(note=id)
    problems |= document_problems(path, manifest.documents, AGAIN)
    return problems | dict.fromkeys(unlisted_files(path, owned), "no scene owns this file")


def _problem(folder: Path, entry: SceneEntry, owned: set[str]) -> str:
    """Return the first problem of a scene, or an empty text, and add its files to the owned ones."""
    place = folder / entry.folder
    owned.add(f"{entry.folder}/{SCENE}")
    try:
        index = read_scene_index(folder, entry)
        owned |= {f"{entry.folder}/{file}" for file in index.files}
        if len(index.frames) != entry.frames:
            return f"the index has {len(index.frames)} frames, the manifest {entry.frames}"
        return next(_wrong_frames(place, index), "")
    except OffnominalError as error:
        return str(error)


def _wrong_frames(folder: Path, index: SceneIndex) -> Iterator[str]:
    for number, frame in enumerate(index.frames):
        if frame.number != number:
            yield f"frame {number} has the number {frame.number}"
        try:
            for part in frame.parts:
                read_part(folder, part)
        except DamagedFile as error:
            yield f"frame {number}: {error}"
    yield from document_problems(folder, index.documents, AGAIN).values()
