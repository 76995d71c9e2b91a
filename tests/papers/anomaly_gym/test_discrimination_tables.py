"""Tables 3, 12 and 13 of the Anomaly-Gym paper."""

import numpy as np
import pytest

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym import evidence
from offnominal.papers.anomaly_gym.discrimination_tables import every_metric, every_metric_as_published, table_3
from offnominal.papers.anomaly_gym.evidence import explanation
from offnominal.papers.anomaly_gym.published_numbers import (
    DETECTORS,
    GROUPS,
    IMAGE_DETECTORS,
    published_by_group,
    published_by_world,
)
from offnominal.papers.anomaly_gym.timing_table import table_4
from offnominal.papers.measured_evidence import Evidence
from offnominal.studies.results import RunResults

from .made_rows import NUMBERS, row, run

pytestmark = pytest.mark.long

WORLDS = ("SAP-Goal0-v0", "MJC-HalfCheetah-v0")


def test_table_12_has_every_published_number_of_the_worlds_that_were_run():
    rows = [
        row(world, name, level, **dict.fromkeys(NUMBERS, 0.7))
        for world in WORLDS
        for name in (*DETECTORS, "Time")
        for level in ("tiny", "strong", "medium")
    ]
    lines = every_metric(run(rows))
    assert len(lines) == 6 * 2 * 2 * 7
    assert all(line.published is not None for line in lines)
    (cheetah,) = [
        line for line in lines if tuple(line.labels.values()) == ("MJC-HalfCheetah-v0", "strong", "PE-DM", "AUROC")
    ]
    assert (cheetah.ours.value, cheetah.published) == (0.7, 0.93)
    assert cheetah.verdict == "differs"


def test_baselines_are_not_compared():
    clock = run([row(WORLDS[0], "Time", "tiny", auroc=1.0)])
    assert every_metric(clock) == []
    assert {line.ours.value for line in table_3(clock)} == {None}


def test_image_detectors_with_another_network_stand_beside_the_published_ones_uncompared():
    rows = [
        row("MJC-HalfCheetah-v0", name, "strong", **dict.fromkeys(NUMBERS, 0.6)) for name in ("LRDM", "KNN-encoder")
    ]
    lines = {(line.labels["detector"], line.labels["metric"]): line for line in every_metric(run(rows))}
    assert lines["LRDM", "AUROC"].published == 0.62
    encoder = lines["KNN-encoder", "AUROC"]
    assert encoder.published is None
    assert encoder.note.startswith("RES-KNN 0.58; ")
    assert "encoder" in lines["KNN-encoder", "AUROC"].note


def test_what_is_not_published_has_no_number():
    rows = [row("SAP-Goal1-v0", "LDM", level, **dict.fromkeys(NUMBERS, 0.6)) for level in ("tiny", "strong")]
    published = {
        line.labels["level"]: line.published for line in every_metric(run(rows)) if line.labels["metric"] == "AUROC"
    }
    assert published == {"tiny": None, "strong": 0.82}


@pytest.mark.parametrize(
    ("world", "numbers"), [("URM-Reach-v0", 2 * 15 * 6), ("URM-PnP-v0", 2 * 15 * 6), ("URR-Reach-v0", 2 * 15 * 6 - 6)]
)
def test_tables_12_and_13_have_the_numbers_of_the_arm(world, numbers):
    known = [key for key in published_by_world() if key[0] == world]
    assert len(known) == numbers
    assert {detector for _, _, detector, _ in known} == {*DETECTORS, *set(IMAGE_DETECTORS.values())}
    absent = (world, "tiny", "iF", "auroc") not in published_by_world()
    assert absent == (world == "URR-Reach-v0")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (("URM-Reach-v0", "tiny", "PE-DM", "auroc"), 0.89),
        (("URM-PnP-v0", "strong", "KNN", "pooled_fpr95"), 0.53),
        (("URR-Reach-v0", "strong", "LSTM-DM", "auroc"), 0.91),
        (("URM-PnP-v0", "tiny", "PredNet", "auroc"), 0.20),
        (("URR-Reach-v0", "strong", "CLIP-Sim", "auroc"), 0.58),
    ],
)
def test_published_numbers_of_the_arm(key, value):
    assert published_by_world()[key] == value


def test_table_3_has_every_group_of_worlds_kind_and_level():
    assert len(published_by_group()) == 60
    assert {group for group, *_ in published_by_group()} == set(GROUPS)
    assert published_by_group()["URR", "action", "tiny", "PE-DM"] == 0.96


def test_table_3_compares_groups_of_which_all_worlds_were_run():
    worlds = ("URM-Reach-v0", "URM-PnP-v0", "SAP-Goal0-v0")
    rows = [
        row(world, "PE-DM", "strong", anomaly=f"{kind}/drift", auroc=value)
        for world, value in zip(worlds, (0.9, 0.7, 0.6), strict=True)
        for kind in ("action", "observation")
    ]
    found = [line for line in table_3(run(rows)) if line.ours.value is not None]
    lines = {(line.labels["worlds"], line.labels["faults"]): line for line in found}
    assert set(lines) == {("URM", "action"), ("URM", "observation")}
    assert lines["URM", "action"].ours.value == pytest.approx(0.8)
    assert lines["URM", "action"].published == 0.88
    assert {line.ours.value for line in table_3(run(rows[:2]))} == {None}


