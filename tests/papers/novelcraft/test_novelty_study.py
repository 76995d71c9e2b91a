"""A run on a tiny recorded NovelCraft set: rows, stored scores, report, and studies as data."""

from types import SimpleNamespace

import numpy as np
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.novelcraft.kind import NoveltyKind
from offnominal.papers.novelcraft.published import published_numbers
from offnominal.papers.novelcraft.published_tables import compare
from offnominal.papers.novelcraft.results import NoveltyResults
from offnominal.papers.novelcraft.study import NoveltyStudy
from offnominal.reports.report import leading_rows, write_report
from offnominal.studies import runner
from offnominal.studies.catalogue import load_study
from offnominal.studies.execution import code_of
from offnominal.studies.kinds import study_from
from offnominal.studies.runs import open_run

from ...studies.cases import PoolHere

pytest.importorskip("torch", reason="torch is not installed")
image_scoring = pytest.importorskip("offnominal.papers.novelcraft.image_scoring")

from offnominal.detectors.classifiers import ImageClassifier, make_class_detector  # noqa: E402
from offnominal.laws.class_detector import square_images  # noqa: E402
from offnominal.papers.novelcraft.frame_task import shares_network, trained_network  # noqa: E402

pytestmark = pytest.mark.long

KNN = {"name": "KNN", "detector": "KNN-ResNet", "parameters": {"n_epochs": 0, "device": "cpu"}}
AR = {"name": "AR 2", "detector": "Symbolic-AR", "parameters": {"context": 2, "n_epochs": 1, "device": "cpu"}}
LOGIT = {"name": "MaxLogit", "parameters": {"n_epochs": 1, "device": "cpu"}}
ENERGY = {"name": "Energy", "parameters": {"n_epochs": 1, "device": "cpu"}}
STUDY = {
    "kind": "novelty",
    "name": "novelcraft",
    "title": "Tiny set",
    "detectors": [KNN, AR, LOGIT, ENERGY],
    "methods": [
        {"task": "frames", "detectors": ["MaxLogit"]},
        {"task": "frames", "detectors": ["Energy"]},
        {"task": "episodes", "name": "Symbolic", "variant": "2", "detectors": ["AR 2"]},
        {"task": "episodes", "name": "Multimodal", "variant": "2", "detectors": ["KNN", "AR 2"]},
        {"task": "discovery", "name": "SSKM", "variant": "GCD", "detectors": ["KNN"]},
    ],
    "data": {
        "share": 0.01,
        "classes": ["normal", "fence", "item_tnt", "tree_easy", "thief"],
        "max_frames": 6,
        "side": 32,
    },
    "replicates": 20,
    "scales": {"symbols": {"detectors": ["AR 2"], "parameters": {"AR 2": {"n_epochs": 3}}}},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory, sources):
    """A run of the tiny study: its outcome, the same run once more, its results, and the detectors that were fitted."""
    folder = tmp_path_factory.mktemp("novelcraft")
    study = study_from(STUDY)
    fitted = []
    build, train = image_scoring.build, ImageClassifier._train
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(folder / "data"))
        patch.setattr(runner, "Sources", lambda: sources)
        patch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))
        patch.setattr(
            "offnominal.papers.novelcraft.episode_task.build", lambda entry: fitted.append(entry.name) or build(entry)
        )
        patch.setattr(ImageClassifier, "_train", lambda self, *given: fitted.append("network") or train(self, *given))
        outcomes = [
            runner.run_study(
                study.cells(),
                folder / "store",
                folder=folder / "run",
                about={"study": study.name, "title": study.title, "config": study.to_dict()},
                report=lambda line: None,
            )
            for _ in range(2)
        ]
    return *outcomes, open_run(folder / "run"), fitted


def test_a_run_computes_its_cells_once(run):
    first, second, _, _ = run
    assert (first.computed, second.computed, second.reused) == (5, 0, 5)
    assert first.complete


def test_a_fusion_does_not_fit_its_parts_again_and_classifiers_share_one_network(run):
    assert sorted(run[3]) == ["AR 2", "KNN", "network"]


@pytest.mark.parametrize("id", ["Energy", "ClassMahalanobis", "DeepEnsemble"])
def test_a_shared_network_gives_the_scores_of_a_network_of_its_own(id, tmp_path):
    images, labels = square_images(24, 2, seed=0)
    more = {"n_members": 2} if id == "DeepEnsemble" else {}
    own, given = (make_class_detector(id, n_epochs=1, batch_size=12, device="cpu", **more) for _ in range(2))
    sets = SimpleNamespace(
        cache=tmp_path,
        data=SimpleNamespace(side=32),
        labelled=lambda split, plus: SimpleNamespace(labels=labels),
        pixels=lambda split, plus: images,
    )
    assert shares_network(given)
    trained, spent = trained_network(given, sets, 3, "code")
    assert spent > 0.0
    given.fit_with(trained, images, labels, seed=3)
    assert np.array_equal(given.score(images), own.fit(images, labels, seed=3).score(images))


