"""Recording datasets: nominal and faulty episodes of a world."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.core.checks import positive_integer
from offnominal.core.directories import data_home
from offnominal.core.episode import Episode
from offnominal.core.errors import AlreadyExists, InvalidParameter, InvalidState, UnknownName, UnsupportedEnvironment
from offnominal.core.job_processes import current_job, processes_for
from offnominal.core.policy import Policy
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
    remove_leftovers,
)
from offnominal.datasets.layout import Channels
from offnominal.datasets.manifest import Manifest, read_manifest
from offnominal.datasets.plan import Plan
from offnominal.datasets.policy_source import PolicySource, resolve_policy
from offnominal.datasets.recipe import Recipe
from offnominal.datasets.recording_changes import EpisodeChange, RecordingChange
from offnominal.rollouts.collection import rollout
from offnominal.worlds.catalogue import NAMESPACE
from offnominal.worlds.world import World
from offnominal.worlds.world_source import WorldSource, open_world

BATCH, BATCH_WITH_FRAMES = 512, 32
"""Number of episodes that are simulated at once."""
PARTS = 4
"""Batches are so many times smaller with several workers, because more of them are in memory."""


def generate(
    recipe: Recipe,
    folder: Path | str | None = None,
    *,
    policy: PolicySource = None,
    env: WorldSource | None = None,
    overwrite: bool = False,
    workers: int = 1,
    report: Report = warnings.warn,
) -> Dataset:
    """Record the dataset of a recipe: nominal episodes and one split per fault.

    Equal recipes give equal bytes on the same platform and versions. Interrupted runs resume: call the function again.
    If the folder already has a dataset of the same recipe, that dataset is returned.

    Args:
        recipe: Description of the dataset; :meth:`Recipe.for_world` makes one.
        folder: Folder of the dataset, which must not contain other files. If None, a folder in the
            :func:`~offnominal.core.directories.data_home`, where :func:`load_dataset` finds it.
        policy: Policy of the recipe; not needed if it is a shipped one.
        env: Environment of the recipe if it has no id: an environment, a vector environment or a function that makes
            one. Several workers need a function of an importable module.
        overwrite: Whether to replace an existing dataset. Folders without a readable manifest and folders with other
            files are never replaced.
        workers: Number of processes. The bytes do not depend on it.
        report: Called with a line of text when an earlier run is resumed, discarded or waited for.

    Raises:
        AlreadyExists: The folder has a dataset of another recipe, or other files.
        InvalidParameter: The policy is not that of the recipe.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> recipe = Recipe.for_world("SAP-Goal0-v0", episodes=5, strengths={("action/offset", "mild"): 0.2})
        >>> generate(recipe, folder.name).splits
        ['train', 'validation', 'test', 'action/offset@mild']
    """
    if not isinstance(recipe, Recipe):
        raise InvalidParameter(
            f"{recipe!r} is a {type(recipe).__name__}; expected a recipe, such as Recipe.for_world('SAP-Goal0-v0')."
        )
    positive_integer("workers", workers)
    resolved = _policy_of(recipe, policy)
    source = recipe.world if env is None else env
    with open_world(source, 1) as sample:
        if sample.card.id != recipe.world.removeprefix(f"{NAMESPACE}/"):
            raise InvalidParameter(f"the environment is {sample.card.id}, the recipe is for {recipe.world}.")
        if recipe.frames and sample.camera is None:
            raise UnsupportedEnvironment(f"{recipe.world} has no images; leave out frames.")
        channels = channels_of(sample)
    path = destination(data_home() / recipe.folder_name if folder is None else folder)
    found = _existing(path, recipe, overwrite)
    if found is None:
        with build_folder(path, report) as unfinished:
            # Another process may have finished it while this one waited.
            found = _existing(path, recipe, overwrite)
            if found is None:
                manifest = Manifest.here(recipe.world, "generate", recipe)
                simulate = BatchRollout(recipe, resolved, source)
                _record(simulate, path, DatasetBuilder(unfinished, manifest, report), channels, workers)
    else:
        remove_leftovers(path)
    return found or Dataset(path)


def _policy_of(recipe: Recipe, policy: PolicySource) -> Policy:
    """Return the policy of a recipe; raise if the given policy has other weights."""
    try:
        found = resolve_policy(recipe.world, policy, algorithm=recipe.policy, name=recipe.policy)
    except UnknownName as error:
        raise UnknownName(f"{error} If {recipe.policy!r} is your own policy, pass it as policy=.") from None
    if found.sha256 != recipe.policy_sha256:
        raise InvalidParameter(
            f"the policy's weights have SHA-256 {found.sha256[:12]}…, the recipe says {recipe.policy_sha256[:12]}…; "
            "give the policy of the recipe."
        )
    return found.policy


def _existing(folder: Path, recipe: Recipe, overwrite: bool) -> Dataset | None:
    """Return the dataset of the recipe if the folder has it, or None if the folder can be written."""
    check_replaceable(folder, overwrite=overwrite)
    if overwrite or is_free(folder):
        return None
    manifest = read_manifest(folder)
    if manifest.recipe_sha256 == recipe.digest():
        return Dataset(folder)
    ours, theirs = recipe.to_dict(), manifest.recipe.to_dict() if manifest.recipe else {}
    differs = [name for name in {**ours, **theirs} if theirs.get(name) != ours.get(name)]
    raise AlreadyExists(
        f"{folder} holds a dataset of another recipe (it differs in {', '.join(differs)}); choose another folder, or "
        "pass overwrite=True."
    )


def _record(simulate: BatchRollout, folder: Path, builder: DatasetBuilder, channels: Channels, workers: int) -> None:
    """Simulate and write the splits that are not finished yet."""
    recipe = simulate.recipe
    plans = recipe.plans()
    missing = [plan for plan in plans if plan.name not in builder.splits]
    with progress(f"Recording {recipe.world}", total=sum(len(plan.seeds) for plan in plans)) as tick:
        tick(sum(entry.episodes for entry in builder.splits.values()))
        for name, part in groupby(_simulated(simulate, missing, tick, workers), key=itemgetter(0)):
            builder.add(name, (episode for _, episode in part), channels)
    builder.finish(folder, [plan.name for plan in plans], describe)


def _simulated(
    simulate: BatchRollout, plans: Sequence[Plan], tick: ProgressCallback, workers: int
) -> Iterator[tuple[str, Episode]]:
    """Yield the episodes of the splits in order. Batches extend over several splits."""
    recipe, changes = simulate.recipe, simulate.recipe.recording_changes()
    jobs = [(plan, number) for plan in plans for number in range(len(plan.seeds))]
    episode_changes = {plan.name: _episode_changes(changes, plan, simulate) for plan in plans}
    size = min(BATCH, BATCH_WITH_FRAMES) if recipe.frames else BATCH
    size = size if workers == 1 else max(1, size // PARTS)
    batches = [jobs[first : first + size] for first in range(0, len(jobs), size)]
    wanted = [[(int(plan.seeds[n]), _acting_faults(changes, plan, n)) for plan, n in batch] for batch in batches]
    for batch, episodes in zip(batches, simulated_batches(simulate, wanted, workers), strict=True):
        for (plan, number), episode in zip(batch, episodes, strict=True):
            recorded = episode
            for change in episode_changes[plan.name]:
                recorded = change(recorded, number)
            yield plan.name, replace(recorded, extras={name: recorded.extras[name] for name in recipe.signals})
        tick(len(batch), note=batch[-1][0].name)


def _acting_faults(changes: Sequence[RecordingChange], plan: Plan, number: int) -> tuple[Fault, ...]:
    """Return the faults that act in an episode of a split."""
    faults = plan.faults
    for change in changes:
        faults = change.acting_faults(faults, number)
    return faults


def _episode_changes(changes: Sequence[RecordingChange], plan: Plan, simulate: BatchRollout) -> list[EpisodeChange]:
    """Return what changes the recorded episodes of a split."""
    found = (change.episode_change(plan, simulate.world, simulate.recipe.max_steps) for change in changes)
    return [change for change in found if change is not None]


def channels_of(world: World) -> Channels:
    """Return the channel names of a world by signal."""
    observation, action = ([channel.name for channel in side] for side in (world.card.observation, world.card.action))
    return {
        "observations": observation,
        "clean_observations": observation,
        "actions": action,
        "executed_actions": action,
    }


Batch = Sequence[tuple[int, tuple[Fault, ...]]]
"""Seed and faults of each episode."""


@dataclass(frozen=True)
class BatchRollout:
    """Simulates batches of one recipe.

    Args:
        recipe: The recipe.
        policy: Its policy.
        world: Source of its world.
    """

    recipe: Recipe
    policy: Policy
    world: WorldSource

    def __call__(self, batch: Batch) -> list[Episode]:
        """Return the episodes of a batch."""
        seeds, faults = np.array([seed for seed, _ in batch]), [faults for _, faults in batch]
        options: dict[str, Any] = {}
        for change in self.recipe.recording_changes():
            options |= change.world_options()
        return rollout(
            self.world,
            self.policy,
            seeds,
            faults,
            batch=len(batch),
            max_steps=self.recipe.max_steps,
            frames=self.recipe.frames,
            camera=self.recipe.camera,
            **options,
        )


def simulated_batches(simulate: BatchRollout, batches: Sequence[Batch], workers: int) -> Iterator[list[Episode]]:
    """Yield the episodes of each batch in order; with several workers, at most two batches per worker wait.

    Raises:
        InvalidParameter: There are several workers, and the policy cannot be pickled.
        InvalidState: A process ended.
    """
    if min(workers, len(batches)) < 2:
        yield from (simulate(batch) for batch in batches)
        return
    with processes_for(simulate, workers, needs="an environment and a policy") as pool:
        rest = iter(batches)
        pending: deque[Future[list[Episode]]] = deque(
            pool.submit(_simulate, batch) for batch in islice(rest, 2 * workers)
        )
        try:
            while pending:
                episodes = pending.popleft().result()
                pending.extend(pool.submit(_simulate, batch) for batch in islice(rest, 1))
                yield episodes
        except BrokenProcessPool as error:
            raise InvalidState("a simulation process ended; memory may be short: choose fewer workers.") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _simulate(batch: Batch) -> list[Episode]:
    episodes: list[Episode] = current_job()(batch)
    return episodes
