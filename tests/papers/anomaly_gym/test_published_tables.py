"""Our tables beside those of the Anomaly-Gym paper."""

import pyarrow as pa
import pytest

from offnominal.agents.experts import expert_card
from offnominal.anomalies.strengths import strengths_of
from offnominal.papers.anomaly_gym.published_numbers import GROUPS, published_by_group, published_by_world
from offnominal.papers.anomaly_gym.published_tables import (
    DETECTORS,
    IMAGE_DETECTORS,
    LEVELS,
    every_metric,
    table_3,
    table_4,
    table_5,
)
from offnominal.papers.catalogue import tables_of
from offnominal.studies.catalogue import load_study
from offnominal.studies.results import RunResults

WORLDS = ("SAP-Goal0-v0", "MJC-HalfCheetah-v0")
NUMBERS = ("auroc", "average_precision", "fpr95", "pooled_auroc", "pooled_average_precision", "pooled_fpr95")


def row(world, name, level, alarm=None, anomaly="action/offset", **numbers):
    split, kind = f"{anomaly}@{level}", anomaly.partition("/")[0]
    about = {"world": world, "policy": "tqc", "name": name, "seed": 0, "split": split, "kind": kind, "level": level}
    return about | {"alarm": alarm} | dict.fromkeys(NUMBERS, None) | numbers


def run(rows):
    return RunResults("anomaly-gym", "", "", "", {}, pa.Table.from_pylist(rows), pa.table({}))


@pytest.fixture
def results():
    timing = {"early_rate": 0.36, "miss_rate": 0.1, "median_delay": 3.0}
    rows = [
        row(world, name, level, **dict.fromkeys(NUMBERS, 0.7), **dict.fromkeys(timing, None))
        for world in WORLDS
        for name in (*DETECTORS, "Time")
        for level in ("tiny", "strong", "medium")
    ]
    return run([*rows, row(WORLDS[0], "KNN", "strong", "3 sigma", **timing)])


def test_table_12_has_every_published_number_of_the_worlds_that_were_run(results):
    lines = every_metric(results)
    assert len(lines) == 6 * 2 * 2 * 7
    assert all(line.published is not None for line in lines)
    (cheetah,) = [
        line for line in lines if tuple(line.labels.values()) == ("MJC-HalfCheetah-v0", "strong", "PE-DM", "AUROC")
    ]
    assert (cheetah.ours.value, cheetah.published) == (0.7, 0.93)
    assert cheetah.verdict == "differs"


def test_table_3_averages_the_published_numbers_over_the_same_worlds(results):
    lines = {(line.labels["level"], line.labels["detector"]): line for line in table_3(results)}
    knn = lines["tiny", "KNN"]
    assert knn.published == pytest.approx((0.51 + 0.67) / 2)
    assert knn.ours.value == pytest.approx(0.7)
    assert ("medium", "KNN") not in lines


def test_table_4_compares_early_alarms_with_the_published_range(results):
    early, missed, delay = table_4(results)
    assert early.verdict == "match"
    assert early.span == (0.34, 0.41)
    assert (missed.published, delay.ours.value) == (None, 3.0)


def test_table_5_has_a_line_for_every_policy():
    rows = [
        row("SAP-Goal0-v0", "KNN", "strong", auroc=value) | {"policy": policy}
        for policy, value in (("tqc", 0.8), ("sac", 0.6))
    ]
    lines = table_5(run(rows))
    assert sorted(line.ours.value for line in lines) == [0.6, 0.8]
    assert len({line.labels["world and policy"] for line in lines}) == 2


