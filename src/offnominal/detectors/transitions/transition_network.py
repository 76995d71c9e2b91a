"""Base class of networks on single transitions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import UnsupportedExport
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.contributions import Contributions
from offnominal.detectors.detector import Step, TransitionDetector, transitions
from offnominal.detectors.network_state import Network
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.transitions.network_detector import NetworkDetector
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.training_rows import RowBatch, TrainingRows

CHUNK, GPU_CHUNK = 512, 4096
"""Transitions that are scored at the same time on a CPU and on a GPU."""


@dataclass(kw_only=True, eq=False)
class TransitionNetwork(NetworkDetector[Network], TransitionDetector):
    """A network from observation and action to the change of the observation.

    Args:
        batch_size: Transitions per gradient step.
        episode_batches: Whether a gradient step has as many transitions as an episode on average, as published, in
            place of `batch_size`.

    Note:
        :class:`NetworkDetector` has the other arguments.
    """

    episode_batches: bool = False

    @abstractmethod
    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        """Return one score per row from inputs and actual changes."""

    @abstractmethod
    def _terms(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        """Return the terms (n, channels) that add up to the scores."""

    @abstractmethod
    def _row_scores(self, inputs: SinglePrecision, changes: FloatArray) -> FloatArray:
        """Return the score of one row up to rounding, without torch."""

    def _update(self, state: None, step: Step) -> tuple[None, FloatArray]:
        if len(step) > 1:
            return super()._update(state, step)
        return None, self._row_scores(*self.scaling_.of_step(step.observation, step.action, step.next_observation))

    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        observations, actions, after = transitions(episodes)
        inputs = self._tensor(self.scaling_.inputs(observations, actions))
        changes = self._tensor(self.scaling_.changes(observations, after))
        return TrainingRows(inputs, changes, torch.ones(len(inputs), device=self.device_))

    def _batches(
        self, episodes: Sequence[Episode], rows: TrainingRows, random: RandomNumbers
    ) -> Callable[[], list[RowBatch]]:
        return lambda: rows.shuffled(self._rows_per_step(episodes), random)

    def _rows_per_step(self, episodes: Sequence[Episode]) -> int:
        """Return the number of transitions per gradient step."""
        return round(fmean(map(len, episodes))) if self.episode_batches else self.batch_size

    @torch.inference_mode()
    def _score_transitions(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        scores = np.empty(len(after))
        on_gpu = self.device_.type == "cuda" and type(self)._torch_scores is not TransitionNetwork._torch_scores
        score, size = (self._scores_on_gpu, GPU_CHUNK) if on_gpu else (self._anomaly_scores, CHUNK)
        for first in range(0, len(after), size):
            part = slice(first, first + size)
            inputs = self._tensor(self.scaling_.inputs(observations[part], actions[part]))
            with deterministic_kernels(self.device_):
                scores[part] = score(inputs, self.scaling_.changes(observations[part], after[part]))
        return scores

    def _scores_on_gpu(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        """Return the same as :meth:`_anomaly_scores`, computed on the device of the network up to the score."""
        return self._torch_scores(inputs, torch.from_numpy(changes).to(self.device_)).cpu().numpy()

    @torch.inference_mode()
    def _contributions(self, episode: Episode) -> Contributions:
        observations, actions, after = transitions([episode])
        terms = np.empty(after.shape)
        for first in range(0, len(after), CHUNK):
            part = slice(first, first + CHUNK)
            inputs = self._tensor(self.scaling_.inputs(observations[part], actions[part]))
            with deterministic_kernels(self.device_):
                terms[part] = self._terms(inputs, self.scaling_.changes(observations[part], after[part]))
        return Contributions.sums(terms, self.widths_)

    def _torch_scores(self, inputs: Tensor, changes: Tensor) -> Tensor:
        """Return the same as :meth:`_anomaly_scores` by torch operators."""
        raise UnsupportedExport(f"{self.name} has no ONNX form: it does not implement `_torch_scores`.")

    def _torch_update(self, state: None, step: TorchStep) -> tuple[None, Tensor]:
        inputs = self.scaling_.torch_inputs(step.observation, step.action)
        return None, self._torch_scores(inputs, self.scaling_.torch_changes(step.observation, step.next_observation))
