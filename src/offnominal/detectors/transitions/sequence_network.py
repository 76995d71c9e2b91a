"""Base class of recurrent networks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import UnsupportedExport
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.contributions import Contributions
from offnominal.detectors.detector import Step, transitions
from offnominal.detectors.network_state import Network
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.transitions.network_detector import NetworkDetector
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.training_rows import TrainingRows

EPISODES = 64
CHUNK = 4096


@dataclass(kw_only=True, eq=False)
class SequenceNetwork(NetworkDetector[Network]):
    """A recurrent network from the episode so far to the change of the observation.

    The state is an array with one row per episode, zero before the first transition.

    Args:
        batch_size: Episodes per gradient step.

    Note:
        :class:`NetworkDetector` has the other arguments.
    """

    @abstractmethod
    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        """Return scores (n, time) from inputs and actual changes, and the next state."""

    @abstractmethod
    def _terms(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        """Return the terms (n, time, channels) that add up to the scores, and the next state."""

    @abstractmethod
    def _row_scores(
        self, inputs: SinglePrecision, changes: FloatArray, state: SinglePrecision
    ) -> tuple[FloatArray, SinglePrecision]:
        """Return the score and the next state of one step of one episode up to rounding, without torch."""

    @abstractmethod
    def _state_width(self) -> int:
        """Return the size of the state of an episode."""

    def _zero_state(self, n: int) -> Tensor:
        """Return the state before the first transition of each of n episodes, on the device of the network."""
        return torch.zeros(n, self._state_width(), device=self.device_)

    def _inputs(self, observations: Array, actions: Array) -> SinglePrecision:
        """Return the inputs of each step."""
        return self.scaling_.inputs(observations, actions)

    def _of_step(self, step: Step) -> tuple[SinglePrecision, FloatArray]:
        """Return inputs and changes of the transition of one episode."""
        return self.scaling_.of_step(step.observation, step.action, step.next_observation)

    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        inputs, changes = self._sequences(episodes)
        real = padded([np.ones(len(episode)) for episode in episodes])
        lengths = torch.tensor([len(episode) for episode in episodes])
        return TrainingRows(self._tensor(inputs), self._tensor(changes), self._tensor(real), lengths)

    def _sequences(self, episodes: Sequence[Episode]) -> tuple[Array, Array]:
        """Return inputs and changes, (episodes, longest, width)."""
        parts = [transitions([episode]) for episode in episodes]
        inputs = padded([self._inputs(observations, actions) for observations, actions, _ in parts])
        return inputs, padded([self.scaling_.changes(observations, after) for observations, _, after in parts])

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = [np.empty(0)] * len(episodes)
        order = sorted(range(len(episodes)), key=lambda number: len(episodes[number]))
        for first in range(0, len(order), EPISODES):
            group = order[first : first + EPISODES]
            found = self._score_together([episodes[number] for number in group])
            for number, values in zip(group, found, strict=True):
                scores[number] = values[: len(episodes[number])].copy()
        return scores

    @torch.inference_mode()
    def _score_together(self, episodes: Sequence[Episode]) -> FloatArray:
        """Return scores (episodes, longest); scores after the end of an episode are undefined."""
        inputs, changes = self._sequences(episodes)
        scores, state = np.empty(changes.shape[:2]), self._zero_state(len(episodes))
        steps = CHUNK // len(episodes)
        with deterministic_kernels(self.device_):
            for first in range(0, changes.shape[1], steps):
                part = slice(first, first + steps)
                scores[:, part], state = self._anomaly_scores(self._tensor(inputs[:, part]), changes[:, part], state)
        return scores

    @torch.inference_mode()
    def _contributions(self, episode: Episode) -> Contributions:
        inputs, changes = self._sequences([episode])
        terms, state = np.empty(changes.shape), self._zero_state(1)
        with deterministic_kernels(self.device_):
            for first in range(0, changes.shape[1], CHUNK):
                part = slice(first, first + CHUNK)
                terms[:, part], state = self._terms(self._tensor(inputs[:, part]), changes[:, part], state)
        return Contributions.sums(terms[0], self.widths_)

    def _start(self, n: int) -> SinglePrecision:
        return np.zeros((n, self._state_width()), np.float32)

    def _update(self, state: SinglePrecision, step: Step) -> tuple[SinglePrecision, FloatArray]:
        n = len(step)
        if n == 1:
            score, next_state = self._row_scores(*self._of_step(step), state)
            return next_state, score
        before, actions, after = (
            np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation)
        )
        inputs, changes = self._inputs(before, actions), self.scaling_.changes(before, after)
        with torch.inference_mode(), deterministic_kernels(self.device_):
            scores, remembered = self._anomaly_scores(
                self._tensor(inputs)[:, None], changes[:, None], self._tensor(state)
            )
        return remembered.cpu().numpy(), scores[:, 0]

    def _torch_scores(self, inputs: Tensor, changes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the same as :meth:`_anomaly_scores` by torch operators."""
        raise UnsupportedExport(f"{self.name} has no ONNX form: it does not implement `_torch_scores`.")

    def _torch_inputs(self, step: TorchStep) -> Tensor:
        """Return the inputs of a step by torch operators."""
        return self.scaling_.torch_inputs(step.observation, step.action)

    def _torch_update(self, state: Tensor, step: TorchStep) -> tuple[Tensor, Tensor]:
        changes = self.scaling_.torch_changes(step.observation, step.next_observation)
        scores, state = self._torch_scores(self._torch_inputs(step)[:, None], changes[:, None], state)
        return state, scores[:, 0]


def padded(sequences: Sequence[Array]) -> Array:
    """Return sequences of different length as one array, padded with zeros.

    Example:
        >>> padded([np.array([1, 2]), np.array([3])])
        array([[1, 2],
               [3, 0]])
    """
    longest = max(len(sequence) for sequence in sequences)
    together = np.zeros((len(sequences), longest, *sequences[0].shape[1:]), sequences[0].dtype)
    for row, sequence in zip(together, sequences, strict=True):
        row[: len(sequence)] = sequence
    return together
