"""Table 5: normalised scores and detectors under policies of three algorithms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product

from offnominal.agents.weights import shipped_names
from offnominal.evaluation.estimate import Estimate, average
from offnominal.kinds.faults.study import Study
from offnominal.papers.anomaly_gym.evidence import policy_scores
from offnominal.papers.anomaly_gym.published_numbers import COUNTERPARTS, LEVELS, PAPER, world_id
from offnominal.papers.printed_values import Row, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.leaderboards import pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

SCORES, VECTORS, IMAGES = "a", "b", "c"
"""Parts of the table."""
SUBSTITUTES = {"RES-KNN": ("RES-KNN", "KNN-encoder")}
"""Our detectors that stand for a published one, in the order of preference."""


ALGORITHMS = ("tqc", "sac", "td3", "ppo")
"""Ours; the paper has no PPO."""
TRAININGS = 3
"""The first trainings by each algorithm stand for it."""
Scores = Mapping[tuple[str, str], Estimate]


def populations(world: str) -> list[str]:
    """Return the shipped policies of a world that stand for an algorithm: its first trainings, without demonstrations.

    Example:
        >>> populations("URM-Reach-v0")[:3]
        ['tqc-0', 'tqc-1', 'tqc-2']
    """
    shipped = set(shipped_names())
    ids = (f"{algorithm}-{seed}" for algorithm in ALGORITHMS for seed in range(TRAININGS))
    return [policy for policy in ids if f"{world}--{policy}" in shipped]


def algorithm_of(policy: str) -> str:
    """Return the algorithm of a policy.

    Example:
        >>> algorithm_of("td3-2"), algorithm_of("sac")
        ('td3', 'sac')
    """
    return re.sub(r"-\d+$", "", policy)


def table_5(results: RunResults) -> list[PublishedComparison]:
    """Compare the normalised scores of policies under strong faults, and vector detectors under each policy.

    Ours are means over the trainings by an algorithm. The AUROC is the mean of *tiny* and *strong*: that of Tables 12
    and 13 over the three worlds of the paper is the published value of MLP-DM and LRDM under TQC. A run without one of
    these worlds has no such mean.
    """
    scores = policy_scores() if results.table.num_rows else {}

    def ours(row: Row) -> Estimate:
        return score_of(scores, world_id(row["env"]), row["policy"].lower())

    return [*_lines(SCORES, ours), *_detectors(VECTORS, results)]


def score_of(scores: Scores, world: str, algorithm: str) -> Estimate:
    """Return the mean score of an algorithm over its trainings; without several, that of its only policy.

    The interval is the mean of the intervals of the policies, which is too wide if they are independent.

    Args:
        scores: Scores by world and policy.
        world: Id of the world.
        algorithm: Name of the algorithm.
    """
    trainings = [scores.get((world, f"{algorithm}-{seed}")) for seed in range(TRAININGS)]
    found = [each for each in trainings if each is not None]
    return average(found) if found else scores.get((world, algorithm), Estimate(None))


def table_5_images(results: RunResults) -> list[PublishedComparison]:
    """Compare image detectors under each policy."""
    return _detectors(IMAGES, results)


def _detectors(part: str, results: RunResults) -> list[PublishedComparison]:
    measured = _by_algorithm(results)

    def ours(row: Row) -> Estimate:
        names = SUBSTITUTES.get(row["detector"], (row["detector"],))
        found = (measured.get((name, row["policy"].lower())) for name in names)
        return next((each for each in found if each is not None), Estimate(None))

    return _lines(part, ours)


def lacking(algorithm: str, worlds: list[str]) -> str:
    """Return the worlds in which no policy of an algorithm is shipped, in words; empty if there is none.

    Example:
        >>> lacking("tqc", ["SAP-Goal0-v0"])
        ''
        >>> lacking("unknown", ["SAP-Goal0-v0", "URM-Reach-v0"])
        'no policy unknown-0 to unknown-2 of SAP-Goal0-v0, URM-Reach-v0 is shipped'
    """
    without = [world for world in worlds if algorithm not in map(algorithm_of, populations(world))]
    named = f"{algorithm}-0 to {algorithm}-{TRAININGS - 1}"
    return f"no policy {named} of {', '.join(without)} is shipped" if without else ""


def without_means(study: Study) -> str:
    """Return why a run of a study has no mean AUROC of Table 5; empty if it has all its worlds and levels."""
    levels = LEVELS if study.data.levels is None else study.data.levels
    lacking = [world for world in worlds_of_table() if world not in study.worlds]
    lacking += [f"level {level}" for level in LEVELS if level not in levels]
    return f"its numbers are means, and the run lacks {', '.join(lacking)}" if lacking else ""


def _lines(part: str, ours: Callable[[Row], Estimate]) -> list[PublishedComparison]:
    lines = []
    for row in printed_values(PAPER, "table_5"):
        if row["part"] == part:
            labels = {"part": part, "world or detector": row["env"] or row["detector"], "policy": row["policy"]}
            found, rule = ours(row), protocol(PAPER).rule("score")
            worlds = [world_id(row["env"])] if row["env"] else worlds_of_table()
            note = lacking(row["policy"].lower(), worlds) if found.value is None else ""
            lines.append(PublishedComparison(labels, found, float(row["value"]), rule, note))
    return lines


def _by_algorithm(results: RunResults) -> dict[tuple[str, str], Estimate]:
    """Return the mean AUROC over all worlds of the table, both levels and all trainings, by detector and algorithm."""
    if not results.table.num_rows:
        return {}
    found: dict[tuple[str, str], dict[tuple[str, str], list[Estimate]]] = {}
    measured = MetricTable.of(results.table, "auroc")
    for level in LEVELS:
        for (place, name), ours in pivot(measured.where(level=level), "auroc", "world", "name").items():
            world, _, policy = place.removesuffix(")").rpartition(" (")
            if name in COUNTERPARTS:
                cells = found.setdefault((name, algorithm_of(policy)), {})
                cells.setdefault((world, level), []).append(ours)
    whole = set(product(worlds_of_table(), LEVELS))
    return {
        key: average([average(trainings) for trainings in known.values()])
        for key, known in found.items()
        if whole <= set(known)
    }


def worlds_of_table() -> list[str]:
    """Return the worlds that the published numbers are means over.

    Example:
        >>> worlds_of_table()
        ['MJC-CartpoleSwingup-v0', 'SAP-Goal0-v0', 'URM-Reach-v0']
    """
    found = (world_id(row["env"]) for row in printed_values(PAPER, "table_5") if row["part"] == SCORES)
    return list(dict.fromkeys(found))
