"""Errors of this room."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter


class InvalidLabels(InvalidParameter):
    """Labels, alarms or onsets that do not fit the episodes."""
