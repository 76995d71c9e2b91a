"""Our tables beside those of the Anomaly-Gym paper."""

import pyarrow as pa
import pytest

from offnominal.papers.anomaly_gym.published_tables import DETECTORS, every_metric, table_3, table_4, table_5
from offnominal.papers.catalogue import tables_of
from offnominal.studies.catalogue import load_study
from offnominal.studies.results import RunResults

WORLDS = ("SAP-Goal0-v0", "MJC-HalfCheetah-v0")
NUMBERS = ("auroc", "average_precision", "fpr95", "pooled_auroc", "pooled_average_precision", "pooled_fpr95")


def row(world, name, level, alarm=None, **numbers):
    split = f"action/noise@{level}"
    about = {"world": world, "policy": "tqc", "name": name, "seed": 0, "split": split, "kind": "action", "level": level}
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


def test_table_3_averages_print_over_the_same_worlds(results):
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
    "name", ["anomaly-gym", "anomaly-gym-policies", "anomaly-gym-images", "anomaly-gym-images-policies", "quickstart"]
)
def test_shipped_studies_can_be_laid_out_at_every_scale(name):
    study = load_study(name)
    for scale in study.scales or [None]:
        cells = study.at(scale).cells()
        assert len({cell.label for cell in cells}) == len(cells) > 0
        assert all(cell.data.validation >= 23 for cell in cells)  # type: ignore[attr-defined]


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
