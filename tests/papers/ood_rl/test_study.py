"""The study as data."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.ood_rl.cell import MethodEntry
from offnominal.papers.ood_rl.episodes import chosen_settings
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG
from offnominal.papers.ood_rl.study import OODStudy
from offnominal.studies.catalogue import load_study
from offnominal.studies.kinds import cell_from, study_from

pytestmark = pytest.mark.long

INTERNAL, KNN = MethodEntry("Entropy", internal=True), MethodEntry("KNN")
FUSED = MethodEntry("Both", "Fusion", parts=("Entropy", "KNN"))


def small(**changes):
    return OODStudy(
        "mine", **{"worlds": (CARTPOLE,), "methods": (INTERNAL, KNN), "uncertainties": ("ensemble",)} | changes
    )


def test_methods_inside_the_policy_share_a_cell_and_those_outside_another():
    assert [[entry.name for entry in cell.methods] for cell in small().cells()] == [["Entropy"], ["KNN"]]


def test_a_fusion_brings_the_parts_that_its_cell_does_not_have():
    _, outside = small(methods=(INTERNAL, KNN, FUSED)).cells()
    assert [entry.name for entry in outside.methods] == ["KNN", "Both"]
    assert [entry.name for entry in outside.parts] == ["Entropy"]


def test_agents_of_a_kind_share_no_source_and_groups_of_methods_do():
    cells = small(agents=(0, 1)).cells()
    assert len(cells) == 4
    assert [cell.source for cell in cells[:2]] == [cells[0].source] * 2
    assert cells[2].source != cells[0].source


def test_detectors_outside_watch_some_agents_only():
    labels = [cell.label.removeprefix(f"{CARTPOLE}/") for cell in small(agents=(0, 1), external_agents=(0,)).cells()]
    assert labels == ["ensemble/policy/0", "ensemble/outside/0", "ensemble/policy/1"]


def test_pong_has_no_dropout_agent_and_short_games():
    cells = [cell for cell in load_study("ood-rl").at("paper").cells() if cell.world == PONG]  # type: ignore[attr-defined]
    assert {cell.uncertainty for cell in cells} == {"ensemble", "dropconnect"}  # type: ignore[attr-defined]
    assert {(cell.episodes, cell.max_steps) for cell in cells} == {(1, 2000)}  # type: ignore[attr-defined]


def test_pong_is_watched_from_outside_by_a_detector_of_pictures():
    cells = [cell for cell in load_study("ood-rl").at("paper").cells() if cell.world == PONG and cell.seed == 0]  # type: ignore[attr-defined]
    watching = {(cell.uncertainty, cell.group): [entry.name for entry in cell.methods] for cell in cells}  # type: ignore[attr-defined]
    assert watching == {
        ("ensemble", "policy"): ["Uncertainty", "TD residual", "Q-value", "Entropy"],
        ("ensemble", "outside"): ["Encoder-KNN", "Time"],
        ("dropconnect", "policy"): ["Uncertainty"],
    }


def test_entropy_is_that_of_choices():
    cells = [cell for cell in load_study("ood-rl").at("shipped").cells() if cell.label.endswith("ensemble/policy/0")]
    watching = {cell.world: [entry.name for entry in cell.methods] for cell in cells}  # type: ignore[attr-defined]
    assert watching == {
        CARTPOLE: ["Uncertainty", "TD residual", "Q-value", "Entropy"],
        PENDULUM: ["Uncertainty", "TD residual", "Q-value"],
    }


def test_laptop_has_every_setting_of_both_classic_worlds():
    cells = load_study("ood-rl").at("laptop").cells()
    assert {cell.world: len(chosen_settings(cell)) for cell in cells} == {CARTPOLE: 90, PENDULUM: 40}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"worlds": ("OOD-CartPole-v1",)}, UnknownName, "Did you mean 'OOD-CartPole-v0'"),
        ({"methods": ()}, InvalidParameter, "no methods"),
        ({"methods": (KNN, KNN)}, InvalidParameter, "two methods with the same name"),
        ({"methods": (KNN, FUSED)}, UnknownName, "Entropy"),
        ({"trials": 0}, InvalidParameter, "trials is 0; expected an integer from 1"),
    ],
)
def test_what_cannot_be_run_is_named(fields, error, message):
    with pytest.raises(error, match=message):
        small(**fields)


def test_cells_and_studies_survive_files():
    study = load_study("ood-rl")
    assert study_from(study.to_dict()) == study
    cell = study.cells()[1]
    assert cell_from(cell.to_dict()) == cell
