"""What a channel of a log contains, collected block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from offnominal.core.types import BoolArray, FloatArray

FEW = 10
"""Distinct values up to which they are kept."""
EVEN = 1e-6
"""Deviation of a step from the first one, as a share of it, up to which steps are even."""


@dataclass(slots=True)
class FewValues:
    """The distinct values of some rows, as long as there are at most ten.

    Args:
        values: The values; None after the eleventh one.
    """

    values: set[float] | None = field(default_factory=set)

    def add(self, values: FloatArray) -> None:
        """Add the values of rows."""
        if self.values is None or not values.size:
            return
        # Most columns have many values, which a few rows show without sorting all of them.
        for part in (values[: 4 * FEW], values):
            found = self.values | set(np.unique(part).tolist())
            if len(found) > FEW:
                self.values = None
                return
        self.values = found

    def merge(self, other: FewValues) -> None:
        """Add the values of other rows."""
        if other.values is None:
            self.values = None
        else:
            self.add(np.array(sorted(other.values)))


@dataclass(slots=True)
class ChannelSummary:
    """Content of one channel.

    Args:
        column: Name of the column.
        role: ``"observation"``, ``"action"`` or ``"reward"``.
        low: Smallest finite value; infinity if there is none.
        high: Largest finite value; minus infinity if there is none.
        missing: Number of rows without a value.
        infinite: Number of rows with an infinite value.
        first_missing: First row without a value, or None.
        first_infinite: First row with an infinite value, or None.
        whole: Whether all finite values are whole numbers.
        rises: Number of steps within an episode to a larger value.
        falls: Number of steps within an episode to a smaller value.
        step: First step within an episode.
        even: Whether all steps within an episode are equal.
        at_low: Number of rows with the smallest value.
        at_high: Number of rows with the largest value.
        few: Distinct finite values.
        nominal: Those of rows without a label, if there are labels.
        faulty: Those of labelled rows.
        rest: First finite value of a row without a label.
        faulty_at_rest: Number of labelled rows with this value, from there on.
        early: Whether there are labelled rows before that.
        rows: Number of rows with a finite value.
        faulty_rows: Number of labelled ones.
        digests: Hash of all values of each file.
    """

    column: str
    role: str
    low: float = np.inf
    high: float = -np.inf
    missing: int = 0
    infinite: int = 0
    first_missing: int | None = None
    first_infinite: int | None = None
    whole: bool = True
    rises: int = 0
    falls: int = 0
    step: float = np.nan
    even: bool = True
    at_low: int = 0
    at_high: int = 0
    few: FewValues = field(default_factory=FewValues)
    nominal: FewValues = field(default_factory=FewValues)
    faulty: FewValues = field(default_factory=FewValues)
    rest: float = np.nan
    faulty_at_rest: int = 0
    early: bool = False
    rows: int = 0
    faulty_rows: int = 0
    digests: list[bytes] = field(default_factory=list)
    _last: float = np.nan
    _hash: Any = None

    @property
    def constant(self) -> bool:
        """Whether all values are equal."""
        return self.low == self.high

    @property
    def ordered(self) -> bool:
        """Whether no value is below the one before in its episode."""
        return not self.falls

    def add(self, values: FloatArray, first: int, changes: Sequence[int], labels: BoolArray | None = None) -> None:
        """Add the values of a block that begins at a row.

        Args:
            values: The values.
            first: Row of the first one.
            changes: Rows of the block at which an episode begins.
            labels: Which rows are labelled as faulty; None without labels.
        """
        self._add_steps(values, changes)
        finite = np.isfinite(values)
        known = values
        if not finite.all():
            lost = np.isnan(values)
            self.missing += int(lost.sum())
            self.infinite += int((~finite & ~lost).sum())
            if self.first_missing is None and lost.any():
                self.first_missing = first + int(np.argmax(lost))
            if self.first_infinite is None and (~finite & ~lost).any():
                self.first_infinite = first + int(np.argmax(~finite & ~lost))
            known, labels = values[finite], None if labels is None else labels[finite]
        if self._hash is None:
            self._hash = blake2b(digest_size=16)
        # Adding zero turns -0.0 into 0.0.
        self._hash.update(np.where(np.isnan(values), np.nan, values + 0.0).tobytes())
        if not known.size:
            return
        if self.whole:
            self.whole = bool((np.rint(known) == known).all())
        self.rows += len(known)
        self._add_extremes(known)
        self.few.add(known)
        if labels is not None:
            self._add_labelled(known, labels)

    def _add_steps(self, values: FloatArray, changes: Sequence[int]) -> None:
        with np.errstate(invalid="ignore"):
            steps = np.diff(values, prepend=self._last)
        steps[list(changes)] = np.nan
        self._last = float(values[-1])
        steps = steps[~np.isnan(steps)]
        if not steps.size:
            return
        self.rises += int(np.count_nonzero(steps > 0.0))
        self.falls += int(np.count_nonzero(steps < 0.0))
        if np.isnan(self.step):
            self.step = float(steps[0])
        if self.even:
            with np.errstate(invalid="ignore"):
                self.even = bool((np.abs(steps - self.step) <= EVEN * abs(self.step)).all())

    def _add_extremes(self, known: FloatArray) -> None:
        low, high = float(known.min()), float(known.max())
        at_low, at_high = int(np.count_nonzero(known == low)), int(np.count_nonzero(known == high))
        self._join_extremes(low, at_low, high, at_high)

    def _join_extremes(self, low: float, at_low: int, high: float, at_high: int) -> None:
        self.at_low = at_low * (low <= self.low) + self.at_low * (self.low <= low)
        self.at_high = at_high * (high >= self.high) + self.at_high * (self.high >= high)
        self.low, self.high = min(self.low, low), max(self.high, high)

    def _add_labelled(self, known: FloatArray, labels: BoolArray) -> None:
        nominal = known[~labels]
        if np.isnan(self.rest) and nominal.size:
            self.rest = float(nominal[0])
        self.nominal.add(nominal)
        faulty = known[labels]
        self.faulty.add(faulty)
        self.faulty_rows += len(faulty)
        self.early |= bool(faulty.size) and np.isnan(self.rest)
        self.faulty_at_rest += int(np.count_nonzero(faulty == self.rest))

    def finish(self) -> None:
        """End the summary of a file."""
        self.digests, self._hash, self._last = [self._hash.digest() if self._hash else b""], None, np.nan

    def merge(self, other: ChannelSummary) -> None:
        """Add the summary of another file, which is the later one."""
        self.missing += other.missing
        self.infinite += other.infinite
        self.whole &= other.whole
        if np.isnan(self.step):
            self.step = other.step
        elif not np.isnan(other.step):
            self.even &= abs(other.step - self.step) <= EVEN * abs(self.step)
        self.even &= other.even
        self.rises += other.rises
        self.falls += other.falls
        if other.low <= other.high:
            self._join_extremes(other.low, other.at_low, other.high, other.at_high)
        self.few.merge(other.few)
        self.nominal.merge(other.nominal)
        self.faulty.merge(other.faulty)
        self.early |= other.early or (bool(other.faulty_rows) and other.rest != self.rest)
        if np.isnan(self.rest):
            self.rest = other.rest
        self.rows += other.rows
        self.faulty_rows += other.faulty_rows
        self.faulty_at_rest += other.faulty_at_rest
        self.digests += other.digests
