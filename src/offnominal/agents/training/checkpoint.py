"""Checkpoints: files from which an interrupted training resumes.

A file is one line of text with the format and the SHA-256 of the rest, followed by a state written by torch.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import torch
from torch import nn

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import atomic_write, read_bytes, sha256_of

MAGIC = b"offnominal checkpoint 1 "
REMEDY = "put back a copy of it, or delete it to start the training again"

State = dict[str, Any]
"""Tensors, numbers and text by name, which torch reads without running code."""


class Resumable(Protocol):
    """Object with a state that can be restored."""

    @property
    def device(self) -> torch.device:
        """Device of its tensors."""

    def state_dict(self) -> State:
        """Return the state."""

    def load_state_dict(self, state: State) -> None:
        """Restore a state."""


def save_checkpoint(training: Resumable, path: Path) -> None:
    """Write a state atomically, without a copy of it in memory: replay buffers are large."""
    with atomic_write(path) as file:
        file.write(MAGIC + b"0" * 64 + b"\n")
        written = _HashedFile(file)
        torch.save(training.state_dict(), cast(BinaryIO, written))
        file.seek(len(MAGIC))
        file.write(written.hash.hexdigest().encode())


class _HashedFile:
    """A file, and the hash of what is written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.hash = file, hashlib.sha256()

    def write(self, content: bytes) -> int:
        """Write some bytes."""
        self.hash.update(content)
        return self._file.write(content)

    def flush(self) -> None:
        """Do nothing; the file is flushed when it is complete."""


def load_checkpoint(training: Resumable, path: Path) -> None:
    """Restore a saved state.

    Raises:
        DamagedFile: The file is not a checkpoint, or was changed; nothing is restored.
        InvalidParameter: It is a checkpoint of other settings.
    """
    payload = _checked(path)
    try:
        training.load_state_dict(torch.load(io.BytesIO(payload), map_location=training.device, weights_only=True))
    except Exception as error:
        raise InvalidParameter(
            f"{path} is not a checkpoint of these settings ({type(error).__name__}); delete it, or choose another "
            "folder."
        ) from error


def _checked(path: Path) -> bytes:
    """Return the bytes of the state in a file, after a check of its hash."""
    header, _, payload = read_bytes(path).partition(b"\n")
    if not header.startswith(MAGIC):
        raise DamagedFile(f"{path} is not a checkpoint of this version of Offnominal; {REMEDY}.")
    if header.removeprefix(MAGIC) != sha256_of(payload).encode():
        raise DamagedFile(f"{path} is damaged: its content does not have the SHA-256 that it states; {REMEDY}.")
    return payload


def modules_state_dict(owner: object) -> State:
    """Return the states of an object's networks and optimizers, by attribute name."""
    return {name: part.state_dict() for name, part in _parts(owner).items()}


def load_modules_state_dict(owner: object, state: State) -> None:
    """Restore networks and optimizers; each optimizer keeps its learning rate, which follows a schedule."""
    for name, part in _parts(owner).items():
        if isinstance(part, torch.optim.Optimizer):
            learning_rate = part.param_groups[0]["lr"]
            part.load_state_dict(state[name])
            part.param_groups[0]["lr"] = learning_rate
        else:
            part.load_state_dict(state[name])


def _parts(owner: object) -> dict[str, nn.Module | torch.optim.Optimizer]:
    return {name: value for name, value in vars(owner).items() if isinstance(value, nn.Module | torch.optim.Optimizer)}
