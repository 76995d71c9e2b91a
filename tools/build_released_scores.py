"""Build the file of NovelCraft's released scores: `python tools/build_released_scores.py CHECKOUT`.

CHECKOUT is a copy of https://github.com/tufts-ai-robotics-group/polycraft-novelty-detection, branch TMLR. The file is
written into the data home, as `novelcraft/released_scores.npz`. Its content is compared with the SHA-256 below, which
does not depend on the version of NumPy that wrote the file.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from offnominal.core.directories import data_home
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import atomic_write, content_errors, sha256_of
from offnominal.core.types import Array
from offnominal.papers.novelcraft.published import PLUS
from offnominal.papers.novelcraft.recomputed import FILE

sys.path.insert(0, str(Path(__file__).parent))
from recompute_novelcraft import EPISODES, FRAMES

NAMES = {"Deep Ensemble": "DeepEnsemble", "One-Class SVM": "OCSVM", "Autoencoder": "AE", "Visual": "AE"}
CONTEXTS = {"Visual": ("",), "Symbolic": ("2", "5"), "Multimodal": ("2", "5")}
SHARED_TRUTH = FRAMES["NDCC", ""]
"""Folder with the labels of the test frames, for folders that have scores only."""
CONTENT = "10f4662b4cf012d2e602f7eaa310591fa48b837dbb25f6c14f770bb3cb51568f"
"""SHA-256 of the names, types, shapes and bytes of all arrays."""


def main(arguments: list[str] | None = None) -> int:
    """Write the file; return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if len(given) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    arrays = released_arrays(Path(given[0]) / "models")
    found = content_hash(arrays)
    path = data_home() / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"{path}: {len(arrays)} arrays, content {found}")
    if found != CONTENT:
        print(f"the content is not that of the published numbers ({CONTENT}); is it the branch TMLR?", file=sys.stderr)
        return 1
    return 0


def released_arrays(models: Path) -> dict[str, Array]:
    """Return the scores and labels of all methods by name.

    Raises:
        MissingFile: A file is missing.
        DamagedFile: A file has other content.
    """
    arrays: dict[str, Array] = {}
    for (method, training), folder in FRAMES.items():
        name = f"frame/{NAMES.get(method, method)}{'+' if training == PLUS else ''}"
        truth = models / folder / "test_novel_true.pt"
        truth = truth if truth.exists() else models / SHARED_TRUTH / truth.name
        arrays[f"{name}/true"] = tensor(truth).astype(np.bool_)
        arrays[f"{name}/score"] = tensor(models / folder / "test_novel_score.pt").astype(np.float64)
        same_length(arrays, name, "true")
    for method, contexts in CONTEXTS.items():
        for context in contexts:
            folder, name = EPISODES[method].format(context), f"episode/{NAMES.get(method, method)}{context}"
            arrays[f"{name}/score"] = tensor(models / folder / "novel_scores.pt").astype(np.float64)
            arrays[f"{name}/path"] = frame_paths(models / folder / "paths.npy")
            same_length(arrays, name, "path")
    return arrays


def tensor(path: Path) -> Array:
    """Return a stored tensor as a flat array; nothing of the file is run."""
    import pickle

    import torch

    if not path.exists():
        raise MissingFile(f"{path} does not exist; give a checkout of the branch TMLR.")
    with content_errors(path, "a tensor", RuntimeError, pickle.UnpicklingError):
        found: Array = torch.load(path, map_location="cpu", weights_only=True).detach().numpy().reshape(-1)
    return found


def frame_paths(path: Path) -> Array:
    """Return the class, the episode and the frame of each score."""
    if not path.exists():
        raise MissingFile(f"{path} does not exist; give a checkout of the branch TMLR.")
    with content_errors(path, "paths"):
        return np.array(["/".join(Path(str(each)).parts[-3:]) for each in np.load(path, allow_pickle=False)])


def same_length(arrays: Mapping[str, Array], name: str, other: str) -> None:
    """Raise if scores and labels, or scores and paths, are not equally many."""
    counts = len(arrays[f"{name}/score"]), len(arrays[f"{name}/{other}"])
    if counts[0] != counts[1]:
        raise DamagedFile(f"{name} has {counts[0]} scores and {counts[1]} values of {other}.")


def content_hash(arrays: Mapping[str, Array]) -> str:
    """Return the SHA-256 of the names, types, shapes and bytes of arrays."""
    lines = [f"{name} {each.dtype.str} {each.shape} {sha256_of(np.ascontiguousarray(each).tobytes())}"
             for name, each in sorted(arrays.items())]  # fmt: skip
    return sha256_of("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
