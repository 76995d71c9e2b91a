"""Detectors as ONNX files.

A detector describes one step by torch operators (``_torch_update``, or ``_torch_score`` for a row detector). They are
recorded and written as an ONNX graph, with the state of the detector as inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.export.exported_model import ExportedModel


def load_exporter() -> Callable[..., ExportedModel]:
    """Return the function that writes files, or raise :class:`MissingDependency` without onnx or torch."""
    try:
        from offnominal.detectors.export.exporter import export_detector
    except ModuleNotFoundError as error:
        if error.name not in ("onnx", "torch"):
            raise
        raise MissingDependency(f"export needs {error.name}; install it with `pip install offnominal[onnx]`.") from None
    return export_detector
