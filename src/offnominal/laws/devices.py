"""The law of devices: what has a torch network takes a device, by which studies know that it needs a GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import signature
from typing import Any

from offnominal.detectors.detector import Detector
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.laws.require import require


def require_device(fitted: Detector) -> None:
    """Require that a fitted detector and its parts take a device if they have a torch network, and only then.

    Raises:
        LawBroken: One of them has a network and no parameter `device`, or the parameter and no network.
    """
    for part in _parts(fitted):
        kind = type(part).__name__
        takes, has = "device" in signature(type(part)).parameters, _has_network(part)
        require(takes or not has, f"{kind} has a torch network, but its constructor takes no `device`")
        require(has or not takes, f"{kind} takes a `device`, but has no torch network after training")


def _parts(detector: Any) -> Iterator[Any]:
    """Yield a detector and the detectors that it consists of."""
    yield detector
    for value in vars(detector).values():
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, Detector | RowDetector):
                yield from _parts(each)


def _has_network(part: Any) -> bool:
    torch = sys.modules.get("torch")
    # Without torch nothing that was fitted can be a network.
    return torch is not None and any(isinstance(value, torch.nn.Module) for value in vars(part).values())
