"""What a training goes on from after it was killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from offnominal.core.errors import InvalidParameter

State = dict[str, Any]
"""Tensors, numbers and text by name: what torch reads without running anything."""


class Continued(Protocol):
    """What can go on from a state."""

    @property
    def device(self) -> torch.device:
        """Where its tensors are."""

    def state(self) -> State:
        """Return everything that is needed to go on."""

    def restore(self, state: State) -> None:
        """Go on from a state."""


def save(training: Continued, path: Path) -> None:
    """Write a state; a killed writer leaves the old one."""
    unfinished = path.with_suffix(".unfinished")
    torch.save(training.state(), unfinished)
    unfinished.replace(path)


def restore(training: Continued, path: Path) -> None:
    """Continue from a saved state, or say that it is not one of this training."""
    try:
        training.restore(torch.load(path, map_location=training.device, weights_only=True))
    except Exception as error:
        raise InvalidParameter(
            f"{path} is no checkpoint of these settings ({type(error).__name__}); delete it or choose another folder."
        ) from error


def parts_state(owner: object) -> State:
    """Return the states of the networks and optimizers that an object holds, by name."""
    return {name: part.state_dict() for name, part in _parts(owner).items()}


def restore_parts(owner: object, state: State) -> None:
    """Give networks and optimizers their states back; each optimizer keeps its rate, which follows a schedule."""
    for name, part in _parts(owner).items():
        if isinstance(part, torch.optim.Optimizer):
            rate = part.param_groups[0]["lr"]
            part.load_state_dict(state[name])
            part.param_groups[0]["lr"] = rate
        else:
            part.load_state_dict(state[name])


def _parts(owner: object) -> dict[str, nn.Module | torch.optim.Optimizer]:
    return {name: value for name, value in vars(owner).items() if isinstance(value, nn.Module | torch.optim.Optimizer)}
