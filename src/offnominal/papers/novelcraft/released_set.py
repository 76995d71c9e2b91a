"""The NovelCraft set that the authors released, in the data home."""

from __future__ import annotations

import os
from pathlib import Path

from offnominal.core.directories import DATA_VARIABLE, data_home
from offnominal.core.errors import MissingFile
from offnominal.core.files import file_errors, sha256_of
from offnominal.datasets.novelcraft import NovelCraft, open_novelcraft
from offnominal.datasets.novelcraft.classes import PLUS
from offnominal.datasets.novelcraft.craft_tables import SPLITS_FILE, TARGETS
from offnominal.datasets.novelcraft.episode_files import IMAGE

RELEASED = Path("novelcraft")
"""Folder of the released set in the data home."""
REPOSITORY = "https://github.com/tufts-ai-robotics-group/polycraft-novelty-data, branch TMLR"


def open_released(*, plus: bool = False) -> NovelCraft:
    """Open the released set, and check that its images are there.

    Args:
        plus: Whether the training episodes of NovelCraft+ are needed too.

    Raises:
        MissingFile: A table, the images, or the episodes of NovelCraft+ are missing; the message says what to place.
    """
    folder = data_home() / RELEASED
    where = f"place the released set of {REPOSITORY}, at {folder}; ${DATA_VARIABLE} sets the data home."
    if not (folder / TARGETS).exists() or not (folder / SPLITS_FILE).exists():
        raise MissingFile(f"{folder} lacks {TARGETS} or {SPLITS_FILE}: {where}")
    found = open_novelcraft(folder)
    expected = [id for id, episode in found.items() if episode.split or episode.kind.is_novel]
    missing = [id for id in expected if not (folder / id).is_dir()]
    if missing:
        raise MissingFile(
            f"{folder} has no images of {len(missing)} of {len(expected)} episodes, such as {missing[0]}: expected "
            f"<class>/<episode>/<frame>.{IMAGE} and .json; {where}"
        )
    if plus and not any(episode.is_plus for episode in found.values()):
        raise MissingFile(f"{folder} has no episodes normal/{PLUS}<n> of NovelCraft+; {where}")
    return found


def released_hash(folder: Path) -> str:
    """Return the hash of the tables of a released set, and of the names and sizes of all files of its episodes."""
    lines = [sha256_of(folder / name) for name in (TARGETS, SPLITS_FILE)]
    with file_errors(folder):
        for place, folders, files in os.walk(folder):
            folders.sort()
            if Path(place) != folder:
                lines += [
                    f"{Path(place, name).relative_to(folder)} {Path(place, name).stat().st_size}"
                    for name in sorted(files)
                ]
    return sha256_of("\n".join(lines))
