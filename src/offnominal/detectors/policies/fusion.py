"""Fusion of several detectors by the ranks of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np

from offnominal.core.checks import shown
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.state_arrays import StateArrays

Named = str | tuple[str, Mapping[str, Any]] | list[Any] | Detector
"""A detector, its name, or its name and its parameters."""
MAX_NOMINAL = 4096
"""Largest number of nominal scores per detector."""

HELD_OUT = 5
"""Every fifth episode is held out for the nominal scores."""


class Fusion(Detector):
    """Mean rank of the scores of several detectors among their nominal scores.

    Ranks make scores of different units comparable. Above the largest nominal score the rank still increases, with a
    decreasing slope, so larger scores keep larger ranks. The nominal scores are those of `validation`, or else of every
    fifth episode, which the detectors are then not fitted to: scores of training episodes would be too small.

    Args:
        detectors: Detectors, names, or pairs of a name and parameters.

    Example:
        >>> import offnominal as off
        >>> nominal = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 20)
        >>> scores = Fusion(("KNN", ("Mahalanobis", {"view": "transition"}))).fit(nominal).score(nominal)
        >>> bool(0.0 <= scores[0].min() <= scores[0].max() <= 1.0)
        True
    """

    raw_discrete_actions: ClassVar[bool] = True

    def __init__(self, detectors: Sequence[Named] = ("KNN", "Mahalanobis")) -> None:
        if not isinstance(detectors, list | tuple) or not detectors:
            raise InvalidParameter(f"detectors is {shown(detectors)}; give at least one in a list.")
        for part in detectors:
            if not isinstance(part, str | Detector) and not _is_pair(part):
                raise InvalidParameter(
                    f"{shown(part)} is not a detector; expected a detector, a name, or a pair of name and parameters."
                )
        self.detectors = tuple(detectors)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.detectors_ = [_made(part) for part in self.detectors]
        training, held_out = list(episodes), list(validation or ())
        if not held_out:
            held_out = training[::HELD_OUT]
            training = [episode for number, episode in enumerate(training) if number % HELD_OUT] or training
        self.nominal_: list[FloatArray] = []
        for detector in self.detectors_:
            detector.fit(training, seed=seed)
            scores = np.sort(np.concatenate(detector.score(held_out)))
            if len(scores) > MAX_NOMINAL:
                scores = scores[np.linspace(0, len(scores) - 1, MAX_NOMINAL).astype(int)]
            self.nominal_.append(scores)

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        by_detector = [detector.score(episodes) for detector in self.detectors_]
        return [self._mean_rank(parts) for parts in zip(*by_detector, strict=True)]

    def _mean_rank(self, parts: Sequence[FloatArray]) -> FloatArray:
        total = np.zeros(len(parts[0]))
        for scores, nominal in zip(parts, self.nominal_, strict=True):
            total += ranks(scores, nominal)
        return total / len(self.nominal_)

    def _start(self, n: int) -> tuple[Any, ...]:
        return tuple(detector.start(n) for detector in self.detectors_)

    def _restart(self, state: tuple[Any, ...], rows: Array) -> tuple[Any, ...]:
        return tuple(detector.restart(part, rows) for detector, part in zip(self.detectors_, state, strict=True))

    def _update(self, state: tuple[Any, ...], step: Step) -> tuple[tuple[Any, ...], FloatArray]:
        updated = [detector.update(part, step) for detector, part in zip(self.detectors_, state, strict=True)]
        return tuple(after for after, _ in updated), self._mean_rank([scores for _, scores in updated])

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        made = [_made(part) for part in self.detectors]
        return {"detectors": [[name_of(detector), detector.get_params()] for detector in made]}

    def _state_dict(self) -> dict[str, Array]:
        """Return the state of each detector, and its nominal scores."""
        arrays: dict[str, Array] = {}
        for number, (detector, nominal) in enumerate(zip(self.detectors_, self.nominal_, strict=True)):
            arrays[f"{number}.nominal"] = nominal
            arrays |= {f"{number}.learned.{name}": values for name, values in detector.state_dict().items()}
        return arrays

    def _load_state_dict(self, state: StateArrays) -> None:
        self.detectors_, self.nominal_ = [], []
        for number, part in enumerate(self.detectors):
            detector = copy(_made(part))
            detector.load_state_dict(state.part(f"{number}.learned."))
            # Widths of actions may differ: a part may use one-hot columns for discrete actions, the fusion uses none.
            if detector.widths_[0] != self.widths_[0]:
                raise DamagedFile(
                    f"detector {number} was fitted to observations of width {detector.widths_[0]}; the fusion was not."
                )
            self.detectors_.append(detector)
            nominal = state.floats(f"{number}.nominal", (f"{number} scores",))
            self.nominal_.append(nominal)
            if (np.diff(nominal) < 0).any():
                raise DamagedFile(f"the nominal scores of detector {number} are not sorted.")


def ranks(scores: FloatArray, nominal: FloatArray) -> FloatArray:
    """Return the ranks of scores among sorted nominal scores, from 0 to 1; ties have equal ranks.

    Example:
        >>> ranks(np.array([0.0, 2.0, 2.5, 4.0, 40.0]), np.array([1.0, 2.0, 3.0, 4.0])).round(3).tolist()
        [0.0, 0.3, 0.4, 0.7, 0.995]
    """
    below, up_to = (np.searchsorted(nominal, scores, side=side) for side in ("left", "right"))
    count = len(nominal)
    top = nominal[-1]
    width = top - nominal[count // 2]
    beyond = np.maximum(scores - top, 0.0) / (width if width > 0.0 else 1.0)
    result: FloatArray = (0.5 * (below + up_to) + beyond / (1.0 + beyond)) / (count + 1)
    return result


def _is_pair(given: Any) -> bool:
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and isinstance(given[0], str) and isinstance(given[1], Mapping)


def _made(given: Named) -> Detector:
    if isinstance(given, Detector):
        return given
    name, parameters = (given, {}) if isinstance(given, str) else given
    return make_detector(name, **dict(parameters))
