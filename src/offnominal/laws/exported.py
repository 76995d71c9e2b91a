"""The law of exported detectors: a file gives the scores of the detector for every number of channels and actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from offnominal.core.discrete_actions import are_discrete
from offnominal.core.episode import Episode
from offnominal.core.errors import InexactExport, LawBroken, MissingDependency, OffnominalError, UnsupportedExport
from offnominal.detectors.detector import Detector
from offnominal.detectors.policies.policy_detector import PolicyDetector
from offnominal.laws.report import SkipLaw
from offnominal.laws.require import require

FEW = 3
"""Number of episodes for training with fewer channels."""


def narrowed(episode: Episode, channels: int | None, actions: bool) -> Episode:
    """Return an episode with its first channels, and without actions if there shall be none."""
    kept = episode.actions if actions else np.zeros((len(episode), 0))
    return replace(episode, observations=episode.observations[:, :channels], actions=kept)


NARROWED: dict[str, tuple[int | None, bool]] = {
    "without actions": (None, False),
    "with one channel": (1, True),
    "with one channel and without actions": (1, False),
    "without channels": (0, True),
}
"""Arguments of :func:`narrowed`; images keep their channels."""


def require_exported(
    make: Callable[[], Detector],
    fitted: Detector,
    episodes: Sequence[Episode],
    fresh: Episode,
    *,
    declared: bool | None = None,
) -> None:
    """Require that files of a detector give its scores, also with fewer channels and without actions.

    Args:
        make: Returns a new detector.
        fitted: A fitted one.
        episodes: Episodes for training.
        fresh: Another episode, which is scored.
        declared: Whether the detector has the tag ``onnx``; None if it is not registered.

    Raises:
        LawBroken: A file gives other scores, or the tag is wrong.
        SkipLaw: A package is missing, the detector is not registered and has no ONNX form, or that of its policy has
            none.
    """
    try:
        _require_equal(fitted, fresh)
    except UnsupportedExport as reason:
        if declared is None or isinstance(fitted, PolicyDetector):
            raise SkipLaw(str(reason)) from None
        require(not declared, f"its entry has the tag 'onnx', but: {reason}")
        return
    require(declared is not False, "it can be exported as an ONNX file; its entry needs the tag 'onnx'")
    for what, (channels, actions) in NARROWED.items():
        if fitted.pixel_observations and channels is not None:
            continue
        training = [narrowed(episode, channels, actions) for episode in episodes[:FEW]]
        try:
            detector = make().fit(training, seed=1)
        except OffnominalError:
            # Not every detector can be fitted to such episodes.
            continue
        try:
            _require_equal(detector, narrowed(fresh, channels, actions), f"{what}: ")
        except UnsupportedExport as reason:
            raise SkipLaw(str(reason)) from None


def _require_equal(detector: Detector, episode: Episode, where: str = "") -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        try:
            detector.export(path, discrete_actions=are_discrete(episode.actions), episodes=[episode])
        except InexactExport as problem:
            raise LawBroken(f"{where}{problem}") from None
        except (ModuleNotFoundError, MissingDependency) as reason:
            raise SkipLaw(str(reason)) from None
