"""Mean squares of a world: faults crossed with policies, and trainings of a detector within each policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

STRATA = ("world", "fault", "policy", "policy by fault", "training", "training by fault")
"""Parts of the variance of a number besides the episodes; the mean squares of a design have the same names."""
WORLD, FAULT, POLICY, POLICY_FAULT, TRAINING, TRAINING_FAULT = range(len(STRATA))


@dataclass(frozen=True, slots=True, eq=False)
class WorldSquares:
    """Mean squares of one world, of the numbers and of each of their replicates.

    Args:
        mean: (k,): mean over policies of the mean over faults and trainings.
        squares: (6, k): mean squares in the order of :data:`STRATA`; NaN without degrees of freedom.
        freedom: (6,): their degrees of freedom.
        expected: (6, 6): coefficients of the variances in the expectation of each mean square.
    """

    mean: FloatArray
    squares: FloatArray
    freedom: FloatArray
    expected: FloatArray

    @classmethod
    def of(cls, policies: Sequence[FloatArray]) -> WorldSquares:
        """Return the mean squares of means that count every policy the same, however many trainings it has.

        Args:
            policies: (k, faults, trainings) of each policy: the numbers, and k - 1 replicates of them.

        Example:
            >>> effects = np.arange(3.0)[:, None] + np.zeros(2)  # three faults, two equal trainings
            >>> found = WorldSquares.of([effects[None], effects[None] + 4.0])
            >>> found.squares[:, 0], found.freedom
            (array([nan,  1.,  8.,  0.,  0.,  0.]), array([0., 2., 1., 2., 2., 4.]))
        """
        tables = [_checked(each) for each in policies]
        if len({each.shape[:2] for each in tables}) != 1:
            raise InvalidParameter("the policies of a world have other faults or replicates; give the same for all.")
        cells = np.stack([table.mean(axis=2) for table in tables], axis=2)
        _, n_faults, n_policies = cells.shape
        trainings = np.array([table.shape[2] for table in tables])
        within = float((trainings - 1).sum())
        freedom = np.array(
            [0, n_faults - 1, n_policies - 1, (n_faults - 1) * (n_policies - 1), within, (n_faults - 1) * within], float
        )
        faults, means = cells.mean(axis=2), cells.mean(axis=1)
        mean = means.mean(axis=1)
        left = cells - faults[:, :, None] - means[:, None] + mean[:, None, None]
        each, crossed = np.zeros(len(mean)), np.zeros(len(mean))
        for table, cell in zip(tables, np.moveaxis(cells, 2, 0), strict=True):
            around = table - cell[:, :, None]
            whole = around.mean(axis=1)
            each += (whole**2).sum(axis=1)
            crossed += ((around - whole[:, None]) ** 2).sum(axis=(1, 2))
        sums = [
            np.zeros(len(mean)),
            ((faults - mean[:, None]) ** 2).sum(axis=1),
            ((means - mean[:, None]) ** 2).sum(axis=1),
            (left**2).sum(axis=(1, 2)),
            each,
            crossed,
        ]
        divisor = np.where(freedom > 0.0, freedom, np.nan)
        return cls(mean, np.array(sums) / divisor[:, None], freedom, expected_squares(n_faults, trainings))


def expected_squares(n_faults: int, trainings: Sequence[int] | FloatArray) -> FloatArray:
    """Return the expectation of each mean square of a world, as coefficients of the variances; a row each.

    The row ``world`` has the variance of the mean of the world.

    Args:
        n_faults: Number of faults.
        trainings: Number of trainings with each policy.

    Example:
        >>> expected_squares(4, [2, 2])[2]  # policies: means over four faults and two trainings
        array([0.   , 0.   , 1.   , 0.25 , 0.5  , 0.125])
    """
    share = float(np.mean(1.0 / np.asarray(trainings, float)))
    f, p = float(n_faults), float(len(trainings))
    return np.array(
        [
            [1.0, 1.0 / f, 1.0 / p, 1.0 / (f * p), share / p, share / (f * p)],
            [0.0, 1.0, 0.0, 1.0 / p, 0.0, share / p],
            [0.0, 0.0, 1.0, 1.0 / f, share, share / f],
            [0.0, 0.0, 0.0, 1.0, 0.0, share],
            [0.0, 0.0, 0.0, 0.0, 1.0, 1.0 / f],
            [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )


def _checked(table: FloatArray) -> FloatArray:
    found = np.asarray(numeric_array("the numbers of a policy", table), np.float64)
    if found.ndim != 3 or 0 in found.shape:
        raise InvalidParameter(
            f"the numbers of a policy have the shape {found.shape}; expected (1 + replicates, faults, trainings)."
        )
    if not np.isfinite(found).all():
        raise InvalidParameter(
            "a number or replicate is not finite; leave out faults without a number in some training."
        )
    return found
