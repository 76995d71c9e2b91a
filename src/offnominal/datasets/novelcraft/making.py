"""Making of NovelCraft sets."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from offnominal.core.checks import instance_of, positive_integer
from offnominal.core.errors import AlreadyExists, OffnominalError
from offnominal.core.files import sha256_of, write_json, write_text
from offnominal.core.progress_bar import progress
from offnominal.datasets.dataset_builder import (
    FINISHED,
    STARTED,
    Report,
    add_to_journal,
    build_folder,
    destination,
    is_free,
    journal_entries,
    put_in_place,
    remove_incomplete,
    remove_leftovers,
    start_again,
)
from offnominal.datasets.manifest import MANIFEST as BEGUN
from offnominal.datasets.novelcraft.classes import ALL_CLASSES, NORMAL, PLUS
from offnominal.datasets.novelcraft.craft_tables import SPLITS_FILE, SUMMARY, TARGETS, table_text, target_rows
from offnominal.datasets.novelcraft.episode_recorder import EpisodeJob, RecordedEpisode
from offnominal.datasets.novelcraft.novelcraft import NovelCraft, open_novelcraft
from offnominal.datasets.novelcraft.novelcraft_manifest import (
    MANIFEST,
    NovelCraftManifest,
    read_novelcraft_manifest,
)
from offnominal.datasets.novelcraft.novelcraft_recipe import NovelCraftRecipe
from offnominal.datasets.novelcraft.split_rule import choose_splits
from offnominal.datasets.recording_processes import recorded
from offnominal.worlds.craft.novelty_truth import LEAST

TYPICAL_FRAMES = 50
"""Frames of an episode, for the progress bar."""


def make_novelcraft(
    recipe: NovelCraftRecipe | None = None,
    folder: Path | str = "novelcraft",
    *,
    workers: int = 1,
    report: Report = warnings.warn,
) -> NovelCraft:
    """Play all episodes of a recipe and write them to a new folder, with the three published tables.

    The folder appears when all episodes are finished. Interrupted runs resume: call the function again. Equal recipes
    give equal bytes on the same platform and versions, for any number of workers. If the folder already has this set,
    nothing is done.

    Args:
        recipe: Description of the set; None for the published numbers of episodes.
        folder: Folder that does not exist or is empty.
        workers: Number of processes.
        report: Called with a line of text when an earlier run is resumed, discarded or waited for.

    Raises:
        AlreadyExists: The folder has other files.
        InaccessibleFile: The disk is full, or the folder cannot be written.
    """
    wanted = NovelCraftRecipe() if recipe is None else instance_of("recipe", recipe, NovelCraftRecipe)
    positive_integer("workers", workers)
    path = destination(folder)
    if _exists(path, wanted):
        remove_leftovers(path)
    else:
        with build_folder(path, report) as hidden:
            # Another process may have finished it while this one waited.
            if not _exists(path, wanted):
                _make(hidden, path, NovelCraftManifest.here(wanted), workers, report)
    return open_novelcraft(path)


def _exists(folder: Path, recipe: NovelCraftRecipe) -> bool:
    """Whether the folder has the set of the recipe; raise if it has something else."""
    if is_free(folder):
        return False
    if not (folder / MANIFEST).is_file():
        raise AlreadyExists(f"{folder} exists and is not a NovelCraft set; choose another folder.")
    if read_novelcraft_manifest(folder).recipe != recipe:
        raise AlreadyExists(f"{folder} has the NovelCraft set of another recipe; choose another folder.")
    return True


def _make(hidden: Path, folder: Path, manifest: NovelCraftManifest, workers: int, report: Report) -> None:
    plans = manifest.recipe.plans()
    finished = _begin(hidden, manifest, report)
    jobs = [EpisodeJob(plan, hidden / FINISHED) for plan in plans if plan.id not in finished]
    typical = min(TYPICAL_FRAMES, manifest.recipe.max_frames)
    with progress("Recording NovelCraft", total=typical * len(plans)) as tick:
        tick(sum(each.entry.frames for each in finished.values()))
        for id, each in recorded(jobs, workers, tick):
            add_to_journal(hidden, id, each)
            finished[id] = each
    _finish(hidden, folder, manifest, {plan.id: finished[plan.id] for plan in plans})


def _begin(hidden: Path, manifest: NovelCraftManifest, report: Report) -> dict[str, RecordedEpisode]:
    """Return the finished episodes of an interrupted run of the same recipe, or prepare the hidden folder."""
    begun = hidden / STARTED / BEGUN
    if begun.exists():
        if manifest.is_begun(begun):
            finished = dict(_intact(hidden))
            report(f"Resuming in {hidden}: {len(finished)} episodes are already finished.")
            return finished
        report(f"Discarding an unfinished set of another recipe or version in {hidden}.")
    start_again(hidden)
    write_json(begun, manifest.to_dict())
    return {}


def _intact(hidden: Path) -> Iterator[tuple[str, RecordedEpisode]]:
    """Yield the episodes of the journal whose lines and files are intact."""
    for id, each in journal_entries(hidden, RecordedEpisode):
        try:
            intact = sha256_of(hidden / FINISHED / each.entry.file) == each.entry.sha256
        except (ValueError, TypeError, OffnominalError):
            continue
        if intact:
            yield id, each


def _finish(hidden: Path, folder: Path, manifest: NovelCraftManifest, episodes: Mapping[str, RecordedEpisode]) -> None:
    """Write the tables and the manifest, and move the set to its folder."""
    made = hidden / FINISHED
    remove_incomplete(made)
    texts = tables(episodes)
    for name, text in texts.items():
        write_text(made / name, text)
    complete = manifest.replace(
        episodes={id: each.entry for id, each in episodes.items()},
        documents={name: sha256_of(text) for name, text in texts.items()},
    )
    complete.write(made)
    put_in_place(hidden, folder)


def tables(episodes: Mapping[str, RecordedEpisode]) -> dict[str, str]:
    """Return the texts of the three published tables.

    Args:
        episodes: All episodes by ``class/episode``. Those of NovelCraft+ are in no table.
    """
    listed = {id: each for id, each in episodes.items() if PLUS not in id}
    kept: dict[str, dict[str, int]] = {}
    for id, each in listed.items():
        name, _, episode = id.partition("/")
        every = name == NORMAL
        kept.setdefault(name, {})[episode] = sum(every or fraction >= LEAST for fraction in each.fractions)
    splits = choose_splits({name: counts for name, counts in kept.items() if not ALL_CLASSES[name].is_novel})
    counted = [(id, split, kept[id.partition("/")[0]][id.partition("/")[2]]) for id, split in splits.items()]
    fractions = {id: np.array(each.fractions) for id, each in listed.items() if not id.startswith(f"{NORMAL}/")}
    novel = sorted((name, list(counts.values())) for name, counts in kept.items() if name != NORMAL)
    summary = [(name, sum(count > 0 for count in counts), sum(counts)) for name, counts in novel]
    return {
        TARGETS: table_text(TARGETS, target_rows(fractions)),
        SPLITS_FILE: table_text(SPLITS_FILE, counted),
        SUMMARY: table_text(SUMMARY, summary),
    }