@pytest.mark.parametrize(
    "name",
    [
        "anomaly-gym",
        "anomaly-gym-policies",
        "anomaly-gym-images",
        "anomaly-gym-images-policies",
        "anomaly-gym-robot-transfer",
        "quickstart",
    ],
)
def test_shipped_studies_can_be_laid_out_at_every_scale(name):
    study = load_study(name)
    for scale in study.scales or [None]:
        cells = study.at(scale).cells()
        assert len({cell.label for cell in cells}) == len(cells) > 0
        assert all(cell.data.validation >= 23 for cell in cells)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "scale", "cells"),
    [
        ("anomaly-gym", "smoke", 20),
        ("anomaly-gym", "laptop", 10 * 20),
        ("anomaly-gym", "paper", 10 * 20),
        ("anomaly-gym-images", "laptop", 10 * 29),
        ("anomaly-gym-images", "paper", 10 * 34),
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


@pytest.mark.parametrize("world", load_study("anomaly-gym").worlds)  # type: ignore[attr-defined]
def test_every_world_of_the_study_has_a_policy_and_strengths(world):
    assert load_study("anomaly-gym-images").worlds == load_study("anomaly-gym").worlds  # type: ignore[attr-defined]
    assert expert_card(world, "tqc").algorithm == "tqc"
    assert {level for _, level in strengths_of(world)} >= set(LEVELS)


def test_a_part_of_the_study_gives_a_part_of_the_tables(results):
    silent = {"early_rate": None, "miss_rate": None, "median_delay": None}
    clock = run([row(WORLDS[0], "Time", "tiny", auroc=1.0, **silent)])
    assert [table(clock) for table in (table_3, table_4, every_metric)] == [[], [], []]
    early, _, delay = table_4(run([row(WORLDS[0], "KNN", "tiny", "maximum", **silent)]))
    assert (early.ours.value, early.verdict, delay.ours.value) == (None, "", None)


def test_image_detectors_are_compared_with_the_published_ones_that_they_replace():
    rows = [
        row("MJC-HalfCheetah-v0", name, "strong", **dict.fromkeys(NUMBERS, 0.6)) for name in ("LRDM", "KNN-encoder")
    ]
    lines = {(line.labels["detector"], line.labels["metric"]): line for line in every_metric(run(rows))}
    assert lines["LRDM", "AUROC"].published == 0.62
    assert lines["KNN-encoder", "AUROC"].published == 0.58
    assert "encoder" in lines["KNN-encoder", "AUROC"].note


def test_what_is_not_published_has_no_number():
    rows = [row("SAP-Goal1-v0", "LDM", level, **dict.fromkeys(NUMBERS, 0.6)) for level in ("tiny", "strong")]
    published = {
        line.labels["level"]: line.published for line in every_metric(run(rows)) if line.labels["metric"] == "AUROC"
    }
    assert published == {"tiny": None, "strong": 0.82}


def test_the_image_half_of_a_table_is_asked_for():
    assert [table.study for table in tables_of("anomaly-gym", [3])] == ["anomaly-gym"]
    assert [table.study for table in tables_of("anomaly-gym", [3], images=True)] == ["anomaly-gym-images"]
    assert [table.number for table in tables_of("anomaly-gym", images=True)] == [3, 5, 13]


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
    assert {group for group, *_ in published_by_group()} == {"CAR", *GROUPS}
    assert published_by_group()["URR", "action", "tiny", "PE-DM"] == 0.96


def test_table_3_compares_groups_of_which_all_worlds_were_run():
    worlds = ("URM-Reach-v0", "URM-PnP-v0", "SAP-Goal0-v0")
    rows = [
        row(world, "PE-DM", "strong", anomaly=f"{kind}/drift", auroc=value)
        for world, value in zip(worlds, (0.9, 0.7, 0.6), strict=True)
        for kind in ("action", "observation")
    ]
    lines = {(line.labels["worlds"], line.labels["faults"]): line for line in table_3(run(rows))}
    assert set(lines) == {("3", "all"), ("URM", "action"), ("URM", "observation")}
    assert lines["URM", "action"].ours.value == pytest.approx(0.8)
    assert lines["URM", "action"].published == 0.88
    assert lines["3", "all"].published == pytest.approx((0.96 + 0.81 + 0.93) / 3)
    assert lines["URM", "action"].note == ""
    assert "divided by 1e-6" in lines["URM", "observation"].note
    alone = [line.labels["worlds"] for line in table_3(run(rows[:2]))]
    assert alone == ["1"]


@pytest.mark.parametrize(
    ("world", "anomaly"),
    [
        ("URM-Reach-v0", "dynamics/payload"),
        ("URM-PnP-v0", "dynamics/grip_loss"),
        ("URR-Reach-v0", "observation/noise"),
        ("URR-Reach-v0", "action/temporal_noise"),
    ],
)
def test_faults_beyond_the_paper_are_not_compared(world, anomaly):
    rows = [
        row(world, "KNN", "strong", anomaly=id, **dict.fromkeys(NUMBERS, value))
        for id, value in ((anomaly, 0.25), ("action/offset", 0.75))
    ]
    assert {line.ours.value for line in every_metric(run(rows))} == {0.75}
    elsewhere = [each | {"world": "SAP-Goal0-v0"} for each in rows]
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
def test_known_reasons_of_differences_are_noted(world, level, detector, reasons):
    line = every_metric(run([row(world, detector, level, **dict.fromkeys(NUMBERS, 0.6))]))[0]
    assert all(reason in line.note for reason in reasons)
    assert len([part for part in line.note.split("; ") if part]) == len(reasons) + line.note.count("; ours")
