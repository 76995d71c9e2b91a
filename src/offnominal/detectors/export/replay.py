"""Replays episodes through an ONNX file step by step, and compares its scores with those of the detector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from offnominal.core.discrete_actions import are_discrete, one_hot
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, MissingDependency
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.detector import Detector, Step

READINGS = ("observation", "action", "next_observation")
ROUNDING = 1e-9
"""Relative difference from a threshold up to which rounding decides about an alarm."""
TYPES: dict[str, Any] = {
    "tensor(bool)": np.bool_,
    "tensor(double)": np.float64,
    "tensor(float)": np.float32,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(uint8)": np.uint8,
}


class Outputs(NamedTuple):
    """Outputs of a file in an episode.

    Args:
        scores: (T,) scores.
        alarms: (T,) whether the alarm is raised; None without an alarm.
    """

    scores: FloatArray
    alarms: BoolArray | None


class OnnxModel:
    """An ONNX file of :meth:`Detector.export`, run by onnxruntime.

    Args:
        source: The file, or its content.

    Raises:
        MissingDependency: onnxruntime is not installed.
        DamagedFile: onnxruntime cannot read the file, or a detector did not write it.
    """

    def __init__(self, source: Path | bytes) -> None:
        try:
            import onnxruntime
        except ModuleNotFoundError:
            raise MissingDependency(
                "to run an ONNX file needs onnxruntime; install it with `pip install offnominal[onnx]`."
            ) from None
        self.name = str(source) if isinstance(source, Path) else "the ONNX file"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        given = str(source) if isinstance(source, Path) else source
        try:
            self._session = onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise DamagedFile(f"onnxruntime cannot read {self.name}: {_first_line(error)}") from None
        self._inputs = {each.name: (each.shape, TYPES.get(each.type)) for each in self._session.get_inputs()}
        self._outputs = [each.name for each in self._session.get_outputs()]
        self.metadata: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
        if not self._inputs.keys() >= set(READINGS) or "score" not in self._outputs:
            raise DamagedFile(
                f"{self.name} is not a file of `Detector.export`: its inputs are {', '.join(self._inputs)}; expected "
                f"{', '.join(READINGS)}."
            )

    def outputs(self, episode: Episode) -> Outputs:
        """Return the outputs in an episode, which starts with a state of zeros.

        Raises:
            DamagedFile: The file cannot be run with such readings.
        """
        state, scores, alarms = self.start(), [], []
        for step in steps(episode):
            state, found = self.step(state, *(getattr(step, name) for name in READINGS))
            scores.append(found["score"][0])
            alarms += [found["alarm"][0]] if "alarm" in found else []
        return Outputs(np.array(scores), np.array(alarms) if alarms else None)

    def start(self) -> dict[str, Array]:
        """Return the state before the first step of an episode: zeros."""
        return {name: np.zeros(*kind) for name, kind in self._inputs.items() if name.startswith("state_")}

    def step(
        self, state: Mapping[str, Array], observation: Array, action: Array, after: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return the next state and the outputs by name of one step.

        Args:
            state: State from :meth:`start` or the previous call.
            observation: (1, ...) observation before the action.
            action: (1, ...) action.
            after: (1, ...) observation after the action.

        Raises:
            DamagedFile: The file cannot be run with such readings.
        """
        readings = {
            name: self._fed(name, values) for name, values in zip(READINGS, (observation, action, after), strict=True)
        }
        try:
            results = self._session.run(None, {**readings, **state})
        except Exception as error:
            raise DamagedFile(f"onnxruntime cannot run {self.name}: {_first_line(error)}") from None
        found = dict(zip(self._outputs, results, strict=True))
        return {name: found[f"next_{name}"] for name in state}, found

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an input."""
        return tuple(self._inputs[name][0])

    def _fed(self, name: str, values: Array) -> Array:
        """Return the values of one episode for all rows of an input."""
        shape, kind = self._inputs[name]
        if name == "action" and len(shape) == 2 and shape[1] > 1 and are_discrete(values):
            values = one_hot(values, shape[1])
        rows = np.repeat(values, shape[0], axis=0)
        if rows.size != np.prod(shape):
            raise DamagedFile(
                f"{self.name} takes {name}s of shape {tuple(shape[1:])}; the episode has {tuple(rows.shape[1:])}."
            )
        return rows.reshape(shape).astype(kind)


def steps(episode: Episode) -> Iterator[Step]:
    """Yield the transitions of an episode."""
    observations, actions = np.asarray(episode.observations), np.asarray(episode.actions)
    for t in range(len(episode)):
        yield Step(observations[t][None], actions[t][None], observations[t + 1][None])


def online_scores(detector: Detector, episode: Episode) -> FloatArray:
    """Return the scores of an episode by :meth:`Detector.update`, step by step."""
    state, scores = detector.start(), []
    for step in steps(episode):
        state, score = detector.update(state, step)
        scores.append(score[0])
    return np.array(scores)


def difference(found: Sequence[FloatArray], expected: Sequence[FloatArray], tolerance: float) -> str:
    """Return where scores of a file differ most from the expected ones; an empty text if they are equal.

    Args:
        found: Scores of the file by episode.
        expected: Scores of the detector.
        tolerance: Largest difference, relative to scores above 1.
    """
    worst, place = tolerance, ""
    for number, (ours, theirs) in enumerate(zip(expected, found, strict=True)):
        error = np.abs(theirs - ours) / np.maximum(1.0, np.abs(ours))
        # A score that is not a number is the largest difference.
        error = np.where(np.isnan(error), np.inf, error)
        t = int(np.argmax(error))
        if error[t] > worst:
            worst = float(error[t])
            place = f"the score is {theirs[t]:.6g} instead of {ours[t]:.6g} at step {t} of episode {number}"
    return place


def alarm_difference(found: Sequence[Outputs], alarm: Any, threshold: float) -> str:
    """Return where a file raises another alarm than its scores demand; an empty text if there is no such step.

    Args:
        found: Outputs of the file by episode.
        alarm: The alarm, or a number as the threshold of the score.
        threshold: Value above which the alarm is raised.
    """
    for number, (scores, alarms) in enumerate(found):
        statistic = alarm.statistic([scores])[0] if hasattr(alarm, "statistic") else scores
        # At the threshold itself, rounding decides.
        clear = np.abs(statistic - threshold) > ROUNDING * max(1.0, abs(threshold))
        wrong = clear & ((statistic > threshold) != alarms)
        if wrong.any():
            t = int(np.argmax(wrong))
            raised = "an alarm" if alarms is not None and alarms[t] else "no alarm"
            return (
                f"there is {raised} at step {t} of episode {number}, where the statistic is {statistic[t]:.6g} and the "
                f"threshold {threshold:.6g}"
            )
    return ""


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".") + "."
