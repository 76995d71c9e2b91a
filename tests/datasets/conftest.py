"""Small datasets to test with. Their strengths are given, so that no table can change them."""

import json
import warnings

import numpy as np
import pytest

from offnominal.core.episode import Episode, Event
from offnominal.datasets import Manifest, Recipe, generate

WORLD = "SAP-Goal0-v0"
STRENGTHS = {
    ("observation/offset", "medium"): 0.3,
    ("action/noise", "tiny"): 0.4,
    ("action/noise", "extreme"): 3.0,
    ("dynamics/mass", "strong"): 5.0,
}
EXTRAS = ("clean_observations", "executed_actions", "applied")


@pytest.fixture(scope="session")
def made():
    """Return a function that makes a small dataset with every kind of fault."""

    def make(folder, *, overwrite=False, report=warnings.warn, **changes):
        options = {"episodes": 8, "strengths": STRENGTHS, "twins": True, "extras": EXTRAS, **changes}
        return generate(Recipe.for_world(WORLD, **options), folder, overwrite=overwrite, report=report)

    return make


@pytest.fixture(scope="session")
def dataset(made, tmp_path_factory):
    """A small dataset that no test changes."""
    return made(tmp_path_factory.mktemp("datasets") / "small")


@pytest.fixture(scope="session")
def recorded():
    """Return a function that makes up an episode."""

    def record(length=3, seed=0, width=2, onset=None, **extras):
        draw = np.random.default_rng(seed)
        active = np.arange(length) >= (length if onset is None else onset)
        return Episode(
            observations=draw.normal(size=(length + 1, width)).astype(np.float32),
            actions=draw.normal(size=(length, 1)),
            rewards=draw.normal(size=length),
            active=active,
            events=() if onset is None else (Event("action/offset", 0.5, onset, None, (0,)),),
            seed=seed,
            terminated=bool(seed % 2),
            extras=extras,
        )

    return record


@pytest.fixture(scope="session")
def edit():
    """Return a function that changes a manifest and gives it the hash of what it then says."""

    def change_manifest(folder, change):
        data = json.loads((folder / "manifest.json").read_text())
        change(data)
        Manifest.from_dict(data).write(folder)

    return change_manifest
