"""The hash of what episodes hold, whatever file they lie in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np

from offnominal.core.episode import Episode


class ContentHash:
    """SHA-256 over episodes, one after the other.

    Of each: its seed and, per event, anomaly, parameter, onset, end and channels as JSON; then of every array, in the
    alphabetical order of their names, a header with name, type and shape, and the bytes. No version of a file format
    can change it.
    """

    def __init__(self) -> None:
        self._total = hashlib.sha256()

    def add(self, episode: Episode) -> None:
        """Take one more episode into account."""
        events = [[each.anomaly, each.parameter, each.onset, each.end, each.channels] for each in episode.events]
        self._total.update(json.dumps([episode.seed, *events]).encode())
        for name, values in sorted(episode.arrays().items()):
            little = values.dtype.newbyteorder("<")
            self._total.update(f"{name} {little.str} {values.shape}".encode())
            self._total.update(np.ascontiguousarray(values, little).data if values.size else b"")

    def hexdigest(self) -> str:
        """Return the hash so far."""
        return self._total.hexdigest()


def content_hash(episodes: Iterable[Episode]) -> str:
    """Return the hash of some episodes.

    Example:
        >>> episode = Episode(np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool))
        >>> content_hash([episode]) == content_hash([episode, episode])
        False
    """
    content = ContentHash()
    for episode in episodes:
        content.add(episode)
    return content.hexdigest()