@pytest.mark.parametrize(
    ("world", "anomaly"),
    [
        ("CAR-LaneKeep-v0", "dynamics/heavy_rain"),
        ("SAP-Goal2-v0", "dynamics/damping"),
        ("URM-Reach-v0", "dynamics/payload"),
        ("URM-PnP-v0", "dynamics/grip_loss"),
        ("URR-Reach-v0", "observation/noise"),
        ("URR-Reach-v0", "action/noise"),
    ],
)
def test_faults_beyond_the_paper_are_not_compared(world, anomaly):
    rows = [
        row(world, "KNN", "strong", anomaly=id, **dict.fromkeys(NUMBERS, value))
        for id, value in ((anomaly, 0.25), ("action/offset", 0.75))
    ]
    assert {line.ours.value for line in every_metric(run(rows))} == {0.75}
    elsewhere = [each | {"world": "MJC-Reacher3D-v0"} for each in rows]
    assert {line.ours.value for line in every_metric(run(elsewhere))} == {0.5}


@pytest.fixture
def no_evidence(monkeypatch):
    monkeypatch.setattr(evidence, "evidence", dict)


@pytest.mark.usefixtures("no_evidence")
@pytest.mark.parametrize(
    ("world", "level", "detector", "reasons"),
    [
        ("URM-Reach-v0", "tiny", "PE-DM", ("divided by 1e-6", "robot_speed at tiny had no effect")),
        ("URM-Reach-v0", "strong", "PE-DM", ("divided by 1e-6",)),
        ("URM-PnP-v0", "tiny", "AE-Pred", ("robot_friction at tiny removed the damping",)),
        ("URM-PnP-v0", "strong", "LRDM", ("LDM and LRDM are identical",)),
        ("URM-Reach-v0", "strong", "LRDM", ()),
        ("URR-Reach-v0", "strong", "LRDM", ("LDM and LRDM are identical", "a real robot")),
        ("URR-Reach-v0", "tiny", "PredNet", ("one step late", "a real robot")),
        ("MJC-Reacher3D-v0", "tiny", "KNN", ("nominal episodes with random onsets",)),
    ],
)
def test_a_remark_without_evidence_is_no_cause(world, level, detector, reasons):
    line = every_metric(run([row(world, detector, level, **dict.fromkeys(NUMBERS, 0.6))]))[0]
    assert all(reason in line.note for reason in reasons)
    assert len([part for part in line.note.split("; ") if part]) == len(reasons) + line.note.count("; ours")
    assert line.cause == ""


def test_copied_columns_of_the_paper_say_nothing_about_the_method():
    names, numbers = ("LDM", "LRDM"), dict.fromkeys(NUMBERS, 0.2)
    rows = [row(world, name, "strong", **numbers) for world in ("SAP-Goal0-v0", "SAP-Goal2-v0") for name in names]
    found = [line for line in every_metric(run(rows, "anomaly-gym-images")) if line.labels["metric"] == "AUROC"]
    lines = {(line.labels["world"], line.labels["detector"]): line for line in found}
    assert lines["SAP-Goal0-v0", "LRDM"].verdict == "impossible"
    assert lines["SAP-Goal0-v0", "LRDM"].published == lines["SAP-Goal0-v0", "LDM"].published
    assert lines["SAP-Goal0-v0", "LDM"].verdict == lines["SAP-Goal2-v0", "LRDM"].verdict == "differs"


@pytest.mark.parametrize(
    ("before", "ours", "after", "explains"),
    [
        (0.70, 0.72, [0.50], True),
        (0.70, 0.70, [0.56], False),  # nearer, but still different
        (0.70, 0.70, [0.56, 0.49, 0.63], True),  # published is within the interval
        (0.54, 0.54, [0.55], False),  # near, but not nearer
        (0.70, 0.90, [0.50], False),  # about another number than ours
    ],
)
def test_evidence_explains_a_difference_if_the_change_brings_our_number_near(before, ours, after, explains):
    assert Evidence("defect", "", before, Estimate.of(np.array(after))).explains(ours, 0.5) == explains


def test_a_cause_is_the_experiment_that_comes_nearest(monkeypatch):
    key = ("SAP-Goal0-v0", "tiny", "KNN", "auroc", "")
    changes = ("setting", 0.54), ("defect", 0.52), ("scale", 0.9)
    found = {key: [Evidence(cause, f"with a {cause}", 0.7, Estimate(after)) for cause, after in changes]}
    monkeypatch.setattr(evidence, "evidence", lambda: found)
    nearest = explanation(key, 0.7, 0.51)
    assert nearest is not None
    assert (nearest.cause, nearest.note) == ("defect", "with a defect, 0.70 becomes 0.52")
    results = run([row("SAP-Goal0-v0", "KNN", "tiny", **dict.fromkeys(NUMBERS, 0.7))])
    (line,) = [line for line in every_metric(results) if line.labels["metric"] == "AUROC"]
    assert (line.cause, line.outcome) == ("defect", "explained")
    assert {line.cause for line in every_metric_as_published(results)} == {""}


def test_every_experiment_is_about_a_published_number():
    groups = {(*key[:1], *key[2:], "auroc", key[1]) for key in published_by_group()}
    numbers = {(*key, "") for key in published_by_world()}
    timings = {(labels["alarm"], "", labels["detector"], labels["number"], "") for labels in _timing_labels()}
    assert set(evidence.evidence()) <= groups | numbers | timings


def _timing_labels():
    return [line.labels for line in table_4(RunResults.none())]
