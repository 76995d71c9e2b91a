"""Scores of an exported detector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.discrete_actions import are_discrete
from offnominal.core.episode import Episode
from offnominal.core.errors import MissingDependency, UnsupportedExport
from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.laws.report import SkipLaw

TYPES: dict[str, Any] = {
    "bool": np.bool_,
    "double": np.float64,
    "float": np.float32,
    "int64": np.int64,
    "uint8": np.uint8,
}


def exported_scores(detector: Detector, episode: Episode, path: Path) -> FloatArray:
    """Return the scores of an episode by the ONNX file of a detector.

    Args:
        detector: A fitted detector.
        episode: The episode.
        path: File to write.

    Raises:
        SkipLaw: A package is missing, or the detector has no ONNX form.
    """
    try:
        import onnxruntime

        detector.export(path, discrete_actions=are_discrete(episode.actions))
    except (ModuleNotFoundError, MissingDependency, UnsupportedExport) as reason:
        raise SkipLaw(str(reason)) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    inputs = {each.name: (each.shape, TYPES[each.type[7:-1]]) for each in session.get_inputs()}
    outputs = [each.name for each in session.get_outputs()]
    state = {name: np.zeros(*kind) for name, kind in inputs.items() if name.startswith("state_")}
    scores = []
    for t, action in enumerate(episode.actions):
        now, after = episode.observations[t], episode.observations[t + 1]
        readings = {"observation": now, "action": action, "next_observation": after}
        feeds = {name: np.reshape(value, inputs[name][0]).astype(inputs[name][1]) for name, value in readings.items()}
        found = dict(zip(outputs, session.run(None, feeds | state), strict=True))
        state = {name: found[f"next_{name}"] for name in state}
        scores.append(found["score"][0])
    return np.array(scores)
