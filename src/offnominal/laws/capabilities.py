"""The law of capabilities: a registered object can do and needs what its entry declares, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.core.registry import Registry
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.detector import Detector
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.scenes.scene_detector import SceneDetector
from offnominal.laws.report import SkipLaw
from offnominal.laws.require import require
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_source import build_world

CONTRACTS = (Detector, RowDetector, SceneDetector, ClassDetector)
MOST_THREADS = 3


def require_device(fitted: Any) -> None:
    """Require that a fitted detector and its parts take a device if they have a torch network, and only then.

    Raises:
        LawBroken: One of them has a network and no parameter `device`, or the parameter and no network.
    """
    for part in _parts(fitted):
        kind = type(part).__name__
        takes, has = "device" in signature(type(part)).parameters, _has_network(part)
        require(takes or not has, f"{kind} has a torch network, but its constructor takes no `device`")
        require(has or not takes, f"{kind} takes a `device`, but has no torch network after training")


def require_gpu_tag(fitted: Any, name: str | None, registry: Registry[Any]) -> None:
    """Require that a fitted detector has a torch network if its entry, or that of a part, has the tag ``gpu``.

    Args:
        fitted: The detector.
        name: Its id; None if it has none.
        registry: The registry that has the id.

    Raises:
        SkipLaw: It is not registered.
    """
    if name is None:
        raise SkipLaw("it is not registered, so it declares nothing")
    declared = any("gpu" in spec.tags for spec in registry.entries(name, fitted.get_params()))
    has = any(map(_has_network, _parts(fitted)))
    require(declared or not has, f"{name} has a torch network; its entry needs the tag 'gpu'")
    require(has or not declared, f"the entry of {name} has the tag 'gpu', but there is no torch network after training")


def require_needs(fitted: Detector, name: str) -> None:
    """Require that a fitted detector of episodes needs what its entry declares.

    Args:
        fitted: The detector.
        name: Its id.
    """
    spec = detectors.spec(name)
    found = {
        "images": fitted.pixel_observations,
        "policy": any(isinstance(value, UncertainPolicy) for value in vars(fitted).values()),
        "symbols": fitted.default_world is not None and "policy" not in spec.needs,
    }
    for need, needed in found.items():
        declared = need in spec.needs
        require(declared or not needed, f"{name} needs {need}; its entry does not declare it")
        require(needed or not declared, f"the entry of {name} declares that it needs {need}, which it does not")


def exports(name: str, parameters: Mapping[str, Any]) -> bool | None:
    """Return whether a detector of episodes declares an ONNX form.

    Args:
        name: Its id.
        parameters: Its parameters.

    Returns:
        None if it is built from other parts than its entry says, which decide.
    """
    if detectors.parts(name, parameters) != detectors.parts(name, {}):
        return None
    return "onnx" in detectors.spec(name).tags


def require_world_tags(id: str, options: Mapping[str, Any]) -> None:
    """Require that a world has a camera, and starts threads, if its entry has these tags, and only then.

    Args:
        id: Id of the world.
        options: Keyword arguments of its class.

    Raises:
        SkipLaw: It is not registered.
    """
    if id not in worlds:
        raise SkipLaw("not a registered world")
    tags = worlds.spec(id).tags
    world = build_world(id, MOST_THREADS + 1, **options)
    found = {
        "camera": ("has a camera", world.camera is not None),
        "threads": ("takes `threads`", "threads" in signature(worlds.spec(id).load()).parameters),
    }
    world.close()
    for tag, (what, can) in found.items():
        require(tag in tags or not can, f"{id} {what}; its entry needs the tag {tag!r}")
        require(can or tag not in tags, f"the entry of {id} has the tag {tag!r}, but nothing {what}")
    if "threads" in tags:
        started = _threads(id, MOST_THREADS, options) - _threads(id, 1, options)
        require(
            started == MOST_THREADS - 1, f"{id} starts {started} more threads with threads={MOST_THREADS} than with 1"
        )


def _threads(id: str, threads: int, options: Mapping[str, Any]) -> int:
    """Return the number of threads that a world starts."""
    before = _running()
    world = build_world(id, MOST_THREADS + 1, threads=threads, **options)
    started = _running() - before
    world.close()
    return started


def _running() -> int:
    """Return the number of threads of this process, those of compiled code included."""
    return len(list(Path("/proc/self/task").iterdir()))


def _parts(detector: Any) -> Iterator[Any]:
    """Yield a detector and the detectors that it consists of."""
    yield detector
    for value in vars(detector).values():
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, CONTRACTS):
                yield from _parts(each)


def _has_network(part: Any) -> bool:
    torch = sys.modules.get("torch")
    # Without torch nothing that was fitted can be a network.
    return torch is not None and any(isinstance(value, torch.nn.Module) for value in vars(part).values())
