"""Verification of NovelCraft sets."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.progress_bar import progress
from offnominal.datasets.listed_files import document_problems, file_problem, unlisted_files
from offnominal.datasets.novelcraft.episode_files import ARCHIVE
from offnominal.datasets.novelcraft.novelcraft_manifest import AGAIN, MANIFEST, read_novelcraft_manifest


def verify_novelcraft(folder: Path | str) -> dict[str, str]:
    """Verify all files of a set and return the problem of each episode.

    The hash of the manifest is compared first, then that of every archive and table. Missing files, files that are not
    part of the set, and episodes that are not those of the recipe are problems, too.

    Args:
        folder: Folder of the set.

    Returns:
        One line of text per episode, empty if it is intact. Other files are listed only if they have a problem.

    Raises:
        OffnominalError: The manifest is missing or damaged.
    """
    path = Path(folder)
    manifest = read_novelcraft_manifest(path)
    problems: dict[str, str] = {}
    with progress("Verifying NovelCraft", total=len(manifest.episodes)) as tick:
        for id, entry in manifest.episodes.items():
            problems[id] = file_problem(path / entry.file, entry.sha256, AGAIN)
            tick(note=id)
    problems |= document_problems(path, manifest.documents, AGAIN)
    planned = {plan.id: f"{plan.id}{ARCHIVE}" for plan in manifest.recipe.plans()}
    if planned != {id: entry.file for id, entry in manifest.episodes.items()}:
        problems[MANIFEST] = "the episodes are not those of the recipe"
    owned = {MANIFEST, *manifest.documents, *(entry.file for entry in manifest.episodes.values())}
    return problems | dict.fromkeys(unlisted_files(path, owned), "no episode owns this file")
