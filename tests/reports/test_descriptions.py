"""Descriptions of registered objects, for the terminal and as plain data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offnominal.alarms import alarms
from offnominal.anomalies import anomalies
from offnominal.core.errors import UnknownName
from offnominal.detectors import detectors
from offnominal.detectors.classifiers import class_detectors
from offnominal.detectors.scenes import scene_detectors
from offnominal.reports.descriptions import (
    describe_alarm,
    describe_anomaly,
    describe_detector,
    describe_policies,
    describe_study,
    describe_world,
)
from offnominal.reports.descriptions.description import DOCUMENTATION
from offnominal.studies.catalogue import studies
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
DESCRIBED = [
    *((describe_alarm, id) for id in alarms.ids()),
    *((describe_study, id) for id in studies.ids()),
    *((describe_policies, id) for id in worlds.ids()),
    (describe_world, "SAP-Goal0-v0"),
    (describe_anomaly, "camera/blur"),
]


def documented(found):
    """Whether the page of a description is in this repository."""
    return (ROOT / "docs" / found.documentation.removeprefix(f"{DOCUMENTATION}/")).is_file()


@pytest.mark.parametrize(
    ("describe", "id"), DESCRIBED, ids=lambda each: each if isinstance(each, str) else each.__name__
)
def test_every_object_is_described_as_plain_data_and_has_a_page(describe, id):
    found = describe(id)
    assert json.loads(json.dumps(found.to_dict()))["name"] == id
    assert found.summary
    assert documented(found)


@pytest.mark.parametrize("registry", [detectors, scene_detectors, class_detectors], ids=lambda each: each.plural)
def test_every_parameter_of_every_detector_has_a_meaning(registry):
    pytest.importorskip("torch", reason="torch is not installed")
    for id in registry.ids():
        found = describe_detector(id, registry)
        assert found.facts["scores"], id
        assert documented(found), id
        assert [row["parameter"] for row in found.tables["parameters"] if not row["meaning"]] == [], id


def test_a_world_lists_its_channels_and_its_calibrated_strengths():
    found = describe_world("SAP-Goal0-v0")
    assert len(found.tables["channels"]) == 26
    (noise,) = [row for row in found.tables["anomalies"] if row["anomaly"] == "action/noise"]
    assert 0.0 < noise["tiny"] < noise["medium"] < noise["strong"]
    assert noise["extreme"] is None  # more than three limits of the motors
    assert any(row["anomaly"] == "action/scaling (down)" for row in found.tables["anomalies"])


def test_a_dynamics_anomaly_is_described_by_the_worlds_that_have_it():
    found = describe_anomaly("dynamics/moving_objects")
    assert [row["world"] for row in found.tables["strengths"]] == ["SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0"]
    assert found.facts["unit"] == "N"


def test_an_anomaly_that_a_world_lacks_is_an_error():
    with pytest.raises(UnknownName, match="exists in none of"):
        describe_anomaly("dynamics/gravity", "SAP-Goal0-v0")


@pytest.mark.parametrize(
    ("describe", "wrong", "right"),
    [
        (describe_detector, "KMN", "KNN"),
        (describe_world, "SAP-Gaol0-v0", "SAP-Goal0-v0"),
        (describe_anomaly, "action/niose", "action/noise"),
        (describe_anomaly, "dynamics/mas", "dynamics/mass"),
        (describe_alarm, "EpisodeMaximun", "EpisodeMaximum"),
        (describe_policies, "SAP-Gaol0-v0", "SAP-Goal0-v0"),
        (describe_study, "quikstart", "quickstart"),
    ],
)
def test_a_wrong_name_answers_with_the_nearest_right_one(describe, wrong, right):
    with pytest.raises(UnknownName, match=f"Did you mean '{right}'"):
        describe(wrong)


def test_every_signal_anomaly_has_a_formula():
    for id in anomalies.ids():
        if id.startswith(("action/", "observation/")):
            assert describe_anomaly(id, "SAP-Goal0-v0").facts["formula"]
