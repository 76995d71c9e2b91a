"""Several detectors together."""

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
KEPT = 4096
HELD_OUT = 5


class Fusion(Detector):
    """The mean rank of several detectors' scores among nominal ones.

    Ranks make scores of different units comparable. Above all nominal scores ranks go on to rise, ever more slowly, so
    that what is far stranger still ranks higher. They are learned from `validation`, or else from every fifth episode,
    which the detectors then do not see: of what it learned by heart no detector thinks it strange.

    Args:
        detectors: Each a detector, a name, or a pair of a name and parameters.

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
        for each in detectors:
            if not isinstance(each, str | Detector) and not _is_pair(each):
                raise InvalidParameter(f"{shown(each)} is no detector, nor a name, nor a pair of name and parameters.")
        self.detectors = tuple(detectors)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.detectors_ = [_made(each) for each in self.detectors]
        known, held_out = list(episodes), list(validation or ())
        if not held_out:
            held_out = known[::HELD_OUT]
            known = [episode for number, episode in enumerate(known) if number % HELD_OUT] or known
        self.nominal_: list[FloatArray] = []
        for detector in self.detectors_:
            detector.fit(known, seed=seed)
            scores = np.sort(np.concatenate(detector.score(held_out)))
            if len(scores) > KEPT:
                scores = scores[np.linspace(0, len(scores) - 1, KEPT).astype(int)]
            self.nominal_.append(scores)

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        by_detector = [detector.score(episodes) for detector in self.detectors_]
        return [self._together(parts) for parts in zip(*by_detector, strict=True)]

    def _together(self, parts: Sequence[FloatArray]) -> FloatArray:
        total = np.zeros(len(parts[0]))
        for scores, nominal in zip(parts, self.nominal_, strict=True):
            total += ranks(scores, nominal)
        return total / len(self.nominal_)

    def _start(self, n: int) -> tuple[Any, ...]:
        return tuple(detector.start(n) for detector in self.detectors_)

    def _restart(self, state: tuple[Any, ...], rows: Array) -> tuple[Any, ...]:
        return tuple(d.restart(each, rows) for d, each in zip(self.detectors_, state, strict=True))

    def _update(self, state: tuple[Any, ...], step: Step) -> tuple[tuple[Any, ...], FloatArray]:
        updated = [d.update(each, step) for d, each in zip(self.detectors_, state, strict=True)]
        return tuple(after for after, _ in updated), self._together([scores for _, scores in updated])

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        made = [_made(each) for each in self.detectors]
        return {"detectors": [[name_of(detector), detector.get_params()] for detector in made]}

    def _state_dict(self) -> dict[str, Array]:
        """Return what each detector learned, and its nominal scores."""
        found: dict[str, Array] = {}
        for number, (detector, nominal) in enumerate(zip(self.detectors_, self.nominal_, strict=True)):
            found[f"{number}.nominal"] = nominal
            found |= {f"{number}.learned.{name}": values for name, values in detector.state_dict().items()}
        return found

    def _load_state_dict(self, state: StateArrays) -> None:
        self.detectors_, self.nominal_ = [], []
        for number, each in enumerate(self.detectors):
            detector = copy(_made(each))
            detector.load_state_dict(state.part(f"{number}.learned."))
            # Those that give choices a column each know more columns than this, which gives them none.
            if detector.widths_[0] != self.widths_[0]:
                raise DamagedFile(
                    f"detector {number} has learned from {detector.widths_[0]} numbers, not as the fusion."
                )
            self.detectors_.append(detector)
            nominal = state.floats(f"{number}.nominal", (f"{number} scores",))
            self.nominal_.append(nominal)
            if (np.diff(nominal) < 0).any():
                raise DamagedFile(f"the nominal scores of detector {number} do not ascend.")


def ranks(scores: FloatArray, nominal: FloatArray) -> FloatArray:
    """Return the ranks of scores among sorted nominal ones, from 0 to 1; ties share theirs.

    Example:
        >>> ranks(np.array([0.0, 2.0, 2.5, 4.0, 40.0]), np.array([1.0, 2.0, 3.0, 4.0])).round(3).tolist()
        [0.0, 0.3, 0.4, 0.7, 0.995]
    """
    below, upto = (np.searchsorted(nominal, scores, side=side) for side in ("left", "right"))
    count = len(nominal)
    top = nominal[-1]
    width = top - nominal[count // 2]
    beyond = np.maximum(scores - top, 0.0) / (width if width > 0.0 else 1.0)
    found: FloatArray = (0.5 * (below + upto) + beyond / (1.0 + beyond)) / (count + 1)
    return found


def _is_pair(given: Any) -> bool:
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and isinstance(given[0], str) and isinstance(given[1], Mapping)


def _made(given: Named) -> Detector:
    if isinstance(given, Detector):
        return given
    name, parameters = (given, {}) if isinstance(given, str) else given
    return make_detector(name, **dict(parameters))