def test_rows_have_all_tasks_and_each_novelty(run):
    found = NoveltyResults.of(run[2].table)
    assert found.methods("frames") == [("MaxLogit", "NovelCraft"), ("Energy", "NovelCraft")]
    assert found.methods("episodes") == [("Symbolic", "2"), ("Multimodal", "2")]
    assert found.row_names("frames by class") == ["tree_easy"]
    assert found.row_names("episodes by novelty") == ["fence", "tree_easy", "thief"]
    frames = found.estimate("frames", "MaxLogit", "NovelCraft", "auroc")
    tree = found.estimate("frames by class", "MaxLogit", "NovelCraft", "auroc", "tree_easy")
    assert 0.0 <= frames.low <= frames.value <= frames.high <= 1.0
    assert tree.value == frames.value  # It is the only novel class.
    delay = found.estimate("episodes by novelty", "Symbolic", "2", "mean_delay", "thief")
    assert 0.0 <= delay.value <= 6.0


def test_our_results_stand_beside_the_published_ones(run):
    lines = {
        (line.labels["method"], line.labels["context"], line.labels["metric"]): line.ours
        for line in compare(run[2], table="4")
    }
    assert lines["Multimodal", "2", "AUROC"].value is not None
    assert lines["Visual", "–", "AUROC"].value is None
    accuracies = [line.ours.value for line in compare(run[2], table="fig4")[:3]]
    assert all(0.0 <= each <= 1.0 for each in accuracies)


@pytest.mark.usefixtures("blank_figures")
def test_the_page_has_leaderboards_frames_episodes_and_confusion(run, tmp_path):
    assert [row["task"] for row in leading_rows(run[2])] == ["frames", "frames", "episodes", "episodes", "discovery"]
    page = write_report(run[2], tmp_path).read_text(encoding="utf-8")
    for text in (
        "Novel frames",
        "Which modality notices what",
        "Delays in frames",
        "Comparison with published results",
    ):
        assert text in page
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    assert {"modalities", "gallery-1", "episode-thief", "episode-normal", "confusion"} <= drawn


def test_an_alarm_needs_enough_validation_episodes():
    from offnominal.papers.novelcraft.episode_task import episode_rows

    test, novelties = [np.array([0.0, 9.0]), np.array([0.0, 2.0])], ["thief", None]
    few = episode_rows([np.array([1.0, 1.0])], test, novelties, 0)
    enough = episode_rows([np.array([1.0, level]) for level in (1.0, 2.0, 3.0)], test, novelties, 0)
    assert "alarm_false_alarm_rate" not in few[0]
    assert (enough[0]["alarm_false_alarm_rate"], enough[0]["alarm_detection_rate"]) == (0.0, 1.0)
    assert (enough[1]["row_name"], enough[1]["alarm_delay"]) == ("thief", 1.0)


def test_a_scale_leaves_out_methods_whose_detectors_it_leaves_out():
    study = study_from(STUDY).at("symbols")
    assert isinstance(study, NoveltyStudy)
    assert [cell.label for cell in study.cells()] == ["episodes/Symbolic 2/0"]
    assert study.cells()[0].detectors[0].parameters["n_epochs"] == 3


def test_the_study_of_the_package_has_all_published_methods(sources):
    study = load_study("novelcraft").at("paper")
    assert isinstance(study, NoveltyStudy)
    cells = study.cells()
    known = {(cell.task, cell.name, cell.variant) for cell in cells}
    tasks = {"E1": "frames", "4": "episodes", "fig4": "discovery"}
    missing = {
        (task, number.method, number.variant)
        for table, task in tasks.items()
        for number in published_numbers(table)
        if (task, number.method, number.variant) not in known
    }
    assert missing == {("discovery", "SSKM", "DINO"), ("discovery", "SSGMM", "DINO")}
    symbolic, random = (next(cell for cell in cells if cell.name == name) for name in ("Symbolic", "Random"))
    assert NoveltyKind().uses_gpu(symbolic)
    assert not NoveltyKind().uses_gpu(random)
    assert code_of(symbolic, sources) != code_of(random, sources)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"methods": [{"task": "frames", "detectors": ["KN"]}]}, UnknownName, "Did you mean 'KNN'"),
        ({"methods": [{"task": "frames", "detectors": ["KNN", "AR 2"]}]}, InvalidParameter, "has 2 detectors"),
        ({"methods": STUDY["methods"] * 2}, InvalidParameter, "two methods with the same name"),
        ({"data": {"side": 100}}, InvalidParameter, "256 divided by an integer"),
        ({"detectors": [KNN, KNN]}, InvalidParameter, "two detectors with the same name"),
    ],
)
def test_invalid_studies_are_named(change, error, message):
    with pytest.raises(error, match=message):
        study_from(STUDY | change)
