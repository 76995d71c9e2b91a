"""A transfer cell computes what a user would compute by hand with the datasets of two worlds."""

import numpy as np
import pyarrow.compute as pc
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import evaluate_split
from offnominal.kinds import TransferCell, TransferStudy
from offnominal.kinds.faults.cell_run import build_alarm, build_detector
from offnominal.kinds.transfer.cell import TRAIN_WORLD
from offnominal.kinds.transfer.cell_run import RECALIBRATED
from offnominal.kinds.transfer.kind import open_datasets
from offnominal.studies import open_run, run, verify_run
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.execution import code_of, run_cell

from ...studies.cases import ALARM, DATA, SPLIT, WORLD, small_cell

pytestmark = pytest.mark.long

OTHER = "SAP-Goal1-v0"
WORLDS = (WORLD, OTHER)


def transfer_cell(**changes):
    given = {"data": DATA, "alarms": (ALARM,), "replicates": 10, "test_worlds": WORLDS, **changes}
    return TransferCell(WORLD, "Mahalanobis", "Mahalanobis", **given)


@pytest.fixture(scope="module")
def rows(data_folder, sources):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(data_folder))
        return run_cell(transfer_cell(), sources=sources).rows


def row_of(rows, world, alarm):
    (found,) = [row for row in rows.to_pylist() if (row["world"], row["alarm"]) == (world, alarm)]
    return found


def test_rows_name_the_training_world_and_the_tested_world(rows):
    assert rows[TRAIN_WORLD].to_pylist() == [WORLD] * 5
    assert [(row["world"], row["alarm"]) for row in rows.to_pylist()] == [
        (WORLD, None),
        (WORLD, ALARM.name),
        (OTHER, None),
        (OTHER, ALARM.name),
        (OTHER, ALARM.name + RECALIBRATED),
    ]


def test_numbers_in_the_training_world_are_those_of_an_ordinary_study(rows, sources):
    usual = run_cell(small_cell("Mahalanobis"), sources=sources).rows
    here = rows.filter(pc.equal(rows["world"], WORLD))
    for name in ("matched_auroc", "draws_matched_auroc", "auroc", "miss_rate", "false_alarm_episodes", "mean_delay"):
        assert here[name].to_pylist() == usual[name].to_pylist(), name


def test_numbers_in_the_other_world_are_those_by_hand(rows):
    cell = transfer_cell()
    data = open_datasets(cell)
    detector = build_detector(cell).fit(list(data[WORLD]["train"]), seed=0)
    faulty = list(data[OTHER][SPLIT])
    nominal = detector.score(list(data[OTHER]["test"]))
    report = evaluate_split(detector.score(faulty), faulty, nominal=nominal, replicates=0)
    assert row_of(rows, OTHER, None)["matched_auroc"] == report.numbers()["matched_auroc"].value
    for calibration, name in ((WORLD, ALARM.name), (OTHER, ALARM.name + RECALIBRATED)):
        alarm = build_alarm(ALARM).fit(detector.score(list(data[calibration]["validation"])))
        rate = np.mean([raised.any() for raised in alarm.alarm(nominal)])
        assert row_of(rows, OTHER, name)["false_alarm_episodes"] == rate


def test_a_world_without_faults_cannot_be_tested(sources):
    with pytest.raises(InvalidParameter, match="no split with faults"):
        run_cell(transfer_cell(data=DATA.replace(levels=())), sources=sources)


def test_the_code_of_a_cell_includes_the_evaluation(sources):
    module = "offnominal.kinds.transfer.cell_run"
    edited = sources.edited(module, "class TransferEvaluation: ...")
    assert code_of(transfer_cell(), edited) != code_of(transfer_cell(), sources)


@pytest.mark.usefixtures("in_process")
def test_a_run_is_stored_and_verified(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = TransferStudy("mine", worlds=WORLDS, detectors=(DetectorEntry("Time"),), data=DATA, replicates=0)
    folder, outcome = run(study, report=lambda line: None)
    assert (outcome.computed, outcome.complete) == (2, True)
    found = open_run(folder)
    assert found.kind == "transfer"
    assert sorted(set(found.table[TRAIN_WORLD].to_pylist())) == list(WORLDS)
    assert verify_run(folder, share=1.0) == [(f"{world}/expert/Time/0", "") for world in WORLDS]
