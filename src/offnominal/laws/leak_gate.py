"""The gate against leaks: what is known of a sample besides its anomaly must not tell that it has one.

A *channel* is something that is known of a sample without its anomaly, such as the town of a driving scene or the
actions of an agent before it meets a novelty. For each channel a detector is fitted to one half of the samples and
scores the other half. The channel leaks if its AUROC is outside of :data:`ALLOWED`, from 0.45 to 0.55.

Sample size, fixed before any AUROC was computed. Scores that do not depend on the class have, for n scored samples of
each class, an AUROC with the mean 0.5 and the standard error ``sqrt((2 n + 1) / (12 n²))``; ties make it smaller. For K
channels, n is the smallest number for which

1. no channel is refused with a probability of at least 99 % if none leaks: ``z(1 - 0.005 / K)`` standard errors are at
   most 0.05 (Bonferroni: each channel may be wrong with 0.01 / K, half of it on each side), and
2. a channel with a true AUROC of 0.6 is refused with at least 99 %: ``z(0.99)`` standard errors are at most 0.05, with
   ``sqrt(0.6 · 0.4 / n)``, the largest standard error that it can have (Birnbaum and Klose 1957).

For 1, 8 and 12 channels n is 520, 695 and 745, and as many samples again are needed to fit the detectors. With fewer
samples a channel is refused if its AUROC is more than ``z(1 - 0.005 / K)`` standard errors outside of the allowed ones;
otherwise the gate is skipped, because it would decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.laws.report import SkipLaw
from offnominal.laws.require import require

ALLOWED = (0.45, 0.55)
"""AUROCs of channels that do not leak."""
LEAK = 0.6
"""AUROC of a leak that has to be found."""
ERROR = 0.01
"""Largest probability of each of the two errors."""
TREES, LEAF = 100, 0.05
Value: TypeAlias = float | str
Channels: TypeAlias = Mapping[str, Sequence[Value]]
"""What is known of a sample: values by channel. Texts are categories."""


@dataclass(frozen=True)
class LeakAuroc:
    """What a detector that only has one channel notices.

    Args:
        channel: Name of the channel.
        auroc: Its AUROC on the scored half.
        standard_error: Standard error of an AUROC of 0.5.
        nominal: Number of scored nominal samples.
        anomalous: Number of scored anomalous samples.
    """

    channel: str
    auroc: float
    standard_error: float
    nominal: int
    anomalous: int

    @property
    def leaks(self) -> bool:
        """Whether the AUROC is outside of the allowed ones."""
        return not ALLOWED[0] <= self.auroc <= ALLOWED[1]


def needed_samples(channels: int) -> int:
    """Return how many scored samples of each class the gate needs; as many are needed to fit the detectors.

    Example:
        >>> needed_samples(1), needed_samples(8), needed_samples(12)
        (520, 695, 745)
    """
    channels = positive_integer("channels", channels)
    half, power = ALLOWED[1] - 0.5, NormalDist().inv_cdf(1.0 - ERROR)
    n = math.ceil(LEAK * (1.0 - LEAK) * (power / (LEAK - ALLOWED[1])) ** 2)
    while _rare(channels) * standard_error(n, n) > half:
        n += 1
    return n


def _rare(channels: int) -> float:
    """Return how many standard errors from 0.5 an AUROC without a leak may be."""
    return NormalDist().inv_cdf(1.0 - 0.5 * ERROR / channels)


def standard_error(nominal: int, anomalous: int) -> float:
    """Return the standard error of the AUROC of scores that do not depend on the class, without ties."""
    return math.sqrt((nominal + anomalous + 1) / (12.0 * nominal * anomalous))


def measure_leaks(nominal: Sequence[Channels], anomalous: Sequence[Channels], *, seed: int = 0) -> dict[str, LeakAuroc]:
    """Return what each channel tells. The first half of the samples of each class fits the detectors.

    Args:
        nominal: Nominal samples, in an order that does not depend on their channels.
        anomalous: Anomalous samples.
        seed: Seed of the detectors.

    Example:
        >>> draws = np.random.default_rng(0).normal(size=400)
        >>> nominal = [{"noise": [x], "planted": [x]} for x in draws[:200]]
        >>> anomalous = [{"noise": [x], "planted": [x + 1.0]} for x in draws[200:]]
        >>> {name: each.leaks for name, each in measure_leaks(nominal, anomalous).items()}
        {'noise': False, 'planted': True}
    """
    if min(len(nominal), len(anomalous)) < 4:
        raise InvalidParameter(f"there are {len(nominal)} nominal and {len(anomalous)} anomalous samples; give 4 each.")
    found = {}
    for name in nominal[0]:
        halves = [(each[: len(each) // 2], each[len(each) // 2 :]) for each in (nominal, anomalous)]
        fitted, scored = ([[sample[name] for sample in half[k]] for half in halves] for k in (0, 1))
        columns = _columns(fitted[0] + fitted[1])
        rows = [np.array([columns(each) for each in half]) for half in (*fitted, *scored)]
        judged = np.concatenate(rows[2:])
        constant = bool((np.concatenate(rows) == judged[0]).all())
        scores = np.zeros(len(judged)) if constant else _scores(rows[0], rows[1], judged, seed)
        n = len(rows[2])
        error = standard_error(n, len(rows[3]))
        found[name] = LeakAuroc(name, _auroc(scores[:n], scores[n:]), error, n, len(rows[3]))
    return found


def leak_laws(
    names: Sequence[str], measured: Callable[[], Mapping[str, LeakAuroc]], *, noun: str
) -> dict[str, Callable[[], None]]:
    """Return one law per channel.

    Args:
        names: Names of the channels.
        measured: What the channels tell; called when the first law is checked.
        noun: What the samples are, such as ``"scenes"``.
    """
    return {f"its {name} does not tell": _law(name, len(names), measured, noun) for name in names}


def _law(name: str, channels: int, measured: Callable[[], Mapping[str, LeakAuroc]], noun: str) -> Callable[[], None]:
    def law() -> None:
        found = measured().get(name)
        needed = needed_samples(channels)
        if found is None:
            raise SkipLaw(f"it was not measured; give at least {2 * needed} {noun} of each class")
        enough = min(found.nominal, found.anomalous) >= needed
        beyond = 0.0 if enough else _rare(channels) * found.standard_error
        require(
            ALLOWED[0] - beyond <= found.auroc <= ALLOWED[1] + beyond,
            f"a detector that only has it tells anomalous {noun} with an AUROC of {fixed(found.auroc, 3)} "
            f"({found.nominal} and {found.anomalous} scored {noun}); allowed are {ALLOWED[0]} to {ALLOWED[1]}",
        )
        if not enough:
            raise SkipLaw(
                f"AUROC {fixed(found.auroc, 3)} of {found.nominal} and {found.anomalous} scored {noun}; "
                f"{needed} of each class decide"
            )

    return law


def _columns(rows: Sequence[Sequence[Value]]) -> Callable[[Sequence[Value]], list[float]]:
    """Return a function that makes numbers of the values of a sample: categories are indicators."""
    known = [sorted({row[k] for row in rows if isinstance(row[k], str)}) for k in range(len(rows[0]))]

    def numbers(row: Sequence[Value]) -> list[float]:
        found: list[float] = []
        for value, names in zip(row, known, strict=True):
            found += [float(value == name) for name in names] if names else [float(value)]
        return found

    return numbers


def _scores(nominal: FloatArray, anomalous: FloatArray, rows: FloatArray, seed: int) -> FloatArray:
    """Return the mean rank of a linear and of a nonlinear detector."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    given, labels = np.concatenate([nominal, anomalous]), np.repeat([0, 1], [len(nominal), len(anomalous)])
    linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    forest = RandomForestClassifier(TREES, min_samples_leaf=LEAF, max_samples=0.5, random_state=seed)
    ranks = [_ranks(model.fit(given, labels).predict_proba(rows)[:, 1]) for model in (linear, forest)]
    mean: FloatArray = 0.5 * (ranks[0] + ranks[1])
    return mean


def _ranks(values: FloatArray) -> FloatArray:
    """Return ranks; equal values have equal ranks."""
    distinct, index = np.unique(np.round(values, 9), return_inverse=True)
    counts = np.bincount(index, minlength=len(distinct))
    middle = np.cumsum(counts) - 0.5 * counts
    ranks: FloatArray = middle[index]
    return ranks


def _auroc(nominal: FloatArray, anomalous: FloatArray) -> float:
    """Return the share of pairs in which the anomalous score is larger; ties count half."""
    ordered = np.sort(nominal)
    below, not_above = np.searchsorted(ordered, anomalous), np.searchsorted(ordered, anomalous, side="right")
    return float((below + not_above).mean()) / (2.0 * len(nominal))
