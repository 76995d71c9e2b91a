"""Faults in pieces of the validation blocks, on which candidates are compared by what they detect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray
from offnominal.datasets.log_injection import inject_log
from offnominal.watch.tuning.time_blocks import piece

FAULTS = (
    ("observation/offset", 2.0),
    ("observation/drift", 0.01),
    ("observation/noise", 1.0),
    ("observation/frozen", None),
)
"""Anomalies and their strengths in nominal standard deviations of a channel (per step for the drift)."""
PIECES = 6
"""Pieces of a validation block, each with every fault."""
LONGEST, LEAD = 1200, 6
"""Steps of a piece at most; the fault begins after a sixth of them."""
LEAST = 12
"""Fewest steps of a piece."""


@dataclass(frozen=True)
class InjectedPieces:
    """Pieces of nominal episodes, each with a fault of one channel.

    Args:
        episodes: The pieces.
        onsets: First faulty transition of each.
        faults: Anomaly of each.
    """

    episodes: tuple[Episode, ...]
    onsets: tuple[int, ...]
    faults: tuple[str, ...]

    @classmethod
    def of(cls, nominal: Sequence[Episode], training: Sequence[Episode]) -> InjectedPieces:
        """Return pieces at equal distances, with every fault in one channel after the other.

        Args:
            nominal: Episodes of the validation blocks.
            training: Episodes whose standard deviations are the unit of the faults.
        """
        deviations = np.concatenate([each.observations for each in training]).astype(np.float64).std(axis=0)
        channels = np.flatnonzero(deviations > 0.0)
        if not channels.size:
            raise InvalidParameter("every channel is constant in the log; nothing can be detected in it.")
        found, onsets, ids = [], [], []
        pieces = _pieces(nominal)
        for kind, (anomaly, strength) in enumerate(FAULTS):
            for number, each in enumerate(pieces):
                channel = int(channels[(number + kind) % len(channels)])
                given = None if strength is None else strength * float(deviations[channel])
                onset = len(each) // LEAD
                (faulty,) = inject_log(
                    [each], anomaly, strength=given, schedule=onset, channels=[channel], repetition=number
                )
                found.append(faulty)
                onsets.append(onset)
                ids.append(anomaly)
        return cls(tuple(found), tuple(onsets), tuple(ids))

    def detected(self, raised: Sequence[BoolArray]) -> BoolArray:
        """Return whether each fault is detected: an alarm after its onset, and none before it."""
        return np.array(
            [
                bool(each[onset:].any()) and not each[:onset].any()
                for each, onset in zip(raised, self.onsets, strict=True)
            ]
        )


def _pieces(nominal: Sequence[Episode]) -> list[Episode]:
    places = [
        (episode, start)
        for episode in nominal
        for start in range(0, max(len(episode) - LONGEST, 0) + 1, LONGEST)
        if len(episode) >= LEAST
    ]
    if not places:
        longest = max(map(len, nominal), default=0)
        raise InvalidParameter(f"the longest nominal episode has {longest} transitions; give some of {LEAST} or more.")
    chosen = {int(index) for index in np.linspace(0, len(places) - 1, PIECES).round()}
    return [
        piece(episode, start, min(start + LONGEST, len(episode)))
        for episode, start in (places[index] for index in sorted(chosen))
    ]
