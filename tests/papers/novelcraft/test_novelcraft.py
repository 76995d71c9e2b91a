"""NovelCraft: published tables, and the tables recomputed from the released scores."""

import pyarrow as pa
import pytest

from offnominal.core.directories import DATA_VARIABLE, find_data_home
from offnominal.core.errors import DamagedFile
from offnominal.papers.catalogue import tables_of
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.papers.novelcraft.novelty_sets import DIGITS, FOLDER
from offnominal.papers.novelcraft.published import published_numbers, released_confusion
from offnominal.papers.novelcraft.published_tables import compare
from offnominal.papers.novelcraft.recomputed import FILE, recompute, recomputed_numbers, released_file
from offnominal.reports.published_comparison import NONE_OF_OURS, verdict_line
from offnominal.studies.results import RunResults

pytestmark = pytest.mark.long

HOME = find_data_home()
"""The data home outside of the tests."""


@pytest.fixture
def released(monkeypatch):
    """The released scores; skips where they are missing."""
    if HOME is None or not (HOME / FILE).is_file():
        pytest.skip(f"{FILE} is not in the data home")
    monkeypatch.setenv(DATA_VARIABLE, str(HOME))


def value(table, method, variant, metric):
    (number,) = (
        each
        for each in published_numbers(table)
        if (each.method, each.variant, each.metric) == (method, variant, metric)
    )
    return recompute(number)


@pytest.mark.parametrize("table", ["3", "4", "E1"])
@pytest.mark.usefixtures("released")
def test_the_published_rules_give_the_published_numbers(table):
    for number in published_numbers(table):
        tolerance = 0.03 if number.is_delay else 0.0003
        assert recompute(number).as_published == pytest.approx(number.value, abs=tolerance), number


@pytest.mark.usefixtures("released")
def test_our_rules_correct_the_artefacts():
    assert value("E1", "Deep Ensemble", "NovelCraft+", "AUPRC").ours == pytest.approx(0.324, abs=5e-4)
    assert value("E1", "Deep Ensemble", "NovelCraft+", "TPR at PPV80").ours == pytest.approx(0.1116, abs=5e-5)
    assert value("E1", "One-Class SVM", "NovelCraft", "AUROC").ours == pytest.approx(0.4233, abs=5e-5)
    assert value("E1", "One-Class SVM", "NovelCraft", "TPR at PPV80").ours is None
    assert value("4", "Symbolic", "5", "TPR at PPV95").ours == pytest.approx(0.7774, abs=5e-5)
    assert value("4", "Multimodal", "5", "TPR at PPV95").ours == pytest.approx(0.7567, abs=5e-5)


def test_the_accuracies_of_the_released_confusion_matrix():
    classes, confusion = released_confusion()
    assert (len(classes), confusion.sum(axis=1).tolist()[:2]) == (10, [489, 355])
    shares = [recompute(number).ours for number in published_numbers("fig4")[:3]]
    assert shares == pytest.approx([0.630, 0.732, 0.361], abs=5e-4)


def test_accuracies_of_all_classes_follow_from_their_parts():
    numbers = {(each.method, each.variant, each.metric): each.value for each in published_numbers("fig4")}
    for method, features in {key[:2] for key in numbers}:
        both = (873 * numbers[method, features, "Labelled"] + 332 * numbers[method, features, "New"]) / 1205
        assert numbers[method, features, "All"] == pytest.approx(both, abs=0.0011)


@pytest.mark.usefixtures("released")
def test_the_package_has_the_numbers_that_follow_from_the_released_scores():
    numbers = [each for table in ("3", "4", "E1") for each in published_numbers(table)]
    found = {(each.table, each.method, each.variant, each.metric): recompute(each) for each in numbers}
    shipped = recomputed_numbers()
    assert len(shipped) == len(found) == 130
    for key, number in shipped.items():
        assert (number.as_published, number.ours) == pytest.approx((found[key].as_published, found[key].ours), abs=1e-6)


