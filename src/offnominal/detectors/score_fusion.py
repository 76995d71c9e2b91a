"""Multimodal fusion: the scores of several detectors for the same frames, such as images and symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter, InvalidScores, NotFitted
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.nominal_scores import NominalScores

Normalisation = Literal["minmax", "rank"]
ByDetector = Mapping[str, Sequence[Array]]
"""Scores of all episodes, one array each, by detector."""


@dataclass(eq=False)
class ScoreFusion:
    """Mean of the normalised scores of several detectors for the same frames.

    Every detector has a normaliser of its own, fitted to its scores of nominal validation episodes. A detector with
    another context, or another training, is another detector. Sums of raw scores, or of scores with the normaliser of
    another detector, are decided by the detector with the largest unit.

    With `drift`, the result is a cumulative sum over the frames of an episode: a small but lasting increase reaches a
    high score, and a single high score of a nominal episode does not.

    Args:
        normalisation: ``"minmax"`` for units of the nominal range, without limits; ``"rank"`` for ranks among nominal
            scores.
        drift: None for scores of single frames. Otherwise the cumulative sum of the fused scores, in units of their
            nominal standard deviation above the nominal mean, less this number per frame; never below zero.

    Example:
        >>> nominal = {"visual": [[0.1, 0.3], [0.2, 0.2]], "symbolic": [[0.0, 9.0], [3.0, 6.0]]}
        >>> fusion = ScoreFusion().fit(nominal)
        >>> fusion.fuse({"visual": [[0.2, 0.4]], "symbolic": [[4.5, 9.0]]})
        [array([0.5 , 1.25])]
    """

    normalisation: Normalisation = "minmax"
    drift: float | None = None
    nominal_: dict[str, NominalScores] = field(init=False, repr=False)
    mean_: float = field(init=False, repr=False)
    deviation_: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        one_of("normalisation", self.normalisation, ("minmax", "rank"))
        if self.drift is not None:
            number_in("drift", self.drift, 0.0)

    def fit(self, nominal: ByDetector) -> Self:
        """Fit the normaliser of each detector.

        Args:
            nominal: Scores of nominal episodes that the detectors were not fitted to, by detector.
        """
        scores = _checked(nominal)
        self.nominal_ = {name: NominalScores.of(np.concatenate(rows)) for name, rows in scores.items()}
        pooled = np.concatenate([self._fused(parts) for parts in _by_episode(scores)])
        self.mean_, self.deviation_ = float(pooled.mean()), float(pooled.std()) or 1.0
        return self

    def fuse(self, scores: ByDetector) -> list[FloatArray]:
        """Return the fused scores of each episode.

        Args:
            scores: Scores of the same episodes by every detector of `fit`; see :func:`align_frames` for detectors that
                score different frames.
        """
        if not hasattr(self, "nominal_"):
            raise NotFitted("ScoreFusion is not fitted; call fit first.")
        given = _checked(scores)
        if given.keys() != self.nominal_.keys():
            raise InvalidParameter(
                f"there are scores of {', '.join(given)}; the fusion was fitted to {', '.join(self.nominal_)}."
            )
        fused = [self._fused(parts) for parts in _by_episode(given)]
        return fused if self.drift is None else [self._cumulative(row) for row in fused]

    def _fused(self, parts: Mapping[str, FloatArray]) -> FloatArray:
        rank = self.normalisation == "rank"
        normalised = [
            nominal.ranks(parts[name]) if rank else nominal.scaled(parts[name])
            for name, nominal in self.nominal_.items()
        ]
        return np.asarray(np.mean(normalised, axis=0))

    def _cumulative(self, scores: FloatArray) -> FloatArray:
        """Return the one-sided cumulative sum of an episode, which is the sum since its lowest point so far."""
        total = np.cumsum((scores - self.mean_) / self.deviation_ - (self.drift or 0.0))
        return np.asarray(total - np.minimum(np.minimum.accumulate(total), 0.0))


def align_frames(scores: Mapping[str, Array], frames: Mapping[str, Array]) -> tuple[IntArray, dict[str, FloatArray]]:
    """Return the frames of an episode that every detector scored, in ascending order, and their scores.

    Args:
        scores: Scores of one episode, by detector.
        frames: Frame number of each score, by detector.

    Raises:
        InvalidParameter: A detector has no frame numbers, another number of them, or the same one twice.

    Example:
        >>> align_frames({"a": [5.0, 6.0, 7.0], "b": [1.0, 2.0]}, {"a": [0, 1, 2], "b": [2, 1]})
        (array([1, 2]), {'a': array([6., 7.]), 'b': array([2., 1.])})
    """
    numbers = {name: np.asarray(frames.get(name, ())) for name in scores}
    for name, given in numbers.items():
        if given.shape != np.shape(scores[name]) or len(np.unique(given)) < len(given):
            raise InvalidParameter(
                f"{name} has {np.size(scores[name])} scores for {len(np.unique(given))} different frames; give the "
                "frame of every score once."
            )
    common = sorted(set.intersection(*(set(each.tolist()) for each in numbers.values())))
    together: IntArray = np.array(common, np.int64)
    aligned = {}
    for name, given in numbers.items():
        order = np.argsort(given)
        aligned[name] = np.asarray(scores[name], np.float64)[order[np.searchsorted(given[order], together)]]
    return together, aligned


def _checked(scores: ByDetector) -> dict[str, list[FloatArray]]:
    """Return scores as arrays, or raise an error unless all detectors have finite scores of the same frames."""
    if not isinstance(scores, Mapping) or not scores:
        raise InvalidParameter("there are no scores; give those of at least one detector, by its name.")
    found = {name: [np.asarray(row, np.float64) for row in rows] for name, rows in scores.items()}
    (first, expected), *others = ((name, [row.shape for row in rows]) for name, rows in found.items())
    for name, shapes in others:
        if shapes != expected:
            raise InvalidScores(f"{name} has not as many scores as {first} in every episode; align their frames.")
    for name, rows in found.items():
        if not rows or any(row.ndim != 1 or not np.isfinite(row).all() for row in rows):
            raise InvalidScores(f"the scores of {name} are not one finite number per frame.")
    return found


def _by_episode(scores: Mapping[str, Sequence[FloatArray]]) -> list[dict[str, FloatArray]]:
    """Return the scores of each episode, by detector."""
    return [dict(zip(scores, parts, strict=True)) for parts in zip(*scores.values(), strict=True)]
