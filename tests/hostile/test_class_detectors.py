"""Damaged files of detectors of images with known classes are named errors, or give finite scores."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.errors import DamagedFile
from offnominal.detectors.classifiers import class_detectors, make_class_detector
from offnominal.laws.class_detector import square_images

from .saved_detectors import damaged

pytestmark = pytest.mark.long

IMAGES, LABELS = square_images(12, 2, seed=0)
SMALL = {"DeepEnsemble": {"n_members": 2}, "PatchAutoencoder": {"channels": 1}}
KEPT = 1
"""Number of network weights that are damaged, besides all other arrays."""


@pytest.mark.parametrize(
    "id",
    [pytest.param(id, marks=[] if id == "ClassMahalanobis" else [pytest.mark.hostile]) for id in class_detectors.ids()],
)
def test_damaged_arrays_are_named_or_give_finite_scores(id):
    detector = make_class_detector(id, n_epochs=0, device="cpu", **SMALL.get(id, {})).fit(IMAGES, LABELS)
    state, draw = detector.state_dict(), np.random.default_rng(0)
    weights = [name for name in state if "network." in name]
    chosen = [name for name in state if name not in weights] + list(draw.permutation(weights)[:KEPT])
    for name in chosen:
        for what, values in damaged(state[name], draw):
            try:
                detector.load_state_dict({**state, name: values})
            except DamagedFile:
                continue
            assert np.isfinite(detector.score(IMAGES[:1])).all(), (name, what)
    for missing in chosen:
        with pytest.raises(DamagedFile):
            detector.load_state_dict({name: values for name, values in state.items() if name != missing})
    with pytest.raises(DamagedFile, match="unknown"):
        detector.load_state_dict({**state, "more": np.zeros(2)})
