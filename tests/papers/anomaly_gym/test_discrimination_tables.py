"""Tables 3, 12 and 13 of the Anomaly-Gym paper."""

import pytest

from offnominal.papers.anomaly_gym.discrimination_tables import every_metric, every_metric_as_published, table_3
from offnominal.papers.anomaly_gym.evidence import experiments
from offnominal.papers.anomaly_gym.published_numbers import (
    DETECTORS,
    GROUPS,
    IMAGE_DETECTORS,
    published_by_group,
    published_by_world,
)
from offnominal.papers.anomaly_gym.published_tables import published_lines

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
    assert cheetah.verdict == "no interval"


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
    absent = (world, "tiny", "IsolationForest", "auroc") not in published_by_world()
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
def test_a_remark_is_no_cause(world, level, detector, reasons):
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
    assert lines["SAP-Goal0-v0", "LDM"].flaw == lines["SAP-Goal2-v0", "LRDM"].flaw == ""


def test_every_experiment_is_about_a_published_number():
    published = published_lines()
    known = {(table, frozenset(line.labels.items())) for table, lines in published.items() for line in lines}
    assert {(each.table, frozenset(each.labels.items())) for each in experiments()} <= known


def test_a_run_with_the_errors_of_the_public_code_has_no_remarks():
    results = run([row("SAP-Goal0-v0", "KNN", "tiny", **dict.fromkeys(NUMBERS, 0.7))])
    assert {line.note for line in every_metric_as_published(results)} == {""}
    assert {line.note for line in every_metric(results)} != {""}
