"""Transfer studies are read, checked and expanded to cells."""

import math

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.kinds import DataEntry, TransferCell, TransferFault, TransferStudy
from offnominal.kinds.transfer.kind import chosen_strengths
from offnominal.studies import DetectorEntry, load_study
from offnominal.studies.kinds import cell_from, study_from
from offnominal.studies.world_selection import at_worlds

WORLDS = ("SAP-Goal0-v0", "SAP-Goal1-v0")
ROBOT = "anomaly-gym-robot-transfer"


def transfer_study(**changes):
    return TransferStudy("mine", **{"worlds": WORLDS, "detectors": (DetectorEntry("KNN"),), **changes})


def test_each_world_trains_the_detectors_that_all_worlds_test():
    cells = transfer_study().cells()
    assert [cell.world for cell in cells] == list(WORLDS)
    assert {cell.test_worlds for cell in cells} == {WORLDS}


def test_worlds_have_equal_numbers_of_episodes():
    with pytest.raises(InvalidParameter, match="max_episodes"):
        transfer_study(max_episodes={WORLDS[0]: 5})


def test_training_worlds_can_be_chosen():
    (cell,) = transfer_study(train_worlds=WORLDS[:1]).cells()
    assert (cell.world, cell.test_worlds) == (WORLDS[0], WORLDS)


def test_cells_of_all_training_worlds_share_their_data():
    first, second = transfer_study().cells()
    assert first.source == second.source
    other = transfer_study(faults=(TransferFault("action/offset", "mild", dict.fromkeys(WORLDS, 0.2)),))
    assert other.cells()[0].source != first.source


def test_plain_data_give_the_study_and_its_cells_back():
    study = transfer_study(faults=(TransferFault("action/offset", "mild", {WORLDS[0]: 0.2}),))
    assert study.to_dict()["kind"] == "transfer"
    assert study_from(study.to_dict()) == study
    (cell, _) = study.cells()
    assert cell_from(cell.to_dict()) == cell
    assert isinstance(cell_from(cell.to_dict()), TransferCell)


def test_worlds_of_different_shapes_are_an_error():
    with pytest.raises(InvalidParameter, match=r"SAP-Goal0-v0 has 26 and 2; URM-Reach-v0 has 13 and 4; choose"):
        transfer_study(worlds=("SAP-Goal0-v0", "URM-Reach-v0"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (TransferFault("action/offset", "mild", {"SAP-Goal3-v0": 0.2}), "no world named 'SAP-Goal3-v0'"),
        (TransferFault("action/ofset", "mild", {WORLDS[0]: 0.2}), "Did you mean 'action/offset'"),
        (TransferFault("dynamics/payload", "mild", {WORLDS[0]: 0.2}), "SAP-Goal0-v0 has no anomaly 'dynamics/payload'"),
    ],
)
def test_faults_that_a_world_does_not_have_are_an_error(fault, message):
    with pytest.raises(UnknownName, match=message):
        transfer_study(faults=(fault,))


@pytest.mark.parametrize(("level", "parameter"), [("../elsewhere", 0.2), ("mild", math.nan), ("mild", math.inf)])
def test_levels_and_parameters_are_checked(level, parameter):
    with pytest.raises(InvalidParameter, match="action/offset"):
        TransferFault("action/offset", level, {WORLDS[0]: parameter})


def test_a_study_can_be_restricted_to_one_of_its_worlds():
    study = at_worlds(load_study(ROBOT), "smoke", "URM*")
    cells = [cell for cell in study.cells() if isinstance(cell, TransferCell)]
    assert {(cell.world, cell.test_worlds) for cell in cells} == {("URM-Reach-v0", ("URM-Reach-v0",))}


def test_faults_of_one_world_are_left_out_in_the_other():
    (cell, _) = load_study(ROBOT).at("smoke").cells()[:2]
    found = chosen_strengths(cell)
    assert list(found["URM-Reach-v0"]) == [("action/offset", "strong"), ("observation/noise", "strong")]
    assert set(found["URR-Reach-v0"]) - set(found["URM-Reach-v0"]) == {("dynamics/control_latency", "strong")}


def test_calibrated_strengths_are_used_without_faults_of_the_study():
    (cell, _) = transfer_study(data=DataEntry(anomalies=("action/offset",), levels=("strong",))).cells()
    found = chosen_strengths(cell)
    assert all(list(found[world]) == [("action/offset", "strong")] for world in WORLDS)


def test_a_world_that_only_trains_has_no_faults():
    (cell,) = transfer_study(worlds=WORLDS[1:], train_worlds=WORLDS[:1]).cells()
    found = chosen_strengths(cell)
    assert not found[WORLDS[0]]
    assert found[WORLDS[1]]


def test_an_anomaly_that_no_world_has_is_an_error():
    (cell, _) = transfer_study(data=DataEntry(anomalies=("action/ofset",))).cells()
    with pytest.raises(UnknownName, match=r"in SAP-Goal0-v0 or SAP-Goal1-v0\. Did you mean 'action/offset'"):
        chosen_strengths(cell)
