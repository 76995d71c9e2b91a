"""How much of a number is due to the world, the fault, the policy, the training of the detector, and the episodes?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.mean_squares import POLICY, STRATA, TRAINING, TRAINING_FAULT, WORLD, WorldSquares

EPISODES = "episodes"
PARTS = (*STRATA, EPISODES)
"""All parts of the variance."""
DRAWS = 10_000
TAILS = (0.025, 0.975)
ROUNDING = 1e-12
"""Total variance up to which numbers are equal but for rounding."""


@dataclass(frozen=True, slots=True)
class VariancePart:
    """A part of the variance of a number, with 95 % intervals.

    Args:
        variance: Estimate without bias, which may be negative if the part is small.
        low: Lower end of the interval of the variance, at least 0; None if it is unknown.
        high: Upper end.
        share: Part of the total, negative estimates counted as 0; None if the total is 0 up to rounding.
        share_low: Lower end of the interval of the share.
        share_high: Upper end.
        freedom: Degrees of freedom of its mean square.
    """

    variance: float
    low: float | None
    high: float | None
    share: float | None
    share_low: float | None
    share_high: float | None
    freedom: float


@dataclass(frozen=True, slots=True, eq=False)
class VarianceSplit:
    """The variance of one number of one detector, in parts.

    Args:
        parts: By name, in the order of :data:`PARTS`; those that the design cannot tell are left out.
        policies: ``policy`` and ``policy by fault`` together.
        trainings: ``training`` and ``training by fault`` together; None if no policy has several trainings.
        total: Sum of the parts, negative estimates counted as 0.
    """

    parts: Mapping[str, VariancePart]
    policies: VariancePart
    trainings: VariancePart | None
    total: float


def split_variance(worlds: Sequence[Sequence[FloatArray]], *, draws: int = DRAWS, seed: int = 0) -> VarianceSplit:
    """Split the variance of a number into parts by an analysis of variance with random effects.

    The model of the number of fault f, policy p and training s in world w:

        mean + W(w) + F(w, f) + P(w, p) + PF(w, p, f) + T(w, p, s) + TF(w, p, s, f) + error of the episodes

    All effects are independent with mean 0 and one variance each. Estimates are those of the analysis of variance of
    unweighted means, less what the episodes contribute to them: the same combination of mean squares of the replicates.
    Intervals are generalised confidence intervals (Weerahandi 1993): each mean square has a chi-squared distribution,
    with fewer degrees of freedom if it differs more between worlds than by chance (Satterthwaite).

    Not guaranteed:
        Coverage for effects far from normal, and for the part ``world`` with worlds of very different designs. The
        contribution of the episodes is taken as known.

    Args:
        worlds: The policies of each world; of each policy (1 + replicates, faults, trainings): the numbers, then
            bootstrap replicates of all of them from the same draws of episodes. Without replicates the error of the
            episodes stays in the other parts.
        draws: Draws of the intervals.
        seed: Seed of the draws.

    Raises:
        InvalidParameter: No world has two policies and two faults.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> faults, policies = rng.normal(size=(1, 200, 1)), rng.normal(size=20)
        >>> found = split_variance([[faults + 2.0 * each for each in policies]])
        >>> found.parts["fault"].variance.__round__(2), found.parts["policy"].variance.__round__(2)
        (0.93, 5.37)
    """
    squares = [WorldSquares.of([policy[:1] for policy in policies]) for policies in worlds]
    design = _Design.of(squares)
    raw = design.solve(design.squares[:, 0])
    replicates = _replicates(worlds)
    sampled = np.zeros(len(raw)) if replicates is None else _contribution(replicates)[design.kept]
    rng = np.random.default_rng(seed)
    chi = rng.chisquare(design.freedom[:, None], (len(raw), draws))
    drawn = design.solve(design.squares[:, :1] * design.freedom[:, None] / chi) - sampled[:, None]
    variances, names = raw - sampled, [name for name, kept in zip(STRATA, design.kept, strict=True) if kept]
    freedom = design.freedom
    if replicates is not None:
        error, spread, groups = _episodes(replicates)
        more = error + spread * rng.standard_t(max(groups - 1, 1), draws) if groups > 1 else np.full(draws, error)
        names.append(EPISODES)
        variances, drawn = np.append(variances, error), np.vstack([drawn, more])
        freedom = np.append(freedom, max(groups - 1.0, 0.0))
    return _assembled(names, variances, drawn, freedom)


@dataclass(frozen=True, slots=True, eq=False)
class _Design:
    """Mean squares of all worlds together.

    Args:
        kept: (6,): which parts the design can tell.
        squares: (kept, k): mean squares, and those of replicates.
        freedom: (kept,): degrees of freedom.
        expected: (kept, kept): their expectations.
    """

    kept: BoolArray
    squares: FloatArray
    freedom: FloatArray
    expected: FloatArray

    @classmethod
    def of(cls, worlds: Sequence[WorldSquares]) -> _Design:
        counts = np.array([world.freedom for world in worlds]).reshape(-1, len(STRATA))
        if not len(worlds) or counts[:, POLICY + 1].sum() == 0.0:
            raise InvalidParameter("no world has several policies and several faults; give at least two of each.")
        kept = counts.sum(axis=0) > 0.0
        kept[WORLD] = len(worlds) > 1
        squares = np.zeros((len(STRATA), worlds[0].squares.shape[1]))
        freedom, expected = np.zeros(len(STRATA)), np.zeros((len(STRATA),) * 2)
        for part in np.flatnonzero(kept):
            if part == WORLD:
                squares[part] = np.var([world.mean for world in worlds], axis=0, ddof=1)
                freedom[part] = len(worlds) - 1
                expected[part] = np.mean([world.expected[part] for world in worlds], axis=0)
                continue
            here = np.flatnonzero(counts[:, part]).tolist()
            values = np.array([worlds[number].squares[part] for number in here])
            squares[part] = np.average(values, axis=0, weights=counts[here, part])
            freedom[part] = effective_freedom(values[:, 0], counts[here, part])
            rows = [worlds[number].expected[part] for number in here]
            expected[part] = np.average(rows, axis=0, weights=counts[here, part])
        if not kept[TRAINING]:
            expected[:, TRAINING : TRAINING_FAULT + 1] = 0.0
        return cls(kept, squares[kept], freedom[kept], expected[np.ix_(kept, kept)])

    def solve(self, squares: FloatArray) -> FloatArray:
        """Return the variances whose mean squares are expected to be these."""
        return np.asarray(np.linalg.solve(self.expected, squares), np.float64)


def effective_freedom(squares: FloatArray, freedom: FloatArray) -> float:
    """Return the degrees of freedom of the mean of mean squares, weighted by theirs.

    If all of them estimate the same number, these are the sum of theirs, on average. They are fewer if some are much
    larger than others.

    Example:
        >>> effective_freedom(np.array([1.0, 1.0]), np.array([10.0, 10.0]))
        20.0
        >>> round(effective_freedom(np.array([1.0, 0.0]), np.array([10.0, 10.0])), 1)
        12.0
    """
    most = float(freedom.sum())
    squared = float((freedom**2 / (freedom + 2.0) * squares**2).sum())
    if squared == 0.0:
        return most
    return min(most, float((freedom * squares).sum()) ** 2 / squared)


def _replicates(worlds: Sequence[Sequence[FloatArray]]) -> list[list[FloatArray]] | None:
    """Return the replicates less their means, of each policy of each world; None if there are fewer than two."""
    if min(len(policy) for world in worlds for policy in world) < 3:
        return None
    return [[policy[1:] - policy[1:].mean(axis=0) for policy in world] for world in worlds]


def _contribution(replicates: Sequence[Sequence[FloatArray]]) -> FloatArray:
    """Return what the error of the episodes contributes to each variance, in the order of STRATA."""
    design = _Design.of([WorldSquares.of(world) for world in replicates])
    many = design.squares.shape[1]
    found = np.zeros(len(STRATA))
    found[design.kept] = design.solve(design.squares.mean(axis=1) * many / (many - 1))
    return found


def _episodes(replicates: Sequence[Sequence[FloatArray]]) -> tuple[float, float, int]:
    """Return the variance of a number over draws of episodes, its standard error, and the number of policies."""
    means = np.array([policy.var(axis=0, ddof=1).mean() for world in replicates for policy in world])
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0
    return float(means.mean()), error, len(means)


def _assembled(names: list[str], variances: FloatArray, drawn: FloatArray, freedom: FloatArray) -> VarianceSplit:
    """Return the parts, and the sums of those that belong together."""
    counted = np.maximum(variances, 0.0)
    total, totals = float(counted.sum()), np.maximum(drawn, 0.0).sum(axis=0)

    def part(*wanted: str) -> VariancePart:
        rows = [names.index(name) for name in wanted]
        sums = np.maximum(drawn[rows].sum(axis=0), 0.0)
        low, high = np.quantile(sums, TAILS)
        shares = np.divide(sums, totals, out=np.zeros(len(sums)), where=totals > 0.0)
        share_low, share_high = np.quantile(shares, TAILS)
        variance = float(variances[rows].sum())
        known = total > ROUNDING
        share = max(variance, 0.0) / total if known else None
        return VariancePart(
            variance,
            float(low),
            float(high),
            share,
            float(share_low) if known else None,
            float(share_high) if known else None,
            float(freedom[rows].min()),
        )

    trained = part("training", "training by fault") if "training" in names else None
    return VarianceSplit({name: part(name) for name in names}, part("policy", "policy by fault"), trained, total)
