"""Episodes that are replayed at an export, and their scores, which are part of the ONNX file."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.datasets.hashing import content_hash
from offnominal.detectors.checked_episodes import CheckedEpisodes
from offnominal.detectors.detector import Detector
from offnominal.detectors.export.replay import OnnxModel, difference, online_scores

PROBE_STEPS = 4
RECORDED = 10_000
"""Number of transitions whose scores are stored in a file."""


def probe(detector: Detector, discrete_actions: bool) -> Episode:
    """Return an episode of mean nominal readings, or of random images, for an export without episodes."""
    width, action_width = detector.widths_
    readings, random = detector.readings_, np.random.default_rng(0)
    if detector.pixel_observations:
        shape = getattr(detector, "_image_shape", (width,))
        observations = random.integers(0, 256, (PROBE_STEPS + 1, *shape), np.uint8)
    else:
        mean = readings.observation if readings.observation.size else np.zeros(width)
        observations = np.repeat(mean[None], PROBE_STEPS + 1, axis=0)
    mean = readings.action if readings.action.size else np.zeros(action_width)
    actions: Array = np.repeat(mean[None], PROBE_STEPS, axis=0)
    if discrete_actions:
        actions = np.arange(PROBE_STEPS) % (1 if detector.raw_discrete_actions else max(action_width, 1))
    return Episode(observations, actions, np.zeros(PROBE_STEPS), np.zeros(PROBE_STEPS, bool))


def checked_replay(detector: Detector, episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Return episodes that a detector can score, or raise :class:`InvalidParameter`."""
    given = CheckedEpisodes(episodes).episodes
    for _ in detector._checked_episodes(given):
        pass
    return given


def reference(episodes: Iterable[Episode], scores: Sequence[FloatArray], tolerance: float) -> str:
    """Return the scores of episodes as a text for the metadata of a file.

    Args:
        episodes: The episodes.
        scores: Their scores by the detector.
        tolerance: Largest difference of a score of the file, relative to scores above 1.
    """
    stored = np.concatenate(scores)[:RECORDED].astype("<f8")
    return json.dumps(
        {
            "sha256": content_hash(_recorded(episodes, RECORDED)),
            "tolerance": tolerance,
            "scores": base64.b64encode(stored.tobytes()).decode("ascii"),
        }
    )


def verify_model(path: Path, episodes: Sequence[Episode], detector: Detector | None = None) -> dict[str, str]:
    """Replay episodes through an ONNX file, and compare the scores with those at the export.

    Args:
        path: The file.
        episodes: The episodes of the export; with a detector, any that it can score.
        detector: Detector whose scores are expected; None for the scores in the file.

    Returns:
        By number of the episode, the largest difference that is too large; an empty text if there is none.

    Raises:
        DamagedFile: onnxruntime cannot run the file, or its description is damaged.
        InvalidParameter: The file has no scores to compare with, or those of other episodes.
    """
    model = OnnxModel(path)
    if detector is not None:
        tolerance, given = detector.export_tolerance, list(checked_replay(detector, episodes))
        expected = [online_scores(detector, episode) for episode in given]
    else:
        tolerance, digest, stored = _read_reference(model, path)
        given = _recorded(CheckedEpisodes(episodes).episodes, RECORDED)
        ends = np.cumsum([len(episode) for episode in given])
        if content_hash(given) != digest or ends[-1] != len(stored):
            raise InvalidParameter(
                f"the episodes are not those of the export of {path}; give the same log, or the saved detector and any "
                "log."
            )
        expected = np.split(stored, ends[:-1])
    found = [model.outputs(episode).scores for episode in given]
    return {
        str(number): difference([ours], [theirs], tolerance)
        for number, (ours, theirs) in enumerate(zip(found, expected, strict=True))
    }


def _read_reference(model: OnnxModel, path: Path) -> tuple[float, str, FloatArray]:
    """Return the tolerance, the hash of the episodes and the scores in the metadata of a file."""
    if "replay" not in model.metadata:
        raise InvalidParameter(
            f"{path} has no scores to compare with, because it was exported without episodes; export it again with "
            "them, or give the saved detector."
        )
    try:
        found = json.loads(model.metadata["replay"])
        scores = np.frombuffer(base64.b64decode(found["scores"], validate=True), "<f8").astype(np.float64)
        return float(found["tolerance"]), str(found["sha256"]), scores
    except (ValueError, TypeError, KeyError, binascii.Error) as error:
        raise DamagedFile(f"the scores in {path} are damaged ({error}); export the detector again.") from None


def _recorded(episodes: Iterable[Episode], most: int) -> list[Episode]:
    """Return the readings of the first transitions."""
    found, left = [], most
    for episode in episodes:
        n = min(left, len(episode))
        if n == 0:
            break
        kept = np.asarray(episode.observations)[: n + 1], np.asarray(episode.actions)[:n]
        found.append(Episode(*kept, np.zeros(n), np.zeros(n, bool)))
        left -= n
    return found
