"""Renewal of measured evidence: what is not named stays."""

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import renew_anomaly_gym_evidence as renew_evidence
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym import evidence
from offnominal.papers.anomaly_gym.discrimination_tables import every_metric
from offnominal.papers.anomaly_gym.published_numbers import GROUPS, WORLDS
from offnominal.papers.measured_evidence import Evidence
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
        ("public-code", "laptop", WORLD, "strong", "KNN", "auroc", "", "0.1", "0.2", "", ""),
        ("public-code", "laptop", WORLD, "strong", "LDM", "auroc", "", "0.3", "0.4", "", ""),
        ("public-code", "paper", WORLD, "strong", "LDM", "auroc", "", "0.3", "0.4", "0.3", "0.5"),
        ("strengths", "laptop", WORLD, "strong", "LDM", "auroc", "", "0.5", "0.6", "", ""),
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


@pytest.mark.parametrize(
    ("experiment", "cause"), [("public-code", "defect"), ("image-training", "scale"), ("strengths", "setting")]
)
def test_an_experiment_explains_a_number_of_table_13(monkeypatch, experiment, cause):
    made = list(evidence_rows(images(0.33), experiment, images(0.66)))
    monkeypatch.setattr(evidence, "_rows", lambda _: made)
    monkeypatch.setattr(evidence, "evidence", evidence.evidence.__wrapped__)
    (line,) = [line for line in every_metric(images(0.33)) if line.cause and line.labels["metric"] == "AUROC"]
    assert (line.labels["detector"], line.cause, line.outcome) == ("LDM", cause, "explained")
    assert line.note.endswith("0.33 becomes 0.66")


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


@pytest.mark.parametrize(
    ("strengths", "scripted", "note"),
    [
        (0.65, 0.67, "with its strengths, 0.30 becomes 0.65"),  # published 0.68: the policy is not needed
        (0.50, 0.67, "with its strengths and our hand-written controller, 0.30 becomes 0.67"),
        (0.50, 0.40, ""),
    ],
)
def test_another_policy_counts_only_where_nothing_else_explains(monkeypatch, strengths, scripted, note):
    changed = (
        ("public-code-strengths", run(vectors(strengths))),
        ("policy-scripted", run(vectors(scripted, "scripted"))),
    )
    made = [evidence.evidence_of(evidence_rows(run(vectors(0.3)), *each)) for each in changed]
    monkeypatch.setattr(evidence, "evidence", lambda: made[0])
    monkeypatch.setattr(evidence, "policy_evidence", lambda: made[1])
    found = evidence.explanation((WORLD, "strong", "KNN", "auroc", ""), 0.3, 0.68)
    assert (found is None) if not note else (found is not None and found.note.endswith(note))


def test_a_policy_that_is_further_away_than_our_expert_explains_nothing(monkeypatch):
    key = (WORLD, "strong", "KNN", "auroc", "")
    expert = Evidence("defect", "", 0.3, Estimate(0.55))
    wide = Evidence("setting", "", 0.3, Estimate(0.45, np.array([0.2, 0.7])))
    monkeypatch.setattr(evidence, "policy_evidence", lambda: {key: [wide]})
    monkeypatch.setattr(evidence, "evidence", dict)
    found = evidence.explanation(key, 0.3, 0.65)
    assert found is not None
    assert (found.cause, found.note) == ("chance", ", 0.30 becomes 0.45 [0.20, 0.70]")
    monkeypatch.setattr(evidence, "evidence", lambda: {key: [expert]})
    assert evidence.explanation(key, 0.3, 0.65) is None


def policy_rows(world, expert, policy):
    """Return the numbers of our expert and of another policy; one value for each metric."""
    about = {"level": "strong", "detector": "KNN", "kind": "", "before": "0.3", "low": "", "high": "", "world": world}
    return [
        about | {"experiment": name, "metric": metric, "after": str(value)}
        for name, values in (("public-code-strengths", expert), ("policy-sac", policy))
        for metric, value in zip(NUMBERS, values, strict=True)
    ]


def test_a_policy_counts_only_in_worlds_that_it_is_nearer_to_than_to_any_other(monkeypatch):
    values = dict(zip(WORLDS, np.linspace(0.1, 1.0, len(WORLDS)), strict=True))
    known = {(world, "strong", "KNN", metric, ""): value for world, value in values.items() for metric in NUMBERS}
    monkeypatch.setattr(evidence, "published_numbers", lambda: known)
    around, alike = [-0.3, 0.3] * 3, [0.0] * 6

    def counts(world, centre, expert, policy, worlds=None):
        numbers = ([centre + offset for offset in offsets] for offsets in (expert, policy))
        return bool(evidence.nearer_policies(policy_rows(world, *numbers), worlds))

    middle = WORLDS[4]  # published 0.5
    assert counts(middle, 0.5, around, alike)
    assert not counts(middle, 0.5, alike, around)
    assert not counts(middle, 0.6, around, alike)  # nearer, but still nearer to the next world
    assert counts(WORLDS[5], 0.6, around, alike)
    assert counts(middle, 0.6, around, alike, dict(zip(WORLDS, (*WORLDS[1:], WORLDS[0]), strict=True)))
    assert not counts(middle, 0.5, [0.3] * 6, alike)  # lower everywhere: gains as much towards lower worlds
    assert not counts("3 sigma", 0.5, around, alike)  # an alarm: a mean over all worlds


def test_a_policy_counts_in_a_group_only_if_it_does_in_one_of_its_worlds(monkeypatch):
    values = dict(zip((*WORLDS, *GROUPS), np.linspace(0.1, 1.5, len(WORLDS) + len(GROUPS)), strict=True))
    known = {(place, "strong", "KNN", metric, ""): value for place, value in values.items() for metric in NUMBERS}
    monkeypatch.setattr(evidence, "published_numbers", lambda: known)

    def rows(place, *, nearer):
        far, near = ([values[place] + offset for offset in offsets] for offsets in ([-0.3, 0.3] * 3, [0.0] * 6))
        return policy_rows(place, *((far, near) if nearer else (near, far)))

    def places(*given):
        return {key[0] for key in evidence.nearer_policies([row for each in given for row in each])}

    group, world = "SAP", GROUPS["SAP"][1]
    assert places(rows(group, nearer=True)) == set()
    assert places(rows(group, nearer=True), rows(world, nearer=False)) == set()
    assert places(rows(group, nearer=True), rows(world, nearer=True)) == {group, world}
    assert places(rows(group, nearer=False), rows(world, nearer=True)) == {world}


def test_a_number_can_be_between_two_strengths():
    about = {"scale": "paper", "world": "W", "level": "tiny", "detector": "KNN", "metric": "auroc", "kind": ""}
    ends = {"public-code-strengths": "0.90", "neutral": "0.60"}
    rows = [about | {"experiment": name, "before": "0.85", "after": after} for name, after in ends.items()]
    (found,) = evidence.spans(rows)["W", "tiny", "KNN", "auroc", ""]
    assert found.note == f"{evidence.UNKNOWN_STRENGTHS}, 0.85 becomes 0.60 to 0.90"
    assert [found.explains(0.85, published) for published in (0.5, 0.58, 0.7, 0.84)] == [False, True, True, True]
    assert [round(found.distance(published), 2) for published in (0.5, 0.7, 0.95)] == [0.1, 0.0, 0.05]
    assert not found.explains(0.75, 0.7)
    assert not evidence.spans(rows[:1])
