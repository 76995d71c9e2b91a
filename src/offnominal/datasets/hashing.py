"""Hash of the content of episodes, independent of the file format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np

from offnominal.core.checks import instances_of
from offnominal.core.episode import Episode


class ContentHash:
    """SHA-256 of a sequence of episodes.

    The hash covers the seed and the events (anomaly, parameter, onset, end and channels as JSON) of each episode, and
    then all arrays in alphabetical order of their names: name, type, shape and bytes. It does not depend on the file
    format.
    """

    def __init__(self) -> None:
        self._total = hashlib.sha256()

    def add(self, episode: Episode) -> None:
        """Add an episode."""
        events = [[event.anomaly, event.parameter, event.onset, event.end, event.channels] for event in episode.events]
        self._total.update(json.dumps([episode.seed, *events]).encode())
        for name, values in sorted(episode.arrays().items()):
            little = values.dtype.newbyteorder("<")
            self._total.update(f"{name} {little.str} {values.shape}".encode())
            self._total.update(np.ascontiguousarray(values, little).data if values.size else b"")

    def hexdigest(self) -> str:
        """Return the hash so far."""
        return self._total.hexdigest()


def content_hash(episodes: Iterable[Episode]) -> str:
    """Return the hash of the content of episodes.

    Example:
        >>> episode = Episode(np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool))
        >>> content_hash([episode]) == content_hash([episode, episode])
        False
    """
    content = ContentHash()
    for episode in instances_of("episodes", episodes, Episode):
        content.add(episode)
    return content.hexdigest()
