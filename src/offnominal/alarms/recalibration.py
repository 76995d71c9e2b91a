"""The record of a calibration that was made again, such as after maintenance."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.config import Config


@dataclass(frozen=True)
class Recalibration(Config):
    """What a calibration that was made again has changed.

    Args:
        since: Time from which on episodes were used.
        episodes: Number of these episodes.
        left_out: Number of earlier ones, which were not used.
        threshold_before: Threshold of the calibration before.
        threshold: Threshold of the new one.
        guarantee: Guarantee of the new one, in words.

    Example:
        >>> print(Recalibration(10.0, 40, 60, 7.2, 5.1, "a false alarm in at most 5% of nominal episodes"))
        since 10: threshold 5.1 instead of 7.2, from 40 episodes; 60 earlier ones left out
    """

    since: float
    episodes: int
    left_out: int
    threshold_before: float
    threshold: float
    guarantee: str

    def __str__(self) -> str:
        return (
            f"since {self.since:.15g}: threshold {self.threshold:g} instead of {self.threshold_before:g}, from "
            f"{self.episodes:,} episodes; {self.left_out:,} earlier ones left out"
        )
