"""How many differences would be explained by chance: ``python tools/permutation_control.py``.

Where several experiments were done on one number, one of them may come near the published value by chance. Here each
world gets the published values of another one, and differences are explained again with the same evidence. Experiments
show something only if they explain a larger share of the differences from the true values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.papers.anomaly_gym.evidence import (
    EXPERIMENTS,
    NEUTRAL,
    POLICY,
    Experiments,
    Key,
    evidence,
    evidence_of,
    evidence_rows,
    explanation,
    key_of,
    nearer_policies,
    published_numbers,
    spans,
)
from offnominal.papers.anomaly_gym.published_numbers import WORLDS
from offnominal.papers.measured_evidence import nearest_explanation
from offnominal.studies.published_comparison import NEAR

REPETITIONS = 200
SCALE = "paper"
ALL = "all together"
BEYOND = "other policies, where nothing else explains"
LAST = "strengths that are not published, where nothing else explains"
Worlds = Mapping[str, str]
"""The world whose published values each world gets."""
Explains = Callable[[Key, float, float], bool | None]
"""Whether our value of a number that differs from a published one is explained; None if it does not count."""
Judge = Callable[[Worlds], Explains]
"""Returns what explains differences from the published values that each world gets."""


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
    """Yield the control of each experiment with results at a scale, of what counts only beyond the rest, and of all.

    Args:
        scale: Scale of our numbers before the experiments.
        repetitions: Number of exchanges of worlds.
        seed: Seed of the exchanges.
    """
    rows = [row for row in evidence_rows() if row["scale"] == scale and row["world"] in WORLDS]
    exchanges = [exchange(np.random.default_rng((seed, number))) for number in range(repetitions)]
    for experiment in EXPERIMENTS:
        own = [row for row in rows if row["experiment"] == experiment]
        if own and experiment != NEUTRAL:
            yield _control(experiment, own, _alone(own), exchanges)
    policies = [row for row in rows if row["experiment"].startswith(POLICY)]
    if policies:
        yield _control(BEYOND, policies, _judge(rows, beyond=True), exchanges)
    neutral = [row for row in rows if row["experiment"] == NEUTRAL]
    if neutral:
        yield _control(LAST, neutral, _last(rows), exchanges)
    yield _control(ALL, rows, _judge(rows), exchanges)


def exchange(generator: np.random.Generator) -> Worlds:
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


def _alone(rows: Iterable[Mapping[str, str]]) -> Judge:
    """Return the judge by the evidence of some rows."""
    found = evidence_of(rows)
    return lambda _: lambda key, ours, published: nearest_explanation(found[key], ours, published) is not None


def _judge(rows: Sequence[Mapping[str, str]], *, beyond: bool = False) -> Judge:
    """Return the judge by all evidence.

    Args:
        rows: The evidence.
        beyond: Whether differences that experiments with our expert explain do not count.
    """

    def judge(worlds: Worlds) -> Explains:
        policies = nearer_policies(rows, worlds)

        def explains(key: Key, ours: float, published: float) -> bool | None:
            if beyond and nearest_explanation(evidence().get(key, ()), ours, published) is not None:
                return None
            unknown: Experiments | None = {} if beyond else None
            return explanation(key, ours, published, policies=policies, unknown=unknown) is not None

        return explains

    return judge


def _last(rows: Sequence[Mapping[str, str]]) -> Judge:
    """Return the judge by the strengths that are not published, of differences that nothing else explains."""
    found = spans(rows)

    def judge(worlds: Worlds) -> Explains:
        policies = nearer_policies(rows, worlds)

        def explains(key: Key, ours: float, published: float) -> bool | None:
            if explanation(key, ours, published, policies=policies, unknown={}) is not None:
                return None
            return nearest_explanation(found.get(key, ()), ours, published) is not None

        return explains

    return judge


def _control(name: str, rows: Iterable[Mapping[str, str]], judge: Judge, exchanges: Iterable[Worlds]) -> Control:
    ours: dict[Key, float] = {}
    for row in rows:
        ours.setdefault(key_of(row), float(row["before"]))
    differing, explained = _count(ours, judge, {world: world for world in WORLDS})
    counts = [_count(ours, judge, worlds) for worlds in exchanges]
    return Control(name, differing, explained, tuple(part / whole if whole else 0.0 for whole, part in counts))


def _count(ours: Mapping[Key, float], judge: Judge, worlds: Worlds) -> tuple[int, int]:
    """Return how many of our numbers differ from the published ones of the given worlds, and how many are explained."""
    known = published_numbers()
    others = {key: known.get((worlds[key[0]], *key[1:])) for key in ours}
    published = {key: value for key, value in others.items() if value is not None}
    explains = judge(worlds)
    found = [explains(key, ours[key], value) for key, value in published.items() if abs(ours[key] - value) > NEAR]
    return sum(each is not None for each in found), found.count(True)


def main() -> None:
    """Print the controls."""
    for control in controls():
        print(control)


if __name__ == "__main__":
    main()
