"""The channels of one robot: readings that are invalid, out of range or stuck."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.watch.channel_checks import ChannelCheck
from offnominal.watch.rules import Rules

NEVER = 2**62


class Readings:
    """Checks the readings of one robot, and fills invalid ones as the rules say.

    Args:
        checks: Checks of the channels.
        rules: The rules.
    """

    def __init__(self, checks: tuple[ChannelCheck, ...], rules: Rules) -> None:
        self.names = [each.name for each in checks]
        self._rules = rules
        self._means = np.array([each.mean for each in checks])
        limits = np.array([each.limits for each in checks]).reshape(-1, 2)
        # Beyond the inner limits a channel that is out of range is so still.
        inner = rules.range.hysteresis * np.array([each.high - each.low for each in checks])
        self._low, self._high = limits[:, 0], limits[:, 1]
        self._inner_low, self._inner_high = self._low + inner, self._high - inner
        self._most_held = np.array([each.most_held or NEVER for each in checks], np.int64)
        self._last = np.full(len(checks), np.nan)
        self._same = np.zeros(len(checks), np.int64)
        self._valid = self._means.copy()
        self._missing = np.zeros(len(checks), np.int64)
        self._outside = np.zeros(len(checks), np.bool_)

    def take(self, values: Array) -> tuple[Array, Iterator[tuple[str, float]]]:
        """Return the observation for the detector, and by name the alarms whose conditions hold, with the readings.

        Args:
            values: (1, width) readings.
        """
        row: FloatArray = values[0]
        invalid = ~(np.abs(row) <= MAX_READING)
        filled = values
        if invalid.any():
            filled = self._filled(row, invalid)[None]
            # An invalid reading says nothing about ranges and held values.
            row = np.where(invalid, self._last, row)
        else:
            self._missing = np.zeros_like(self._missing)
            self._valid = row
        # A comparison with NaN is false: before its first reading a channel is neither outside nor held.
        outside = (row < self._low) | (row > self._high)
        if self._outside.any():
            outside |= self._outside & ((row < self._inner_low) | (row > self._inner_high))
        self._outside = outside & ~invalid
        self._same = np.where(invalid, self._same, np.where(row == self._last, self._same + 1, 1))
        self._last = row
        stuck = (self._same > self._most_held) & ~invalid
        return filled, self._named(values[0], invalid, self._outside, stuck)

    def _filled(self, row: FloatArray, invalid: BoolArray) -> FloatArray:
        """Return readings with other values in place of invalid ones, as the rules say."""
        self._missing = np.where(invalid, self._missing + 1, 0)
        self._valid = np.where(invalid, self._valid, row)
        if self._rules.missing == "alarm":
            return row
        if self._rules.missing == "mask":
            return np.asarray(np.where(invalid, self._means, row))
        held = invalid & (self._missing <= self._rules.most_held)
        return np.asarray(np.where(held, self._valid, row))

    def _named(self, row: FloatArray, *held: BoolArray) -> Iterator[tuple[str, float]]:
        for alarm, mask in zip(("invalid", "range", "stuck"), held, strict=True):
            if mask.any():
                for index in np.flatnonzero(mask).tolist():
                    yield f"{alarm}:{self.names[index]}", float(row[index])

    def restart(self) -> None:
        """Forget held values, as after a break."""
        self._last, self._same = np.full_like(self._means, np.nan), np.zeros_like(self._same)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {name: array_to_plain(values) for name, values in self._arrays().items()}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from the result of :meth:`to_dict`.

        Raises:
            DamagedFile: It is the state of other channels.
        """
        for name, values in self._arrays().items():
            found = array_from_plain(data[name])
            if found.shape != values.shape or found.dtype != values.dtype:
                raise DamagedFile(f"the state of {len(found)} channels is not one of {len(values)}.")
            setattr(self, f"_{name}", found)

    def _arrays(self) -> dict[str, Array]:
        return {name: getattr(self, f"_{name}") for name in ("last", "same", "valid", "missing", "outside")}
