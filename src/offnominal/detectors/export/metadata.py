"""Texts in an ONNX file that describe the detector and its alarm."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import torch

from offnominal._version import __version__
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.detectors.catalogue import make_detector, name_of
from offnominal.detectors.detector import Detector

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
