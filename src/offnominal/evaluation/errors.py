"""Errors of this room."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter


class InvalidScores(InvalidParameter):
    """Scores that cannot be judged: none, not numbers, or of another length than their episode."""


class InvalidLabels(InvalidParameter):
    """Labels, alarms or onsets that do not fit the episodes."""
