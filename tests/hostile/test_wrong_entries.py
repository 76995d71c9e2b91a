"""Entries of generators, and what functions of the caller return, are named where they are used."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import offnominal as off
from offnominal.anomalies import Schedule
from offnominal.core.errors import InvalidParameter, InvalidState, OffnominalError
from offnominal.datasets import content_hash
from offnominal.datasets.image_sets import ImageSet
from offnominal.datasets.scenes import HeldOut
from offnominal.detectors import Normaliser
from offnominal.evaluation import EvaluationReport
from offnominal.evaluation.scenes import collect_scores
from offnominal.kinds import Cell
from offnominal.laws import check_class_detector
from offnominal.reports.scene_view import ScoreScale
from offnominal.studies import Failure, LocalPool, run_study
from offnominal.worlds.arm.rtde import KinematicBackend
from offnominal.worlds.road.scenarios import find_violations, write_scenarios
from offnominal.worlds.road.scenes import find_placement_violations, find_recording_violations
from offnominal.worlds.road.town import make_town

from .saved_detectors import fitted


def numbers() -> Iterator[int]:
    return (number for number in range(3))


def images() -> ImageSet:
    return ImageSet("two", np.zeros((4, 2, 2, 1), np.uint8), np.array([0, 1, 0, 1]), ("a", "b"))


@pytest.mark.parametrize(
    "call",
    [
        lambda folder: content_hash(numbers()),
        lambda folder: EvaluationReport.of("SAP-Goal0-v0", numbers()),
        lambda folder: Failure.table(numbers()),
        lambda folder: HeldOut().split(numbers()),
        lambda folder: collect_scores(lambda frames: frames, numbers()),
        lambda folder: off.episodes_from(np.zeros((30, 4)), label=0, nominal=np.array(1.0)),
        lambda folder: HeldOut().split([1.0]),
        lambda folder: find_violations(numbers()),
        lambda folder: find_placement_violations(numbers()),
        lambda folder: find_recording_violations(numbers()),
        lambda folder: run_study(numbers(), folder),
        lambda folder: run_study([Cell("SAP-Goal0-v0", "KNN", "KNN")], folder, only=numbers()),
        lambda folder: off.Recipe.for_world("SAP-Goal0-v0", anomalies=numbers(), episodes=2),
        lambda folder: off.Recipe.for_world("SAP-Goal0-v0", levels=numbers(), episodes=2),
        lambda folder: write_scenarios(numbers(), folder / "scenarios"),
        lambda folder: make_town([]),
        lambda folder: images().pixels(np.ones((3, 2), bool)),
        lambda folder: images().pixels(np.array(1.0)),
        lambda folder: KinematicBackend().follow(np.zeros(6), 0.1),
        lambda folder: Normaliser.identity(-1),
        lambda folder: Schedule(2).fill(None, 3),
        lambda folder: ScoreScale(0.0, 1.0, 2.0).outcome_colours(np.zeros(3), np.ones((3, 2), bool)),
        lambda folder: off.check_detector(lambda: None),
        lambda folder: check_class_detector(lambda: None),
    ],
)
def test_a_wrong_entry_is_a_named_error(call: Callable[..., object], tmp_path: object) -> None:
    with pytest.raises(InvalidParameter):
        call(tmp_path)


def test_splits_that_the_data_does_not_have_are_named() -> None:
    detector, nominal = fitted("KNN")
    alarm = off.alarms.Maximum().fit(detector.score(nominal))
    with pytest.raises(OffnominalError, match=r"the data has no split 'faulty'\. It has test"):
        off.evaluate(detector, {"test": nominal}, alarm=alarm, splits=["faulty"])


def test_a_pool_that_was_not_started_is_named() -> None:
    with pytest.raises(InvalidState, match="has not been started"):
        next(LocalPool(1).run([]))
