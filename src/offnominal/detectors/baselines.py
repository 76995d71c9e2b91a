"""Baselines whose scores do not depend on the transition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from offnominal.core.checks import LARGEST_INTEGER
from offnominal.core.episode import Episode
from offnominal.core.errors import UnsupportedExport
from offnominal.core.philox import fill_uniform
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.content_hash import chained_hashes, history_hashes
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.torch_step import TorchStep


class Time(Detector):
    """Elapsed-time baseline: the score is the index of the transition.

    A fault begins at a random time and stays, so elapsed time alone ranks every faulty step of an episode above every
    nominal one. A metric on which this baseline does well measures elapsed time.

    Example:
        >>> from offnominal.agents import expert
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 1)
        >>> Time().fit(episodes).score(episodes)[0][:3]
        array([0., 1., 2.])
    """

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        pass

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        return [np.arange(len(episode), dtype=np.float64) for episode in episodes]

    def _start(self, n: int) -> IntArray:
        return np.zeros(n, np.int64)

    def _update(self, state: IntArray, step: Step) -> tuple[IntArray, FloatArray]:
        return state + 1, state.astype(np.float64)

    def _torch_update(self, state: Tensor, step: TorchStep) -> tuple[Tensor, Tensor]:
        return state + 1, state.double()

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments: there are none."""
        return {}


class Random(Time):
    """Random baseline: uniform scores.

    A score is a function of the seed of `fit` and of all observations of the episode so far. So it is the same online
    and in a batch, and two equal images of an episode have different scores.
    """

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.seed_ = seed

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        return [self._drawn(chained_hashes(episode.observations[1:])) for episode in episodes]

    def _update(self, state: IntArray, step: Step) -> tuple[IntArray, FloatArray]:
        history = history_hashes(state, step.next_observation)
        return history, self._drawn(history)

    def _torch_update(self, state: Tensor, step: TorchStep) -> tuple[Tensor, Tensor]:
        raise UnsupportedExport("the score of Random is a random number; ONNX has no such numbers.")

    def _drawn(self, history: IntArray) -> FloatArray:
        """Return a uniform number for each history."""
        drawn = np.empty((len(history), 1))
        keys = stream_keys(history, np.full(len(history), self.seed_), "detector")
        fill_uniform(keys, np.zeros(len(history), np.int64), 0, drawn)
        return drawn[:, 0]

    def _state_dict(self) -> dict[str, Array]:
        return {"seed": np.array([self.seed_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.seed_ = state.integer("seed", low=-LARGEST_INTEGER, high=LARGEST_INTEGER)
