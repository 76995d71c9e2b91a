"""Three verdicts about detectors: which separates best, which detects most, which keeps its promise."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from offnominal.alarms.guarantee_check import KEPT
from offnominal.evaluation.estimate import Estimate, fewest
from offnominal.evaluation.simultaneous import simultaneous_intervals

LEAST_DETECTED = 0.1
"""A detector with a smaller net detection at the budget is never called best."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The detectors that each verdict is given to, best first.

    Args:
        separates_best: Largest time-matched AUROC, and all that do not differ from it.
        detects_most: Largest net detection at the budget of false alarms, and all that do not differ from it.
        keeps_promise: Detectors whose guarantee of false alarms is kept.
        detects_too_little: Detectors with a net detection of less than 10 %, which are never called best.
    """

    separates_best: tuple[str, ...]
    detects_most: tuple[str, ...]
    keeps_promise: tuple[str, ...]
    detects_too_little: tuple[str, ...]


def detector_verdicts(
    matched: Mapping[str, Estimate], net: Mapping[str, Estimate], guarantees: Mapping[str, str]
) -> Verdicts:
    """Return the verdicts about some detectors.

    Args:
        matched: Time-matched AUROC of each detector, over the same faults.
        net: Net detection at the budget.
        guarantees: Outcome of the check of each guarantee, such as ``"kept"``; may be empty.

    Example:
        >>> values = {"KNN": (0.8, 0.6), "LOF": (0.7, 0.4), "Time": (0.93, 0.0)}
        >>> each = [{name: Estimate(row[i], np.full(9, row[i])) for name, row in values.items()} for i in range(2)]
        >>> found = detector_verdicts(*each, {"KNN": "broken", "LOF": "kept"})
        >>> found.separates_best, found.keeps_promise, found.detects_too_little
        (('KNN',), ('LOF',), ('Time',))
    """
    little = {name for name, share in net.items() if share.value is not None and share.value < LEAST_DETECTED}
    return Verdicts(
        separates_best=best_of(matched, higher=True, without=little),
        detects_most=best_of(net, higher=True, without=little),
        keeps_promise=tuple(name for name, outcome in guarantees.items() if outcome == KEPT),
        detects_too_little=tuple(name for name in net if name in little),
    )


def best_of(found: Mapping[str, Estimate], *, higher: bool, without: Collection[str] = ()) -> tuple[str, ...]:
    """Return the best detector and all that do not differ from it, best first; none without replicates.

    Args:
        found: One number of each detector.
        higher: Whether more is better.
        without: Detectors that are never called best. They belong to the family of the intervals all the same.
    """
    sign = -1.0 if higher else 1.0
    eligible = sorted(
        (name for name, each in found.items() if name not in without and each.value is not None),
        key=lambda name: sign * (found[name].value or 0.0),
    )
    if not eligible or not all(len(found[name].draws) for name in eligible):
        return ()
    apart = different_pairs(found)
    return tuple(name for name in eligible if frozenset((name, eligible[0])) not in apart)


def different_pairs(found: Mapping[str, Estimate]) -> set[frozenset[str]]:
    """Return the pairs whose simultaneous interval of the difference excludes 0; the family is all pairs.

    Args:
        found: One number of each detector, with replicates of the same episodes.

    Example:
        >>> draws = np.random.default_rng(0).normal(0.0, 0.1, size=(3, 1000))
        >>> values = {"KNN": 0.9, "LOF": 0.85, "Random": 0.1}
        >>> found = {name: Estimate(value, value + row) for (name, value), row in zip(values.items(), draws)}
        >>> sorted(sorted(pair) for pair in different_pairs(found))
        [['KNN', 'Random'], ['LOF', 'Random']]
    """
    known = {name: each for name, each in found.items() if each.value is not None and len(each.draws)}
    pairs = list(combinations(known, 2))
    if not pairs:
        return set()
    values = np.array([each.value for each in known.values()], np.float64)
    draws = np.array([each.draws for each in known.values()], np.float64)
    one, other = np.triu_indices(len(known), 1)
    intervals = simultaneous_intervals(
        values[one] - values[other], draws[one] - draws[other], units=fewest(list(known.values()))
    )
    return {frozenset(pair) for pair, apart in zip(pairs, intervals.excludes_zero, strict=True) if apart}
