"""The scores that the authors of NovelCraft released, one per frame, if they are in the data home."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile
from offnominal.core.types import BoolArray, FloatArray
from offnominal.papers.novelcraft.published import PLUS

FILE = Path("novelcraft", "released_scores.npz")
METHODS = {
    "NDCC": "NDCC",
    "ODIN": "ODIN",
    "Deep Ensemble": "DeepEnsemble",
    "One-Class SVM": "OCSVM",
    "Autoencoder": "AE",
}
MODELS = {"Visual": "AE", "Symbolic": "Symbolic", "Multimodal": "Multimodal"}
FIRST_NOVEL = {"fence": 14, "tree_easy": 15, "supplier": 12, "thief": 16}
"""Number of the first novel episode of each tournament; the episodes before it are normal."""
NORMAL = "normal"


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedEpisodes:
    """Frame scores of the episodes of Table 4.

    Args:
        scores: One array per episode, in the order of its frames.
        novelties: Type of novelty of each episode; None for a normal one.
    """

    scores: list[FloatArray]
    novelties: list[str | None]


def released_file() -> Path | None:
    """Return the file of the released scores, or None if it is not in the data home."""
    home = find_data_home()
    return home / FILE if home is not None and (home / FILE).is_file() else None


def released_frames(file: Path, method: str, training_data: str) -> tuple[FloatArray, BoolArray]:
    """Return scores and labels of the test frames of Tables 3 and E.1.

    Args:
        file: File of the released scores.
        method: Published name of the method.
        training_data: ``"NovelCraft"`` or ``"NovelCraft+"``.
    """
    arrays = _arrays(file)
    name = f"frame/{METHODS[method]}{'+' if training_data == PLUS else ''}"
    return arrays[f"{name}/score"], arrays[f"{name}/true"]


def released_episodes(file: Path, model: str, context: str) -> ReleasedEpisodes:
    """Return the frame scores of the episodes of Table 4.

    Args:
        file: File of the released scores.
        model: ``"Visual"``, ``"Symbolic"`` or ``"Multimodal"``.
        context: Number of context steps; empty for the visual model.
    """
    arrays = _arrays(file)
    name = f"episode/{MODELS[model]}{context}"
    frames: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for path, score in zip(arrays[f"{name}/path"], arrays[f"{name}/score"], strict=True):
        kind, episode, frame = str(path).split("/")
        if kind == NORMAL or kind in FIRST_NOVEL:
            frames[kind, int(episode)][int(frame.split(".")[0])] = float(score)
    ordered = sorted(frames)
    return ReleasedEpisodes(
        [np.array([frames[key][frame] for frame in sorted(frames[key])]) for key in ordered],
        [kind if number >= FIRST_NOVEL.get(kind, number + 1) else None for kind, number in ordered],
    )


@cache
def _arrays(file: Path) -> dict[str, np.ndarray]:
    """Read the file."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError) as error:
        raise DamagedFile(f"{file} cannot be read: {error}. Replace it by the released scores.") from None
