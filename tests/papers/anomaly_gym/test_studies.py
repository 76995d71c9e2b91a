"""The studies of Anomaly-Gym."""

from typing import Any

import pytest

from offnominal.agents.experts import expert_card
from offnominal.anomalies.strengths import strengths_of
from offnominal.papers.anomaly_gym.published_numbers import LEVELS
from offnominal.studies.catalogue import load_study

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    "name",
    [
        "anomaly-gym",
        "anomaly-gym-as-published",
        "anomaly-gym-published-strengths",
        "anomaly-gym-policies",
        "anomaly-gym-variance",
        "anomaly-gym-schedules",
        "anomaly-gym-unseen-policy",
        "anomaly-gym-images",
        "anomaly-gym-images-as-published",
        "anomaly-gym-images-policies",
        "anomaly-gym-images-pretrained",
        "anomaly-gym-images-sensors",
        "anomaly-gym-robot-transfer",
        "quickstart",
    ],
)
def test_shipped_studies_can_be_laid_out_at_every_scale(name):
    study = load_study(name)
    for scale in study.scales or [None]:
        cells = study.at(scale).cells()
        assert len({cell.label for cell in cells}) == len(cells) > 0
        enough = 10 if name == "anomaly-gym-as-published" else 23
        assert all(cell.data.validation >= enough for cell in cells)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "scale", "cells"),
    [
        ("anomaly-gym", "smoke", 20),
        ("anomaly-gym", "laptop", 10 * 20),
        ("anomaly-gym", "paper", 10 * 20),
        ("anomaly-gym-as-published", "paper", 10 * 17),
        ("anomaly-gym-as-published", "strengths", 10 * 17),
        ("anomaly-gym-as-published", "policies", 14 * 7),
        ("anomaly-gym-published-strengths", "paper", 10 * 17),
        ("anomaly-gym-schedules", "smoke", 4),
        ("anomaly-gym-schedules", "paper", 7 * 19),
        ("anomaly-gym-unseen-policy", "smoke", 3 * 4),
        ("anomaly-gym-unseen-policy", "paper", 10 * 3 * 19),
        ("anomaly-gym-variance", "smoke", 2 * 3 * (2 + 2 + 1 + 1)),
        ("anomaly-gym-variance", "paper", 10 * 3 * 20),
        ("anomaly-gym-variance", "five", 10 * 5 * 20),
        ("anomaly-gym-images-sensors", "laptop", 10 * 29),
        ("anomaly-gym-images-sensors", "smoke", 4),
        ("anomaly-gym-images-pretrained", "laptop", 10 * (6 + 2 * 3 + 3 * 3 + 1)),
        ("anomaly-gym-images-pretrained", "smoke", 4),
        ("anomaly-gym-images", "laptop", 10 * 29),
        ("anomaly-gym-images", "paper", 10 * 34),
        ("anomaly-gym-images", "training", 10 * 5),
        ("anomaly-gym-images-as-published", "laptop", 10 * 5),
    ],
)
def test_number_of_cells_of_each_scale(name, scale, cells):
    assert len(load_study(name).at(scale).cells()) == cells


@pytest.mark.parametrize("name", ["anomaly-gym", "anomaly-gym-images"])
@pytest.mark.parametrize(("scale", "episodes"), [("laptop", 20), ("paper", 50)])
def test_lane_keeping_has_as_many_episodes_as_published(name, scale, episodes):
    study = load_study(name).at(scale)
    data = {cell.columns()["world"]: cell.data for cell in study.cells()}  # type: ignore[attr-defined]
    assert (data["CAR-LaneKeep-v0"].episodes, data["CAR-LaneKeep-v0"].nominal) == (episodes, 50)
    assert data["CAR-LaneKeep-v0"].validation == data["URM-Reach-v0"].validation == 40
    assert data["URM-Reach-v0"].nominal == 100


def test_the_study_of_the_variance_differs_in_the_policies_only():
    before, after = (list(load_study(name).at("paper").cells()) for name in ("anomaly-gym", "anomaly-gym-variance"))
    assert {cell.replace(policy="expert").label for cell in after} == {cell.label for cell in before}
    assert all(cell.replace(policy="expert") in before for cell in after)


def test_only_faults_of_particle_worlds_leak_as_published():
    data = {cell.world: cell.data for cell in load_study("anomaly-gym-as-published").cells()}  # type: ignore[attr-defined]
    assert data["SAP-Goal1-v0"].options()["changes"] == {"leaking": ("dynamics/force", "dynamics/moving_objects")}
    assert data["MJC-Reacher3D-v0"].options()["changes"] == {}


def test_only_two_faults_of_lane_keeping_overwrite_actions_as_published():
    data = {cell.world: cell.data for cell in load_study("anomaly-gym-as-published").cells()}  # type: ignore[attr-defined]
    assert data["CAR-LaneKeep-v0"].options()["changes"] == {
        "overwriting": ("dynamics/brake_fail", "dynamics/steer_fail")
    }


def laptop_cells(name: str) -> dict[tuple[str, str], Any]:
    """Return the cells of the first seed by world and detector."""
    cells: list[Any] = list(load_study(name).at("laptop").cells())
    return {(cell.world, cell.name): cell for cell in cells if cell.seed == 0}


def test_images_as_published_differ_in_four_worlds_and_in_prednet_only():
    before, after = (laptop_cells(name) for name in ("anomaly-gym-images", "anomaly-gym-images-as-published"))
    for (world, detector), cell in after.items():
        other = before[world, detector]
        assert cell.parameters == other.parameters
        assert (cell.data != other.data) == world.startswith(("SAP", "MJC-HalfCheetah"))
        assert (cell.detector == other.detector) == (detector != "PredNet")
    assert after["MJC-HalfCheetah-v0", "LDM"].data.options()["changes"] == {"published_view": True}
    changes = {"leaking": ("dynamics/force", "dynamics/moving_objects"), "step_counter": True}
    assert after["SAP-Goal1-v0", "LDM"].data.options()["changes"] == changes


@pytest.mark.parametrize("world", load_study("anomaly-gym").worlds)  # type: ignore[attr-defined]
def test_every_world_of_the_study_has_a_policy_and_strengths(world):
    assert load_study("anomaly-gym-images").worlds == load_study("anomaly-gym").worlds  # type: ignore[attr-defined]
    assert load_study("anomaly-gym-as-published").worlds == load_study("anomaly-gym").worlds  # type: ignore[attr-defined]
    assert expert_card(world).chosen
    assert {level for _, level in strengths_of(world)} >= set(LEVELS)


def test_policies_differ_from_strengths_in_the_policy_only():
    study = load_study("anomaly-gym-as-published")
    before, after = (list(study.at(scale).cells()) for scale in ("strengths", "policies"))
    assert {cell.policy for cell in before} == {"expert"}  # type: ignore[attr-defined]
    assert all(cell.replace(policy="expert") in before for cell in after)
    policies = {cell.world: {other.policy for other in after if other.world == cell.world} for cell in after}  # type: ignore[attr-defined]
    assert policies["SAP-Goal0-v0"] == {"scripted", "sac", "td3"}
    assert policies["MJC-CartpoleSwingup-v0"] == {"scripted", "rl-finetuned-sac", "rl-finetuned-td3"}
    assert policies["URM-PnP-v0"] == {"scripted"}
