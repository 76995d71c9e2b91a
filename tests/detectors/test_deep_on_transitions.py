"""Deep point detectors score the transitions of a world."""

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.anomalies import Fault
from offnominal.detectors import make_detector
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

pytest.importorskip("torch", reason="torch is not installed")
WORLD = "SAP-Goal0-v0"


def test_a_faulty_transition_has_a_high_score():
    policy = expert(WORLD)
    nominal = collect(WORLD, policy, 20)
    (faulty,) = collect(WORLD, policy, 1, faults=Fault("observation/noise", 1.0, schedule=4), seed=1000)
    detector = make_detector("VAE", hidden=16, learning_rate=5e-3, max_iter=150, n_samples=10, device="cpu").fit(
        nominal
    )
    (scores,) = detector.score([faulty])
    assert np.median(scores[faulty.active]) > np.max(scores[~faulty.active])
    twin = make_detector("VAE", **detector.get_params())
    twin.load_state_dict(detector.state_dict())
    np.testing.assert_array_equal(twin.score([faulty])[0], scores)


def test_validation_episodes_decide_when_to_stop():
    nominal = collect(WORLD, expert(WORLD), 12)
    small = {"hidden": 16, "learning_rate": 5e-3, "max_iter": 30, "n_samples": 2, "device": "cpu"}
    checks = [
        make_detector("VAE", **small).fit(nominal, validation=unseen).state_dict()["point.checks"]
        for unseen in (None, nominal[:1], nominal[1:2])
    ]
    assert not np.array_equal(checks[1], checks[2])
    assert not np.array_equal(checks[0], checks[1])
