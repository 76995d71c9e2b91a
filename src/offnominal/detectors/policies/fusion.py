"""Fusion of several detectors by the ranks of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, UnsupportedExport
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.fused_parts import HELD_OUT, PartKind, learned_arrays
from offnominal.detectors.nominal_scores import NominalScores
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.torch_step import TorchStep

Named = str | tuple[str, Mapping[str, Any]] | list[Any] | Detector
"""A detector, its name, or its name and its parameters."""
PARTS: PartKind[Detector] = PartKind(Detector, make_detector, name_of)  # type: ignore[type-abstract]


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
        PARTS.check(detectors)
        self.detectors = tuple(detectors)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.detectors_ = PARTS.all_made(self.detectors)
        training, held_out = list(episodes), list(validation or ())
        if not held_out:
            held_out = training[::HELD_OUT]
            training = [episode for number, episode in enumerate(training) if number % HELD_OUT] or training
        self.nominal_: list[NominalScores] = []
        for detector in self.detectors_:
            detector.fit(training, seed=seed)
            self.nominal_.append(NominalScores.of(np.concatenate(detector.score(held_out))))

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        by_detector = [detector.score(episodes) for detector in self.detectors_]
        return [self._mean_rank(parts) for parts in zip(*by_detector, strict=True)]

    def _mean_rank(self, parts: Sequence[FloatArray]) -> FloatArray:
        total = np.zeros(len(parts[0]))
        for scores, nominal in zip(parts, self.nominal_, strict=True):
            total += nominal.ranks(scores)
        return total / len(self.nominal_)

    def _start(self, n: int) -> tuple[Any, ...]:
        return tuple(detector.start(n) for detector in self.detectors_)

    def _restart(self, state: tuple[Any, ...], rows: Array) -> tuple[Any, ...]:
        return tuple(detector.restart(part, rows) for detector, part in zip(self.detectors_, state, strict=True))

    def _update(self, state: tuple[Any, ...], step: Step) -> tuple[tuple[Any, ...], FloatArray]:
        updated = [detector.update(part, step) for detector, part in zip(self.detectors_, state, strict=True)]
        return tuple(after for after, _ in updated), self._mean_rank([scores for _, scores in updated])

    def _torch_update(self, state: tuple[Any, ...], step: TorchStep) -> tuple[tuple[Any, ...], Tensor]:
        import torch

        from offnominal.detectors.export.step import update

        if any(detector.pixel_observations for detector in self.detectors_):
            raise UnsupportedExport("a fusion of detectors of images has no ONNX form in this version.")
        updated = [update(detector, part, step) for detector, part in zip(self.detectors_, state, strict=True)]
        ranks = [nominal.torch_ranks(scores) for nominal, (_, scores) in zip(self.nominal_, updated, strict=True)]
        return tuple(after for after, _ in updated), torch.stack(ranks).mean(0)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"detectors": PARTS.params(self.detectors)}

    def _state_dict(self) -> dict[str, Array]:
        """Return the state of each detector, and its nominal scores."""
        nominal = {f"{number}.nominal": each.values for number, each in enumerate(self.nominal_)}
        return nominal | learned_arrays(self.detectors_)

    def _load_state_dict(self, state: StateArrays) -> None:
        self.detectors_ = PARTS.restored(self.detectors, state)
        for number, detector in enumerate(self.detectors_):
            # Widths of actions may differ: a part may use one-hot columns for discrete actions, the fusion uses none.
            if detector.widths_[0] != self.widths_[0]:
                raise DamagedFile(
                    f"detector {number} was fitted to observations of width {detector.widths_[0]}; the fusion was not."
                )
        self.nominal_ = [NominalScores.restored(state, f"{number}.nominal") for number in range(len(self.detectors))]
