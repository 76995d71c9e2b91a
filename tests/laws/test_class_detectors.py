"""Every detector that knows the normal classes obeys the laws; broken ones fail them."""

from functools import partial

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.detectors.classifiers import MaxLogit, class_detectors, make_class_detector
from offnominal.laws import GPU_ROUNDING, check_class_detector

pytestmark = pytest.mark.long

SMALL = {"DeepEnsemble": {"n_members": 2}, "PatchAutoencoder": {"channels": 2}, "ODIN": {"epsilon": 0.01}}
MAKE = {
    id: partial(make_class_detector, id, n_epochs=1, batch_size=12, **SMALL.get(id, {})) for id in class_detectors.ids()
}


@pytest.mark.parametrize("id", MAKE)
def test_every_detector_obeys_the_laws(id):
    report = check_class_detector(partial(MAKE[id], device="cpu"))
    report.raise_if_broken()
    assert all(finding.holds for finding in report), [finding for finding in report if not finding.holds]


@pytest.mark.parametrize("id", MAKE)
@pytest.mark.parametrize("device", ["cuda"], indirect=True)
def test_every_detector_obeys_the_laws_on_a_gpu(id, device):
    check_class_detector(partial(MAKE[id], device=device), tolerance=GPU_ROUNDING).raise_if_broken()


class Comparing(MaxLogit):
    def _score(self, images):
        scores = super()._score(images)
        return scores - scores.mean()


class Constant(MaxLogit):
    def _score(self, images):
        return np.zeros(len(images))


@pytest.mark.parametrize(
    ("kind", "law"),
    [(Comparing, "scores do not depend on the batch"), (Constant, "scores are finite and differ")],
)
def test_a_broken_detector_fails_its_law(kind, law):
    report = check_class_detector(lambda: kind(n_epochs=0, device="cpu"))
    assert law in {finding.law for finding in report if finding.problem}
