"""Writes a fitted detector, with an alarm if one is given, as one ONNX file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from offnominal._version import __version__
from offnominal.core.checks import boolean, integer_in, number_in
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InexactExport, InvalidParameter, NotFitted, UnsupportedExport
from offnominal.core.files import write_bytes
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector
from offnominal.detectors.export.exported_model import ExportedModel
from offnominal.detectors.export.graph import Graph
from offnominal.detectors.export.reference import checked_replay, probe, reference
from offnominal.detectors.export.replay import OnnxModel, alarm_difference, difference, online_scores
from offnominal.detectors.export.step import update
from offnominal.detectors.export.tracing import trace
from offnominal.detectors.states import leaves, rebuilt
from offnominal.detectors.torch_step import TorchStep

MOST_EPISODES = 4096
MAX_BYTES = 2**31 - 1
"""Largest size of an ONNX file."""


class ExportableAlarm(Protocol):
    """An alarm that can be part of an ONNX file."""

    id: Any
    threshold_: float

    @property
    def fitted(self) -> bool:
        """Whether the alarm was fitted."""

    @property
    def guarantee(self) -> Any:
        """The guarantee about false alarms."""

    def start(self, n: int = 1) -> Any:
        """Return the state before the first score, with `steps` and `memory`."""

    def statistic(self, scores: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the statistic at each step of each episode."""

    def torch_statistic(self, steps: Tensor, memory: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next memory and the statistic."""


def export_detector(
    detector: Detector,
    path: Path | str,
    *,
    alarm: ExportableAlarm | float | None = None,
    n: int = 1,
    discrete_actions: bool = False,
    observation_names: Sequence[str] | None = None,
    episodes: Sequence[Episode] | None = None,
) -> ExportedModel:
    """Write a detector as an ONNX file; see :meth:`Detector.export`."""
    if not isinstance(detector, Detector):
        raise InvalidParameter(f"the detector is {shown(detector)}; expected a fitted Detector.")
    detector._require_fitted()
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        raise InvalidParameter(f"the path is {shown(path)}; expected the path of the ONNX file.")
    n = integer_in("n", n, 1, MOST_EPISODES)
    boolean("discrete_actions", discrete_actions)
    threshold = _checked_threshold(alarm)
    metadata = metadata_of(detector, alarm, threshold, observation_names)
    placed = on_cpu(detector)
    graph = _graph(placed, alarm, threshold, n, discrete_actions)
    replayed = [probe(placed, discrete_actions)] if episodes is None else checked_replay(placed, episodes)
    expected = [online_scores(placed, episode) for episode in replayed]
    if episodes is not None:
        metadata["replay"] = reference(replayed, expected, detector.export_tolerance)
    model = graph.model(detector.name, PRODUCER, metadata)
    if model.ByteSize() > MAX_BYTES:
        raise UnsupportedExport(
            f"{detector.name} needs {model.ByteSize() / 2**30:.1f} GiB; an ONNX file has less than 2 GiB. Fit it to "
            "fewer episodes."
        )
    content = model.SerializeToString()
    _require_equal(detector, content, replayed, expected, alarm, threshold)
    write_bytes(Path(path), content)
    return ExportedModel(Path(path), len(content), graph.inputs, graph.outputs)


def _require_equal(
    detector: Detector,
    content: bytes,
    episodes: Sequence[Episode],
    expected: Sequence[FloatArray],
    alarm: Any,
    threshold: float | None,
) -> None:
    """Raise :class:`UnsupportedExport` unless the content of a file gives the expected scores and alarms."""
    try:
        model = OnnxModel(content)
        found = [model.outputs(episode) for episode in episodes]
    except DamagedFile as error:
        raise UnsupportedExport(f"{detector.name} has no valid ONNX form in this version: {error}") from None
    problem = difference([each.scores for each in found], expected, detector.export_tolerance)
    if not problem and threshold is not None:
        problem = alarm_difference(found, alarm, threshold)
    if problem:
        raise InexactExport(
            f"the ONNX file of {detector.name} differs from the detector: {problem}. No file was written; please "
            "report it as a defect."
        )


def _checked_threshold(alarm: Any) -> float | None:
    """Return the threshold of an alarm; None without one."""
    if alarm is None or not hasattr(alarm, "torch_statistic"):
        return None if alarm is None else float(number_in("alarm", alarm))
    if not alarm.fitted:
        raise NotFitted(f"{alarm!r} is not fitted; call fit with scores of nominal episodes first.")
    return float(alarm.threshold_)


def _graph(detector: Detector, alarm: Any, threshold: float | None, n: int, discrete_actions: bool) -> Graph:
    example = detector.start(n)
    arguments = {**_readings(detector, n, discrete_actions), **_named_state(example, alarm, n)}
    with_state = hasattr(alarm, "torch_statistic")

    def step(observation: Tensor, action: Tensor, after: Tensor, *state: Tensor) -> list[Tensor]:
        own = state[: len(state) - 2] if with_state else state
        following, scores = update(detector, rebuilt(example, iter(own)), TorchStep(observation, action, after))
        later = leaves(following)
        if with_state:
            steps, memory = state[-2:]
            memory, statistic = alarm.torch_statistic(steps, memory, scores)
            return [scores, statistic > threshold, *later, steps + 1, memory]
        return [scores, *([] if threshold is None else [scores > threshold]), *later]

    graph = Graph()
    inputs = [graph.add_input(name, tensor) for name, tensor in arguments.items()]
    results = trace(step, list(arguments.values()), inputs, graph)
    state = [name for name in arguments if name.startswith("state_")]
    names = ["score"] + ([] if threshold is None else ["alarm"]) + [f"next_{name}" for name in state]
    for name, result in zip(names, results, strict=True):
        graph.add_output(name, result)
    # Such as the window of a detector that uses only the latest observation.
    unused = [name for name in state if not graph.has_effect(name, f"next_{name}")]
    graph.drop(unused, [f"next_{name}" for name in unused])
    return graph


def _readings(detector: Detector, n: int, discrete_actions: bool) -> dict[str, Tensor]:
    """Return example readings: valid numbers, zeros."""
    width, action_width = detector.widths_
    if detector.pixel_observations:
        shape = getattr(detector, "_image_shape", None)
        if shape is None:
            raise UnsupportedExport(f"{detector.name} has no ONNX form: it does not implement `_image_shape`.")
        observation = torch.zeros((n, *shape), dtype=torch.uint8)
    else:
        observation = torch.zeros((n, width), dtype=torch.float64)
    action = torch.zeros((n, action_width), dtype=torch.float64)
    if discrete_actions:
        action = torch.zeros(n, dtype=torch.int64)
    return {"observation": observation, "action": action, "next_observation": observation.clone()}


def _named_state(example: Any, alarm: Any, n: int) -> dict[str, Tensor]:
    arrays = [torch.as_tensor(part) for part in leaves(example)]
    if hasattr(alarm, "torch_statistic"):
        state = alarm.start(n)
        arrays += [torch.as_tensor(state.steps), torch.as_tensor(state.memory)]
    if any(bool((part != 0).any()) for part in arrays):
        raise UnsupportedExport("the state before the first transition is not zero; the file could not say so.")
    return {f"state_{number}": part for number, part in enumerate(arrays)}


PRODUCER = ("offnominal", __version__)


def metadata_of(
    detector: Detector, alarm: Any, threshold: float | None, observation_names: Sequence[str] | None
) -> dict[str, str]:
    """Return the texts by key, or raise :class:`InvalidParameter` if the names are invalid."""
    found = {"version": __version__, "detector": _id(detector) or detector.name}
    if _id(detector) is not None:
        found["parameters"] = json.dumps(detector.get_params())
    if observation_names is not None:
        found["observation_names"] = json.dumps(_checked_names(observation_names, detector.widths_[0]))
    if threshold is not None:
        found["threshold"] = repr(threshold)
    if hasattr(alarm, "torch_statistic"):
        found |= {"alarm": str(alarm.id), "guarantee": f"{alarm.guarantee}; assumption: {alarm.guarantee.assumption}"}
    return found


def _checked_names(names: Any, width: int) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InvalidParameter(f"observation_names is {shown(names)}; expected a list of {width} texts.")
    if len(names) != width or len(set(names)) < width:
        raise InvalidParameter(
            f"observation_names has {len(names)} names, {len(set(names))} of them different; expected {width} "
            "different ones, one for each value of an observation."
        )
    return list(names)


def _id(detector: Detector) -> str | None:
    """Return the registered id; None also for a part of another package, which has no plain parameters."""
    with suppress(InvalidParameter):
        return name_of(detector)
    return None


def on_cpu(detector: Detector) -> Detector:
    """Return the detector, or a copy of it on the CPU if there is a GPU."""
    name = _id(detector) if torch.cuda.is_available() else None
    if name is None:
        return detector
    copied = make_detector(name, **_with_cpu(detector.get_params()))
    copied.load_state_dict(detector.state_dict())
    return copied


def _with_cpu(parameters: Any) -> Any:
    """Return parameters with the CPU as device, also in parameters of parts."""
    if isinstance(parameters, dict):
        return {name: "cpu" if name == "device" else _with_cpu(value) for name, value in parameters.items()}
    return [_with_cpu(part) for part in parameters] if isinstance(parameters, list) else parameters
