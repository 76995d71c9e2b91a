"""Batches of episodes, simulated in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidState
from offnominal.core.job_processes import current_job, processes_for
from offnominal.core.policy import Policy
from offnominal.datasets.recipe import Recipe
from offnominal.rollouts.collection import rollout
from offnominal.worlds.world_source import WorldSource

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
