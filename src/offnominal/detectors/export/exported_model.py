"""What was written by an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """A written ONNX file.

    Args:
        path: The file.
        n_bytes: Its size.
        inputs: Names of its inputs; those of the state begin with ``state_``.
        outputs: Names of its outputs; ``next_state_0`` is the next value of ``state_0``.
    """

    path: Path
    n_bytes: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
