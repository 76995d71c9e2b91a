"""Arrays that are computed once from a set, stored in the data home, and then shared by cells."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

import numpy as np

from offnominal.core.files import locked, sha256_of, write_bytes
from offnominal.core.types import Array
from offnominal.papers.novelcraft.novelty_sets import NoveltySets
from offnominal.studies.detector_study import DetectorEntry

DIGITS = 32
Arrays = dict[str, Array]


def computed_once(
    name: str, entry: DetectorEntry, sets: NoveltySets, seed: int, code: str, compute: Callable[[], Arrays]
) -> Arrays:
    """Return the arrays that a detector gives for a set; cells that need them at the same time wait for one another.

    Args:
        name: What the arrays are, for the name of the file.
        entry: The detector.
        sets: The set.
        seed: Training seed.
        code: Hash of the code of the detector.
        compute: Computes the arrays if they are not stored.
    """
    about = json.dumps([entry.id, entry.parameters, seed, sets.data.side, code], sort_keys=True)
    path = sets.cache / f"{name}-{sha256_of(about)[:DIGITS]}.npz"
    with locked(path):
        if not path.exists():
            content = BytesIO()
            np.savez(content, allow_pickle=False, **compute())
            write_bytes(path, content.getvalue())
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
