"""Make a dataset: record a world with and without its faults."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from offnominal.agents.policy import Policy
from offnominal.anomalies.schedule import Schedule
from offnominal.core.directories import data_home
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, UnsupportedEnvironment
from offnominal.core.progress_bar import ProgressCallback, progress
from offnominal.datasets.card import describe
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.dataset_builder import (
    DatasetBuilder,
    Report,
    build_folder,
    check_replaceable,
    destination,
    is_free,
)
from offnominal.datasets.layout import Channels
from offnominal.datasets.manifest import Manifest, read_manifest
from offnominal.datasets.policy_source import NamedPolicy, PolicySource, policy_of_recipe, resolve_policy
from offnominal.datasets.recipe import SEED, Plan, Recipe, Strengths, cells_of
from offnominal.rollouts.collection import build_world, rollout
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.world import World

BATCH, BATCH_WITH_FRAMES = 512, 32


def generate(
    world: str,
    folder: Path | str | None = None,
    *,
    episodes: int = 100,
    nominal: int | None = None,
    validation: int | None = None,
    policy: PolicySource = None,
    policy_name: str | None = None,
    algorithm: str | None = None,
    twins: bool = False,
    extras: Iterable[str] = (),
    frames: bool = False,
    camera: CameraKind = "clean",
    anomalies: Iterable[str] | None = None,
    levels: Iterable[str] | None = None,
    strengths: Strengths | None = None,
    schedule: Schedule = Schedule(),
    seed: int = SEED,
    overwrite: bool = False,
    report: Report = warnings.warn,
) -> Dataset:
    """Record episodes of a world, nominal ones and one split per fault and strength, into a folder.

    The same call gives the same bytes on the same platform and versions. If it is killed, nothing is visible, and the
    same call goes on where it was. A dataset of the same recipe that is already there is returned as it is.

    Args:
        world: Id of the world.
        folder: Of the dataset; it must not hold anything else. If None, one in the :func:`data_home`, where
            :func:`load` finds it.
        episodes: Episodes of the test split and of each fault.
        nominal: Episodes of the training split; as `episodes` if None.
        validation: Episodes of the validation split, which alarms are fitted on; a tenth of `nominal` if None.
        policy: Who acts; the shipped expert if None.
        policy_name: What the recipe calls the policy; needed for one without weights.
        algorithm: Which shipped expert; the world's own (TQC, or an ensemble) if None.
        twins: Record the nominal episodes of the faults' seeds too, as split ``"twins"``.
        extras: More signals: ``"clean_observations"``, ``"executed_actions"``, ``"applied"``.
        frames: Record what a camera sees, too: 128 x 128 RGB for every observation, without loss.
        camera: What the camera shows while an observation is faulty: the true state (``"clean"``) or the state that
            the faulty sensors report (``"affected"``).
        anomalies: Only these.
        levels: Only these strengths.
        strengths: Parameters by (anomaly, level), if not those of the shipped table.
        schedule: When the faults strike.
        seed: Of the first training episode.
        overwrite: Replace a dataset that is already there. A folder without a readable manifest of ours, and one that
            holds other files too, is refused.
        report: Told, in a line of text, when earlier work is resumed, dropped or waited for.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> data = generate("SAP-Goal0-v0", folder.name, episodes=5, strengths={("action/offset", "mild"): 0.2})
        >>> data.splits
        ['train', 'validation', 'test', 'action/offset@mild']
    """
    id = build_world(world, 1).card.id
    acting = resolve_policy(id, policy, algorithm=algorithm, name=policy_name)
    recipe = Recipe(
        world=id,
        policy=acting.name,
        policy_sha256=acting.sha256,
        episodes=episodes,
        nominal=episodes if nominal is None else nominal,
        validation=validation,
        seed=seed,
        cells=cells_of(id, strengths=strengths, anomalies=anomalies, levels=levels),
        schedule=schedule,
        twins=twins,
        extras=tuple(extras),
        frames=frames,
        camera=camera,
    )
    place = data_home() / f"{id.replace('/', '-')}-{recipe.digest()[:8]}" if folder is None else folder
    return _made(recipe, acting, place, overwrite, report)


def follow(
    recipe: Recipe,
    folder: Path | str,
    *,
    policy: PolicySource = None,
    overwrite: bool = False,
    report: Report = warnings.warn,
) -> Dataset:
    """Make the dataset of a recipe, such as that in the manifest of another one.

    Args:
        recipe: What to make.
        folder: As for :func:`generate`.
        policy: Who acts; the shipped expert that the recipe names if None.
        overwrite: As for :func:`generate`.
        report: As for :func:`generate`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> first = generate("SAP-Goal0-v0", f"{folder.name}/first", episodes=3, levels=[])
        >>> second = follow(first.manifest.recipe, f"{folder.name}/second")
        >>> second.manifest == first.manifest
        True
    """
    return _made(recipe, policy_of_recipe(recipe, policy), folder, overwrite, report)


def _made(recipe: Recipe, acting: NamedPolicy, where: Path | str, overwrite: bool, report: Report) -> Dataset:
    if recipe.frames and not build_world(recipe.world, 1).renders:
        raise UnsupportedEnvironment(f"{recipe.world} has no pictures; leave out frames.")
    folder = destination(where)
    found = _existing(folder, recipe, overwrite)
    if found is None:
        with build_folder(folder, report) as place:
            # Whoever was waited for may have made it.
            found = _existing(folder, recipe, overwrite)
            if found is None:
                _record(recipe, acting.policy, folder, DatasetBuilder(place, _manifest(recipe), report))
    return found or Dataset(folder)


def _existing(folder: Path, recipe: Recipe, overwrite: bool) -> Dataset | None:
    """Return the dataset of the recipe if it is there, or None if the place is free."""
    check_replaceable(folder, overwrite=overwrite)
    if overwrite or is_free(folder):
        return None
    manifest = read_manifest(folder)
    if manifest.recipe_sha256 == recipe.digest():
        return Dataset(folder)
    ours, theirs = recipe.to_dict(), manifest.recipe.to_dict() if manifest.recipe else {}
    differs = [name for name in {**ours, **theirs} if theirs.get(name) != ours.get(name)]
    raise AlreadyExists(
        f"{folder} holds a dataset of another recipe (it differs in {', '.join(differs)}); choose another folder or "
        "ask for it to be overwritten."
    )


def _manifest(recipe: Recipe) -> Manifest:
    return Manifest.here(recipe.world, "generate", recipe)


def _record(recipe: Recipe, policy: Policy, folder: Path, work: DatasetBuilder) -> None:
    """Simulate and write what is not finished yet."""
    plans = recipe.plans()
    missing = [plan for plan in plans if plan.name not in work.splits]
    channels = channels_of(build_world(recipe.world, 1))
    with progress(f"Recording {recipe.world}", total=sum(len(plan.seeds) for plan in plans)) as tick:
        tick(sum(entry.episodes for entry in work.splits.values()))
        for name, part in groupby(_simulated(recipe, policy, missing, tick), key=itemgetter(0)):
            work.add(name, (episode for _, episode in part), channels)
    work.finish(folder, [plan.name for plan in plans], describe)


def _simulated(
    recipe: Recipe, policy: Policy, plans: Sequence[Plan], tick: ProgressCallback
) -> Iterator[tuple[str, Episode]]:
    """Yield the episodes of the splits in order; those of several splits are simulated together."""
    jobs = [(plan, seed) for plan in plans for seed in plan.seeds]
    size = min(BATCH, BATCH_WITH_FRAMES) if recipe.frames else BATCH
    for first in range(0, len(jobs), size):
        batch = jobs[first : first + size]
        seeds, faults = np.array([seed for _, seed in batch]), [plan.faults for plan, _ in batch]
        episodes = rollout(recipe.world, policy, seeds, faults, batch=size, frames=recipe.frames, camera=recipe.camera)
        for (plan, _), episode in zip(batch, episodes, strict=True):
            yield plan.name, replace(episode, extras={name: episode.extras[name] for name in recipe.signals})
        tick(len(batch), note=batch[-1][0].name)


def channels_of(world: World) -> Channels:
    """Return the names of a world's channels for each signal that has them."""
    seen, acted = ([channel.name for channel in side] for side in (world.card.observation, world.card.action))
    return {"observations": seen, "clean_observations": seen, "actions": acted, "executed_actions": acted}
