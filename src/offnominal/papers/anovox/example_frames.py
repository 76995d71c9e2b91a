"""Frames of a cell that its report shows: a hit, a miss and a false alarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.evaluation.scenes import ScoredFrame
from offnominal.evaluation.scenes.elements import Unit

LEAST = 3
"""Least number of anomalous elements of a hit or a miss."""


@dataclass(frozen=True, slots=True)
class ExampleFrame:
    """A frame with the outcome that it shows.

    Args:
        outcome: ``"hit"``, ``"miss"`` or ``"false alarm"``.
        scene: Id of its scene.
        number: Its number.
    """

    outcome: str
    scene: str
    number: int


@dataclass(frozen=True, slots=True)
class _Counts:
    """Anomalous elements that are detected and missed, and normal ones that are detected."""

    frame: ScoredFrame
    found: int
    missed: int
    alarmed: int

    @property
    def f1(self) -> float:
        return 2.0 * self.found / max(2 * self.found + self.missed + self.alarmed, 1)


def choose_examples(frames: Sequence[ScoredFrame], unit: Unit, threshold: float) -> list[ExampleFrame]:
    """Return the frame with the highest F1, the one with most missed and the one with most falsely detected elements.

    No two of them are from the same scenario, if there are enough scenarios.

    Args:
        frames: Scored test frames.
        unit: Elements that count.
        threshold: Elements with at least this score are detected.
    """
    counted = [_counts(frame, unit, threshold) for frame in frames]
    shown = [each for each in counted if each.found + each.missed >= LEAST]
    wanted: tuple[tuple[str, list[_Counts], Callable[[_Counts], float]], ...] = (
        ("hit", shown, lambda each: each.f1),
        ("miss", shown, lambda each: each.missed),
        ("false alarm", counted, lambda each: each.alarmed),
    )
    chosen: list[ExampleFrame] = []
    used: set[str] = set()
    for outcome, candidates, value in wanted:
        possible = [each for each in candidates if value(each) > 0]
        fresh = [each for each in possible if each.frame.scenario not in used] or possible
        if fresh:
            best = max(fresh, key=value).frame
            used.add(best.scenario)
            chosen.append(ExampleFrame(outcome, best.scene, best.number))
    return chosen


def _counts(frame: ScoredFrame, unit: Unit, threshold: float) -> _Counts:
    scores, cut = frame.elements[unit], np.float32(threshold)
    found, alarmed = (int((each >= cut).sum()) for each in (scores.positives, scores.negatives))
    return _Counts(frame, found, len(scores.positives) - found, alarmed)
