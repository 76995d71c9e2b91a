"""One step of a detector by torch operators: the same as `Detector.update`, in a form that can be recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors.observation_limits import MAX_READING, MAX_SCORE
from offnominal.detectors.torch_step import TorchStep

if TYPE_CHECKING:
    from offnominal.detectors.detector import Detector


def update(detector: Detector, state: Any, step: TorchStep) -> tuple[Any, Tensor]:
    """Return the next state and the scores, (n,) double; invalid readings are replaced as online."""
    action = step.action
    if not action.is_floating_point():
        columns = torch.arange(detector.widths_[1])
        action = action[:, None].double() if detector.raw_discrete_actions else (action[:, None] == columns).double()
    if action.shape[1] != detector.widths_[1]:
        raise InvalidParameter(
            f"{detector.name} was fitted to discrete actions with {detector.widths_[1]} columns; export with "
            "discrete_actions=True."
        )
    readings = detector.readings_
    before, bad_before = replaced(step.observation, readings.observation)
    chosen, bad_action = replaced(action, readings.action)
    after, bad_after = replaced(step.next_observation, readings.observation)
    if detector.raw_discrete_actions and not step.action.is_floating_point():
        chosen = step.action
    state, scores = detector._torch_update(state, TorchStep(before, chosen, after))
    return state, torch.where(bad_before | bad_action | bad_after, MAX_SCORE, bounded(scores.double()))


def replaced(values: Tensor, mean: Array) -> tuple[Tensor, Tensor]:
    """Return values with the mean in place of invalid ones, and which rows have such values."""
    if not values.is_floating_point():
        return values, torch.zeros(len(values), dtype=torch.bool)
    valid = values.abs() <= MAX_READING
    filling = torch.from_numpy(mean) if mean.size else torch.zeros((), dtype=values.dtype)
    return torch.where(valid, values, filling), (~valid).any(1)


def bounded(scores: Tensor) -> Tensor:
    """Return scores with the largest score in place of those that are not finite or larger."""
    return torch.where((scores <= MAX_SCORE) & (scores > -torch.inf), scores, MAX_SCORE)
