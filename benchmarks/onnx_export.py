"""Exported detectors: size of the ONNX file, and CPU time of one step by onnxruntime beside `update`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import offnominal as off
from offnominal.detectors import Detector, Step, make_detector

Row = dict[str, Any]
WORLD, EPISODES, STEPS, ROUNDS = "SAP-Goal0-v0", 100, 500, 5
DETECTORS: dict[str, dict[str, Any]] = {
    "Mahalanobis": {},
    "KNN": {},
    "LOF": {},
    "IsolationForest": {},
    "VAE": {"max_iter": 50, "device": "cpu"},
    "MLP-DM": {"n_epochs": 1, "device": "cpu"},
    "LSTM-DM": {"n_epochs": 1, "device": "cpu"},
    "PE-DM": {"n_epochs": 1, "device": "cpu"},
}
TYPES = {"bool": bool, "double": np.float64, "float": np.float32, "int64": np.int64}


def exported() -> list[Row]:
    """Measure each detector, on one core."""
    nominal = off.collect(WORLD, off.expert(WORLD), EPISODES, seed=1)
    rows = []
    for name, parameters in DETECTORS.items():
        detector = make_detector(name, **parameters).fit(nominal)
        with TemporaryDirectory() as folder:
            model = detector.export(Path(folder) / "model.onnx")
            theirs, ours = _exported_step(model.path), _own_step(detector)
            rows.append(
                {
                    "detector": name,
                    "KiB": round(model.n_bytes / 1024),
                    "onnxruntime, µs per step": round(_seconds(theirs, nominal[0]) * 1e6),
                    "`update`, µs per step": round(_seconds(ours, nominal[0]) * 1e6),
                }
            )
    return rows


def _seconds(step: Callable[[Step], None], episode: off.Episode) -> float:
    """Return the CPU time of one step, the best of some rounds."""
    observations, actions = episode.observations.astype(np.float64), episode.actions.astype(np.float64)
    steps = [
        Step(observations[t][None], actions[t][None], observations[t + 1][None])
        for t in np.arange(STEPS) % len(episode)
    ]
    rounds = []
    for _ in range(ROUNDS):
        start = process_time()
        for each in steps:
            step(each)
        rounds.append((process_time() - start) / STEPS)
    return min(rounds)


def _exported_step(path: Path) -> Callable[[Step], None]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    inputs = {each.name: np.zeros(each.shape, TYPES[each.type[7:-1]]) for each in session.get_inputs()}
    state = {name: zeros for name, zeros in inputs.items() if name.startswith("state_")}
    names = [each.name for each in session.get_outputs()]

    def step(given: Step) -> None:
        readings = {
            "observation": given.observation,
            "action": given.action,
            "next_observation": given.next_observation,
        }
        found = dict(zip(names, session.run(None, readings | state), strict=True))
        state.update({name: found[f"next_{name}"] for name in state})

    return step


def _own_step(detector: Detector) -> Callable[[Step], None]:
    states = [detector.start()]

    def step(given: Step) -> None:
        states[0], _ = detector.update(states[0], given)

    return step


SECTIONS = {"ONNX files of detectors": exported}
