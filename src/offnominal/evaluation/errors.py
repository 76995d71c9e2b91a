"""Errors of the evaluation."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter


class InvalidLabels(InvalidParameter):
    """Labels, alarms or onsets do not match the episodes."""
