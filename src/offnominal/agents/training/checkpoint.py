"""Checkpoints: the state that a training resumes from after it was killed.

A file is one line of text, which names the format and the SHA-256 of the rest, and a state as torch writes it.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import read_bytes, sha256_of, write_bytes

MAGIC = b"offnominal checkpoint 1 "
REMEDY = "put back a copy of it, or delete it to start the training again"

State = dict[str, Any]
"""Tensors, numbers and text by name: what torch reads without running anything."""


class Resumable(Protocol):
    """What can go on from a state."""

    @property
    def device(self) -> torch.device:
        """Where its tensors are."""

    def state_dict(self) -> State:
        """Return everything that is needed to go on."""

    def load_state_dict(self, state: State) -> None:
        """Go on from a state."""


def save_checkpoint(training: Resumable, path: Path) -> None:
    """Write a state; a killed writer leaves the old one."""
    content = io.BytesIO()
    torch.save(training.state_dict(), content)
    payload = content.getvalue()
    write_bytes(path, MAGIC + sha256_of(payload).encode() + b"\n" + payload)


def load_checkpoint(training: Resumable, path: Path) -> None:
    """Resume from a saved state.

    Raises:
        DamagedFile: The file is not a checkpoint, or not the one that was written; nothing of it was used.
        InvalidParameter: It is a checkpoint of other settings.
    """
    payload = _checked(path)
    try:
        training.load_state_dict(torch.load(io.BytesIO(payload), map_location=training.device, weights_only=True))
    except Exception as error:
        raise InvalidParameter(
            f"{path} is no checkpoint of these settings ({type(error).__name__}); delete it or choose another folder."
        ) from error


def _checked(path: Path) -> bytes:
    """Return the state in a file, as bytes that have the hash the file states."""
    header, _, payload = read_bytes(path).partition(b"\n")
    if not header.startswith(MAGIC):
        raise DamagedFile(f"{path} is not a checkpoint of this version of Offnominal; {REMEDY}.")
    if header.removeprefix(MAGIC) != sha256_of(payload).encode():
        raise DamagedFile(f"{path} is damaged: its content does not have the SHA-256 that it states; {REMEDY}.")
    return payload


def modules_state_dict(owner: object) -> State:
    """Return the states of the networks and optimizers that an object holds, by name."""
    return {name: part.state_dict() for name, part in _parts(owner).items()}


def load_modules_state_dict(owner: object, state: State) -> None:
    """Give networks and optimizers their states back; each optimizer keeps its rate, which follows a schedule."""
    for name, part in _parts(owner).items():
        if isinstance(part, torch.optim.Optimizer):
            learning_rate = part.param_groups[0]["lr"]
            part.load_state_dict(state[name])
            part.param_groups[0]["lr"] = learning_rate
        else:
            part.load_state_dict(state[name])


def _parts(owner: object) -> dict[str, nn.Module | torch.optim.Optimizer]:
    return {name: value for name, value in vars(owner).items() if isinstance(value, nn.Module | torch.optim.Optimizer)}
