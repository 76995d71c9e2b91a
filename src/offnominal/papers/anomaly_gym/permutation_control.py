"""How many differences would be explained by chance: ``python -m offnominal.papers.anomaly_gym.permutation_control``.

Where several experiments were done on one number, one of them may come near the published value by chance. Here each
world gets the published values of another one, and differences are explained again with the same evidence. Experiments
show something only if they explain a larger share of the differences from the true values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.papers.anomaly_gym.evidence import EXPERIMENTS, Key, evidence_of, evidence_rows, explanation
from offnominal.papers.anomaly_gym.published_numbers import WORLDS, published_by_world
from offnominal.papers.measured_evidence import nearest_explanation
from offnominal.studies.published_comparison import NEAR

REPETITIONS = 200
SCALE = "paper"
ALL = "all together"
Explains = Callable[[Key, float, float], bool]
"""Whether our value of a number that differs from a published one is explained."""


@dataclass(frozen=True, slots=True)
class Control:
    """What an experiment explains, of the true published values and of those of other worlds.

    Args:
        experiment: Its name, or that of all together.
        differing: Number of differences from the published values.
        explained: Number of them that are explained.
        by_chance: Share of the differences that is explained with the values of other worlds, for each repetition.
    """

    experiment: str
    differing: int
    explained: int
    by_chance: tuple[float, ...]

    @property
    def share(self) -> float:
        """Share of the differences that is explained."""
        return self.explained / self.differing if self.differing else 0.0

    @property
    def p_value(self) -> float:
        """Share of the repetitions, the true values included, that explain as much."""
        return (1 + sum(share >= self.share for share in self.by_chance)) / (1 + len(self.by_chance))

    def __str__(self) -> str:
        low, high = min(self.by_chance), max(self.by_chance)
        return (
            f"{self.experiment}: {self.explained} of {self.differing} ({self.share:.0%}); values of other worlds: "
            f"{np.mean(self.by_chance):.0%} ({low:.0%} to {high:.0%}), p = {self.p_value:.3f}"
        )


def controls(scale: str = SCALE, *, repetitions: int = REPETITIONS, seed: int = 0) -> Iterator[Control]:
    """Yield the control of each experiment with results at a scale, and of all together.

    Args:
        scale: Scale of our numbers before the experiments.
        repetitions: Number of exchanges of worlds.
        seed: Seed of the exchanges.
    """
    rows = [row for row in evidence_rows() if row["scale"] == scale and row["world"] in WORLDS]
    exchanges = [exchange(np.random.default_rng((seed, number))) for number in range(repetitions)]
    for experiment in EXPERIMENTS:
        own = [row for row in rows if row["experiment"] == experiment]
        if own:
            yield _control(experiment, own, _alone(own), exchanges)
    yield _control(ALL, rows, lambda key, ours, published: explanation(key, ours, published) is not None, exchanges)


def exchange(generator: np.random.Generator) -> dict[str, str]:
    """Return another world for each world.

    Example:
        >>> found = exchange(np.random.default_rng(0))
        >>> sorted(found.values()) == sorted(WORLDS), any(world == other for world, other in found.items())
        (True, False)
    """
    while True:
        found = dict(zip(WORLDS, generator.permutation(WORLDS).tolist(), strict=True))
        if all(world != other for world, other in found.items()):
            return found


def _alone(rows: Iterable[Mapping[str, str]]) -> Explains:
    """Return whether the evidence of some rows explains a difference."""
    found = evidence_of(rows)
    return lambda key, ours, published: nearest_explanation(found[key], ours, published) is not None


def _control(name: str, rows: Iterable[Mapping[str, str]], explains: Explains, exchanges: Iterable[Any]) -> Control:
    ours: dict[Key, float] = {}
    for row in rows:
        key = row["world"], row["level"], row["detector"], row["metric"], row["kind"]
        ours.setdefault(key, float(row["before"]))
    differing, explained = _count(ours, explains, {world: world for world in WORLDS})
    counts = [_count(ours, explains, worlds) for worlds in exchanges]
    return Control(name, differing, explained, tuple(part / whole if whole else 0.0 for whole, part in counts))


def _count(ours: Mapping[Key, float], explains: Explains, worlds: Mapping[str, str]) -> tuple[int, int]:
    """Return how many of our numbers differ from the published ones of the given worlds, and how many are explained."""
    published = published_by_world()
    differing = explained = 0
    for key, value in ours.items():
        world, level, detector, metric, _ = key
        other = published.get((worlds[world], level, detector, metric))
        if other is not None and abs(value - other) > NEAR:
            differing += 1
            explained += explains(key, value, other)
    return differing, explained


def main() -> None:
    """Print the controls."""
    for control in controls():
        print(control)


if __name__ == "__main__":
    main()