def test_without_released_scores_and_without_a_run_the_recomputed_numbers_remain(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    lines = compare(RunResults.none(), table="3")
    assert len(lines) == 30
    assert lines[0].labels["released scores"] == f"{lines[0].published:.4f}"
    assert "–" not in {line.labels["released scores"] for line in lines}
    assert verdict_line(lines) == NONE_OF_OURS


@pytest.mark.usefixtures("released")
def test_numbers_that_the_released_scores_refute_are_artefacts():
    delay, selected = (
        next(line for line in compare(RunResults.none(), table="4") if line.labels["metric"] == metric)
        for metric in ("delay at TPR95", "AUROC")
    )
    assert (delay.flaw, selected.flaw) == ("artefact", "")
    assert delay.rule != selected.rule


def test_results_of_a_run_stand_beside_the_published_numbers():
    rows = [
        {"task_name": "frames", "name": "NDCC", "variant": "NovelCraft+", "auroc": share, "as_published_auroc": 0.6}
        for share in (0.74, 0.76)
    ]
    run = RunResults("novelcraft", "", "", "smoke", {}, pa.Table.from_pylist(rows), pa.table({}))
    ours, as_published = (compare(run, table="3", as_published=each)[0] for each in (False, True))
    assert ours.labels["metric"] == "AUROC"
    assert (ours.ours.value, ours.verdict) == (pytest.approx(0.75), "no interval")
    assert (as_published.ours.value, as_published.verdict) == (pytest.approx(0.6), "no interval")


def lines_of(number, results=None):
    (table,) = tables_of("novelcraft", [number])
    return table.compare(results or RunResults.none())


def test_classes_and_episodes_are_those_of_the_recipe():
    (novel,) = lines_of(1)
    assert (novel.published, novel.outcome) == (53, "reproduced")
    lines = {tuple(line.labels.values())[:2]: line for line in lines_of(2)}
    assert lines["train Normal+", "episodes"].outcome == lines["test Novel", "classes object"].outcome == "reproduced"
    stale = lines["test Novel", "episodes"]
    assert (stale.ours.value, stale.published, stale.verdict) == (530, 440, "impossible")


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize(("number", "flawed"), [(2, 2), ("A2", 0)])
def test_the_released_labels_have_the_published_sizes(number, flawed):
    found = [line for line in lines_of(number) if line.labels["released labels"] != "–"]
    assert len(found) > 10
    differ = [line for line in found if float(line.labels["released labels"].replace(",", "")) != line.published]
    assert len(differ) == flawed
    assert {line.verdict for line in differ} <= {"impossible"}


def test_a_recorded_set_has_sizes_beside_the_published_ones(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert {line.outcome for line in lines_of("D1")} == {"reproduced", "not run"}
    folder = tmp_path / FOLDER / NoveltyData().recipe().digest()[:DIGITS]
    folder.mkdir(parents=True)
    frames = "".join(f"item_anvil/0/{frame},0.5\n" for frame in range(97))
    (folder / "targets.csv").write_text(f"id,novel_percent\n{frames}")
    (folder / "splits.csv").write_text("episode,split,num_frames\nitem_anvil/0,train,97\n")
    episodes, images = (line for line in lines_of("A2") if line.labels["modification"] == "Anvil")
    assert (images.ours.value, images.outcome) == (97, "reproduced")
    assert (episodes.ours.value, episodes.outcome) == (1, "differs")


def test_the_auroc_of_frames_stands_beside_the_rows_of_this_paper():
    row = {"task_name": "frames", "name": "NDCC", "variant": "NovelCraft", "auroc": 0.8}
    run = RunResults("novelcraft", "", "", "smoke", {}, pa.Table.from_pylist([row]), pa.table({}))
    ndcc, *others = lines_of("D2", run)
    assert (ndcc.published, ndcc.verdict, len(others)) == (pytest.approx(0.806), "no interval", 4)
    assert [line.labels["method"] for line in others if line.flaw] == ["One-Class SVM"]


def test_hours_of_other_machines_are_not_computed():
    (table,) = tables_of("novelcraft", ["C1"])
    assert "machines of the authors" in table.not_computed
    assert [line.outcome for line in lines_of("C1")] == ["not run"] * 12


def test_a_damaged_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_bytes(b"PK nothing")
    assert released_file() == tmp_path / FILE
    with pytest.raises(DamagedFile, match="cannot be read"):
        value("E1", "NDCC", "NovelCraft", "AUROC")
