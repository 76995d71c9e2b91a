"""Evaluation of a detector on a dataset, with and without an alarm."""

import numpy as np
import pytest

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.detectors import Time, make_detector
from offnominal.evaluation import evaluate, evaluate_split

pytestmark = pytest.mark.long

STRENGTHS = {("observation/offset", "large"): 2.0, ("observation/offset", "none"): 1e-9}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "set"
    return off.generate(
        off.Recipe.for_world("SAP-Goal0-v0", episodes=40, nominal=60, strengths=STRENGTHS, twins=True), folder
    )


@pytest.fixture(scope="module")
def detector(data):
    return make_detector("KNN").fit(data["train"])


def test_every_fault_has_a_line_and_a_large_one_is_detected(data, detector):
    report = evaluate(detector, data, replicates=50)
    assert [line.split for line in report.lines] == list(data.faults.values())
    assert report["observation/offset@large"].numbers["matched_auroc"].value > 0.95
    assert abs(report["observation/offset@none"].numbers["excess_auroc"].value) < 0.02


def test_the_numbers_are_those_of_the_split_alone(data, detector):
    name = "observation/offset@large"
    episodes, twins = list(data[name]), list(data["twins"])
    alone = evaluate_split(
        detector.score(episodes),
        episodes,
        name=name,
        nominal=detector.score(list(data["test"])),
        twins=twins,
        twin_scores=detector.score(twins),
        replicates=50,
    )
    (line,) = evaluate(detector, data, splits=[name], replicates=50).lines
    for key, number in alone.numbers().items():
        np.testing.assert_array_equal(line.numbers[key].value, number.value)


def test_an_alarm_adds_delays_and_false_alarms(data, detector):
    alarm = EpisodeMaximum(0.2).fit(detector.score(list(data["validation"])))
    line = evaluate(detector, data, alarm=alarm, replicates=0)["observation/offset@large"]
    assert line.numbers["median_delay"].value <= 1.0
    assert line.numbers["miss_rate"].value == 0.0
    assert "median_delay" not in evaluate(detector, data, replicates=0).lines[0].numbers


def test_elapsed_time_gets_no_time_matched_credit(data):
    line = evaluate(Time().fit(data["train"]), data, replicates=0).lines[0]
    assert line.numbers["auroc"].value == 1.0
    assert line.numbers["matched_auroc"].value == 0.5
    assert line.numbers["excess_auroc"].value == 0.0


def test_a_dataset_without_faults_and_an_unknown_split_are_errors(data, detector, tmp_path):
    nominal = off.generate(off.Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[]), tmp_path / "nominal")
    with pytest.raises(InvalidParameter, match="no split with faults"):
        evaluate(detector, nominal)
    with pytest.raises(UnknownName, match="Did you mean"):
        evaluate(detector, data, splits=["observation/offset@lage"])
