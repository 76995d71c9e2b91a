"""Audits of alarms on the scores of detectors in a world."""

import sys

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, TooFewEpisodes, alarms_at, audit_world
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.detectors import Time, make_detector
from offnominal.worlds import worlds

WORLD = "SAP-Goal0-v0"
SMALL = {"episodes": 60, "calibrations": 3, "calibration": 20, "training": 5}
CONFORMAL = ["EpisodeMaximum", "PacEpisodeMaximum", "EpisodeEwma", "EpisodeCusum", "TimeBand"]


class Seeds(Time):
    """Scores an episode by its seed, and remembers which it has seen."""

    seen: list

    def __deepcopy__(self, memo):
        return self

    def _fit(self, episodes, validation, seed):
        self.seen = [{episode.seed for episode in episodes}]

    def _score(self, episodes):
        self.seen += [{episode.seed for episode in episodes}]
        return [np.full(len(episode), float(episode.seed)) for episode in episodes]


def test_a_result_for_every_detector_and_alarm():
    cells = audit_world(
        WORLD,
        {"one": make_detector("Mahalanobis"), "other": Time()},
        alarms_at(["EpisodeMaximum", "ThreeSigma"]),
        **SMALL,
    )
    rows = [cell.row() for cell in cells]
    assert [(row["detector"], row["alarm"]) for row in rows] == [
        ("one", "EpisodeMaximum"),
        ("one", "ThreeSigma"),
        ("other", "EpisodeMaximum"),
        ("other", "ThreeSigma"),
    ]
    assert {row["world"] for row in rows} == {WORLD}
    assert [row["guarantee"] for row in rows] == [0.05, None, 0.05, None]
    for row in rows:
        assert row["low"] <= row["rate"] <= row["high"]
        assert row["lowest"] <= row["rate"] <= row["highest"]
        assert (row["calibrations"], row["calibration"], row["episodes"]) == (3, 20, 60)


def test_training_calibration_and_test_episodes_are_disjoint():
    detector = Seeds()
    list(audit_world(WORLD, {"Seeds": detector}, alarms_at(["Maximum"]), seed=7, **SMALL))
    training, scored = detector.seen
    assert training == set(range(7, 12))
    assert scored == set(range(12, 132))


def test_scores_that_are_not_exchangeable_break_the_guarantee():
    """Fresh episodes have larger seeds than any calibration episode."""
    (cell,) = audit_world(WORLD, {"Seeds": Seeds()}, alarms_at(["EpisodeMaximum"]), **SMALL)
    assert (cell.audit.rate, cell.audit.verdict) == (1.0, "broken")


def test_the_number_of_tests_is_counted_unless_given():
    tried = alarms_at(["EpisodeMaximum", "ThreeSigma"], [0.05, 0.1])
    detectors = {"one": Time(), "two": Time()}
    assert {cell.audit.n_tests for cell in audit_world(WORLD, detectors, tried, **SMALL)} == {4}
    assert {cell.audit.n_tests for cell in audit_world(WORLD, detectors, tried, n_tests=24, **SMALL)} == {24}
    (cell,) = audit_world(WORLD, {"one": Time()}, alarms_at(["Maximum"]), **SMALL)
    assert cell.audit.verdict == "no guarantee"


def test_an_alarm_with_a_level_is_built_for_every_level():
    made = alarms_at(["ThreeSigma", "PacEpisodeMaximum"], [0.1, 0.2])
    assert [name for name, _ in made] == ["ThreeSigma", "PacEpisodeMaximum", "PacEpisodeMaximum"]
    assert [(alarm.alpha, alarm.confidence) for _, alarm in made[1:]] == [(0.1, 0.95), (0.2, 0.95)]  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="Did you mean 'EpisodeMaximum'"):
        alarms_at(["EpisodMaximum"])


def test_too_few_calibration_episodes_are_an_error_before_any_simulation(monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.alarms.world_audit"], "collect", None)
    with pytest.raises(TooFewEpisodes, match=r"20 nominal episodes are too few for alpha 0\.01"):
        next(audit_world(WORLD, {"Time": Time()}, alarms_at(["EpisodeMaximum"], [0.01]), **SMALL))
    with pytest.raises(InvalidParameter, match="training is 0"):
        next(audit_world(WORLD, {"Time": Time()}, alarms_at(["Maximum"]), **SMALL | {"training": 0}))


def test_the_given_detector_and_alarm_are_not_changed():
    detector, alarm = make_detector("Mahalanobis"), EpisodeMaximum()
    list(audit_world(WORLD, {"Mahalanobis": detector}, [("EpisodeMaximum", alarm)], **SMALL))
    assert not detector.fitted
    assert not alarm.fitted


def test_episodes_may_be_shorter():
    seen: list[int] = []

    class Lengths(Time):
        def _score(self, episodes):
            seen.extend(map(len, episodes))
            return super()._score(episodes)

    list(audit_world(WORLD, {"Lengths": Lengths()}, alarms_at(["Maximum"]), max_steps=7, **SMALL))
    assert (len(seen), max(seen)) == (120, 7)


SHORTER = {
    "URM-PnP-v0": {"max_steps": 50},
    "URR-Reach-v0": {"max_steps": 50},
    # Rows of 2,312 numbers.
    "CRAFT-Pogo-v1": {"max_steps": 20, "episodes": 1000, "calibrations": 10, "training": 40},
    "CRAFT-Pogo-v2": {"max_steps": 20, "episodes": 1000, "calibrations": 10, "training": 40},
}
"""Smaller audits of slow worlds. A guarantee per episode holds for any length, so fewer steps cost no power."""


@pytest.mark.slow
@pytest.mark.parametrize("world", [id for id in worlds.ids() if not id.startswith("OOD-")])
def test_guarantees_of_conformal_alarms_hold_in_every_world(world):
    detectors = {name: make_detector(name) for name in ("IsolationForest", "KNN", "Mahalanobis", "Time", "Random")}
    cells = list(audit_world(world, detectors, alarms_at(CONFORMAL), **SHORTER.get(world, {})))
    assert [cell.row() for cell in cells if cell.audit.outcome == "broken"] == []
