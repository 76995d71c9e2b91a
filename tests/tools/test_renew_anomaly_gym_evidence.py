"""Renewal of measured evidence: what is not named stays."""

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import renew_anomaly_gym_evidence as renew_evidence
from offnominal.papers.anomaly_gym import evidence
from offnominal.papers.anomaly_gym.discrimination_tables import every_metric
from renew_anomaly_gym_evidence import evidence_rows

from ..papers.anomaly_gym.made_rows import NUMBERS, row, run

IMAGES = "anomaly-gym-images"
WORLD = "SAP-Goal0-v0"
FILE = "published_strength_scores.csv"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [{"world": world, "score": "old"} for world in ("CAR-LaneKeep-v0", "SAP-Goal0-v0")]
    monkeypatch.setattr(renew_evidence, "FOLDER", tmp_path)
    monkeypatch.setattr(renew_evidence, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(
        renew_evidence, "published_parameter_scores", lambda world, episodes: [{"world": world, "score": "new"}]
    )
    renew_evidence.write_rows(FILE, rows)
    return tmp_path


def test_scores_of_worlds_that_are_not_named_are_kept(folder):
    renew_evidence.main(["scores", "SAP-Goal0-v0", "MJC-Reacher3D-v0"])
    rows = [tuple(row.values()) for row in csv.DictReader((folder / FILE).read_text().splitlines())]
    assert rows == [("CAR-LaneKeep-v0", "old"), ("MJC-Reacher3D-v0", "new"), ("SAP-Goal0-v0", "new")]


def images(value, name=IMAGES):
    rows = [row(WORLD, detector, "strong", **dict.fromkeys(NUMBERS, value)) for detector in ("LDM", "KNN-random")]
    return run(rows, name)


def test_image_numbers_with_a_published_counterpart_become_rows():
    rows = list(evidence_rows(images(0.33), "public-code", images(0.66, f"{IMAGES}-as-published")))
    assert {each["detector"] for each in rows} == {"LDM"}
    assert {each["metric"] for each in rows} == set(NUMBERS)
    assert {(each["before"], each["after"]) for each in rows} == {("0.330", "0.660")}


def test_numbers_before_may_come_from_a_measured_table(tmp_path):
    file = tmp_path / "anomaly-gym-13.csv"
    file.write_text(
        "world,level,detector,metric,ours,scale\n"
        f"{WORLD},strong,LDM,AUROC,0.33,laptop\n"
        f"{WORLD},strong,LDM,FPR95,,laptop\n"
    )
    (found,) = evidence_rows(file, "public-code", images(0.66))
    assert (found["scale"], found["metric"], found["before"], found["after"]) == ("laptop", "auroc", "0.330", "0.660")


def test_means_of_groups_before_may_come_from_the_measured_table_3(tmp_path):
    file = tmp_path / "anomaly-gym-3.csv"
    file.write_text("level,detector,worlds,faults,ours,scale\ntiny,PE-DM,CAR,action,0.99,paper\n")
    made = run([row("CAR-LaneKeep-v0", "PE-DM", "tiny", **dict.fromkeys(NUMBERS, 0.9))])
    (found,) = evidence_rows(file, "exceptions", made)
    about = tuple(found[name] for name in ("world", "metric", "kind", "before", "after"))
    assert about == ("CAR", "auroc", "action", "0.990", "0.900")


def test_policies_that_were_trained_in_the_same_way_are_trainings_of_one_experiment():
    rows = [each | {"seed": 0} for value, name in ((0.5, "a"), (0.7, "b")) for each in vectors(value, name)]
    ((name, found),) = renew_evidence.experiments("retrained", run(rows))
    assert name == "retrained"
    (line,) = [line for line in every_metric(found) if line.labels["metric"] == "AUROC"]
    assert line.labels["world"] == WORLD
    assert line.ours.value == pytest.approx(0.6)


def test_rows_without_new_results_are_kept(monkeypatch, tmp_path):
    known = [
        ("public-code", "laptop", WORLD, "strong", "KNN", "auroc", "", "0.1", "", "", "0.2", "", ""),
        ("public-code", "laptop", WORLD, "strong", "LDM", "auroc", "", "0.3", "", "", "0.4", "", ""),
        ("public-code", "paper", WORLD, "strong", "LDM", "auroc", "", "0.3", "", "", "0.4", "0.3", "0.5"),
        ("strengths", "laptop", WORLD, "strong", "LDM", "auroc", "", "0.5", "", "", "0.6", "", ""),
    ]
    (tmp_path / "evidence.csv").write_text("\n".join(map(",".join, [renew_evidence.COLUMNS, *known])) + "\n")
    runs = {"before": replace(images(0.33), scale="laptop"), "after": images(0.66, f"{IMAGES}-as-published")}
    monkeypatch.setattr(renew_evidence, "FOLDER", tmp_path)
    monkeypatch.setattr(renew_evidence, "_results", lambda _, name: runs[name])
    renew_evidence.main(["store", "before", "public-code=after"])
    with (tmp_path / "evidence.csv").open() as file:
        found = [tuple(each.values()) for each in csv.DictReader(file)]
    assert set(found) >= {known[0], known[2], known[3]}
    assert known[1] not in found
    assert len(found) == 3 + len(NUMBERS)


@pytest.mark.parametrize("arguments", [[], ["store"], ["store", "plain"], ["store", "plain", "trainings=after"]])
def test_wrong_arguments_end_with_the_usage(arguments):
    with pytest.raises(SystemExit, match="Experiments: public-code, "):
        renew_evidence.main(arguments)


def vectors(value, policy="tqc"):
    return [row(WORLD, "KNN", "strong", policy=policy, **dict.fromkeys(NUMBERS, value))]


def test_each_policy_of_a_run_is_an_experiment_of_its_own(monkeypatch, tmp_path):
    (tmp_path / "evidence.csv").write_text(",".join(renew_evidence.COLUMNS) + "\n")
    runs = {"before": run(vectors(0.3)), "after": run(vectors(0.5, "scripted") + vectors(0.6, "sac"))}
    monkeypatch.setattr(renew_evidence, "FOLDER", tmp_path)
    monkeypatch.setattr(renew_evidence, "_results", lambda _, name: runs[name])
    renew_evidence.main(["store", "before", "policy=after"])
    with (tmp_path / "evidence.csv").open() as file:
        found = [(each["experiment"], each["world"], each["after"]) for each in csv.DictReader(file)]
    assert set(found) == {("policy-scripted", WORLD, "0.500"), ("policy-sac", WORLD, "0.600")}
    assert len(found) == 2 * len(NUMBERS)


def test_a_row_becomes_an_experiment_on_a_published_number():
    row_of = next(iter(evidence_rows(images(0.33), "public-code", images(0.66))))
    found = evidence.experiment_of({name: str(value) for name, value in row_of.items()})
    assert (found.cause, found.table, found.labels["detector"]) == ("public-code", "13", "LDM")
    assert (found.before.value, found.after.value) == (0.33, 0.66)
