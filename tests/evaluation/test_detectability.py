"""Strengths of equal detectability, found and used."""

import numpy as np
import pytest

from offnominal.agents import expert, scripted_expert
from offnominal.anomalies import Fault, Schedule
from offnominal.anomalies import matched_strengths as shipped
from offnominal.anomalies.matched_strengths import (
    MatchedStrength,
    matched_strengths_of,
    read_matched_strengths,
    write_matched_strengths,
)
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.datasets.recipe import cells_of
from offnominal.detectors import make_detector
from offnominal.evaluation import measure_time_matched
from offnominal.evaluation.detectability import match_detectability
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
QUICK = {"nominal": 60, "episodes": 20, "fresh": 100}


@pytest.fixture(scope="module")
def noise():
    return match_detectability(WORLD, anomalies=["observation/noise"], nominal=100, fresh=200)


def test_stronger_levels_are_easier_to_detect(noise):
    assert [line.level for line in noise] == ["auroc-60", "auroc-75", "auroc-90"]
    assert all(line.attainable for line in noise)
    assert (np.diff([line.parameter for line in noise]) > 0.0).all()
    assert all(abs(line.auroc - line.target) <= 0.05 for line in noise)


def test_the_auroc_is_that_of_a_plain_evaluation(noise):
    policy = expert(WORLD)
    detector = make_detector("Mahalanobis").fit(collect(WORLD, policy, 100, seed=1))
    nominal = detector.score(collect(WORLD, policy, 400, seed=1000))
    faulty = collect(WORLD, policy, 400, seed=2000, faults=Fault("observation/noise", noise[1].parameter, Schedule()))
    plain = measure_time_matched(detector.score(faulty), [each.active for each in faulty], nominal).auroc
    assert plain.value == pytest.approx(noise[1].auroc, abs=0.06)


def test_results_do_not_depend_on_the_number_of_workers():
    policies = [expert(WORLD), scripted_expert(WORLD)]
    settings = {"anomalies": ["observation/offset", "action/delay"], "levels": {"clear": 0.8}, **QUICK}
    alone = match_detectability(WORLD, policies, **settings)
    assert repr(match_detectability(WORLD, policies, workers=2, **settings)) == repr(alone)


def test_a_level_that_no_plausible_fault_has_says_so():
    (line,) = match_detectability(WORLD, anomalies=["action/delay"], levels={"sure": 0.99}, **QUICK)
    assert not line.attainable
    assert "at most 3 is plausible" in line.note


def test_what_an_earlier_run_found_is_not_searched_again(noise):
    assert match_detectability(WORLD, anomalies=["observation/noise"], done=noise, nominal=100) == noise


@pytest.mark.parametrize("levels", [{"coin": 0.5}, {"sure": 1.0}, {"none": -1.0}])
def test_levels_are_aurocs_above_chance(levels):
    with pytest.raises(InvalidParameter, match=r"expected an AUROC between 0\.5 and 1"):
        match_detectability(WORLD, anomalies=["observation/noise"], levels=levels)


def test_a_table_survives_writing_and_reading(noise, tmp_path):
    path = tmp_path / "matched.csv"
    write_matched_strengths(path, noise)
    assert [line.parameter for line in read_matched_strengths(path)] == [line.parameter for line in noise]


@pytest.fixture
def table(monkeypatch):
    """Put a line of the shipped table in place of all others."""
    lines = (
        MatchedStrength(WORLD, "action/noise", "", "auroc-75", 0.75, True, 0.4, 0.76, 0.74, 0.78),
        MatchedStrength(WORLD, "action/delay", "", "auroc-75", 0.75, False, 3.0, 0.6, 0.58, 0.62, note="at most 3"),
    )
    monkeypatch.setattr(shipped, "matched_strengths", lambda: lines)
    shipped._by_anomaly.cache_clear()
    yield lines
    shipped._by_anomaly.cache_clear()


def test_their_names_are_strengths_like_the_others(table):
    assert parameter_for(WORLD, "action/noise", "auroc-75") == 0.4
    assert matched_strengths_of(WORLD) == {("action/noise", "auroc-75"): 0.4}
    (cell,) = cells_of(WORLD, anomalies=["action/noise"], levels=["auroc-75"])
    assert (cell.name, cell.parameter) == ("action/noise@auroc-75", 0.4)
    assert all(cell.level != "auroc-75" for cell in cells_of(WORLD))


def test_one_that_is_not_attainable_says_what_the_detector_gets(table):
    with pytest.raises(InvalidParameter, match=r"at 3 Mahalanobis has an AUROC of 0\.600, not 0\.75; at most 3"):
        parameter_for(WORLD, "action/delay", "auroc-75")


def test_one_that_was_not_matched_asks_for_a_number(table):
    with pytest.raises(UnknownName, match="no strength 'auroc-90' for action/noise"):
        parameter_for(WORLD, "action/noise", "auroc-90")
