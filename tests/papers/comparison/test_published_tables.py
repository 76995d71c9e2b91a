"""Our results beside the published tables, of runs that are made up."""

import json

import pytest

from offnominal.papers.catalogue import paper, tables_of
from offnominal.papers.comparison.configuration_results import Ensemble
from offnominal.papers.comparison.published.printed_cells import image_cells, table_cells
from offnominal.papers.printed_values import printed_items
from offnominal.studies.results import RunResults

from .published_cases import lines_of, results_of, row

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("few_tables")]

CLASSICAL = [
    row(table, method, seed, '{"n_neighbors": 1}', value)
    for table, method, value in (
        ("iris", "knn", 0.94),
        ("iris", "orbf", 0.80),
        ("iris", "abod", 0.70),
        ("iris", "if", 0.60),
        ("iris", "hbos", 0.60),
    )
    for seed in (1, 2, 3)
]
CLASSES = [
    row("mnist", "knn", 1, configuration, value, variant=str(digit))
    for digit in range(10)
    for configuration, value in (
        ('{"n_neighbors": 1}', 0.9 if digit < 6 else 0.5),
        ('{"n_neighbors": 3}', 0.7),
    )
]


def test_every_published_table_is_compared_or_says_why_not():
    published = paper("comparison").load_published()
    known = {str(table.number) for table in published.tables} | set(published.unknown_tables)
    printed = {item.replace("table_", "").replace("figure_", "fig") for item in printed_items("comparison")}
    assert known == printed


@pytest.mark.parametrize(
    ("number", "count"), [("IV", 989), ("B1", 989), ("B2", 920), ("V", 184), ("C5", 504), ("C7", 96)]
)
def test_every_published_value_has_a_line_without_results(number, count):
    lines = [line for table in tables_of("comparison", [number]) for line in table.compare(RunResults.none())]
    assert len(lines) == count
    assert {line.outcome for line in lines} == {"not run"}


def test_cells_and_deviations_are_compared_and_others_are_not_run():
    lines = lines_of("IV", CLASSICAL, "comparison")
    assert lines["iris", "knn"].ours.low is not None
    assert lines["iris", "lof"].outcome == "not run"
    assert lines["sigma 1", "knn"].ours.value == pytest.approx(0.0)


def test_ranks_are_published_values_ranked_among_the_methods_and_tables_of_the_run():
    lines = lines_of("IV", CLASSICAL, "comparison")
    printed = {method: table_cells("table_IV")["iris", method] for method in ("knn", "orbf", "abod", "if", "hbos")}
    for method, value in printed.items():
        line = lines["mean rank", method]
        assert line.published == 1.0 + sum(other > value for other in printed.values())
    assert [lines["mean rank", method].ours.value for method in printed] == [1.0, 2.0, 3.0, 4.0, 4.0]


def test_places_stand_for_ranks_whose_values_are_not_printed():
    line = lines_of("V", CLASSICAL, "comparison")["AUC", "max", "hbos"]
    assert (line.ours.value, line.published) == (4.0, 5.0)
    assert "among the 5 methods" in line.note


def test_what_the_error_of_the_original_gives_stands_beside_our_value():
    rows = [row("iris", method, 1, "{}", value) for method, value in (("loda", 0.9), ("lodp", 0.99))]
    line = lines_of("IV", rows, "comparison")["iris", "loda"]
    assert (line.published, line.ours.value, line.cause) == (1.0, 0.9, "")
    assert line.note.endswith("with this error ours is 0.990")
    (table, _) = tables_of("comparison", ["IV"])
    (defective,) = [
        line
        for line in table.compare_as_published(results_of(rows))
        if line.labels == {"table": "iris", "method": "loda"}
    ]
    assert defective.ours.value == 0.99


def test_an_inverted_score_is_known_without_a_run_of_its_own():
    rows = [row("kdd99_small", "mgal", seed, "{}", 0.9) for seed in (1, 2, 3)]
    line = lines_of("IV", rows, "comparison-deep")["kdd99_small", "mgal"]
    assert (line.published, line.cause) == (0.02, "")
    assert "ours is 0.100" in line.note


def test_every_class_selects_its_own_configuration_with_the_max_protocol():
    own, shared = lines_of("VI", CLASSES), lines_of("C2", CLASSES)
    assert own["mnist", "knn", "0.740", "0.87"].ours.value == pytest.approx(0.82)
    assert shared["mnist", "knn", "0.820", "0.87"].ours.value == pytest.approx(0.74)
    classes = lines_of("C5", CLASSES)
    assert [classes["mnist", name, "knn"].ours.value for name in ("0", "9")] == [0.9, 0.7]


def test_a_mean_over_some_classes_is_compared_with_the_published_one_over_the_same():
    some = [each for each in CLASSES if each["variant"] != "3"]
    line = lines_of("VI", some)["mnist", "knn", "–", "0.87"]
    printed = [image_cells("table_C5")["mnist", str(digit), "knn"] for digit in range(10) if digit != 3]
    assert line.published == pytest.approx(sum(printed) / 9)
    assert line.note == "both over the 9 classes of the run"
    assert lines_of("C2", some)["mnist", "knn", "–", "0.87"].outcome == "not run"
    assert lines_of("C5", some[:2])["mnist", "0", "knn"].ours.value == 0.9
    assert lines_of("VI", some[:2])["mnist", "knn", "–", "0.87"].outcome == "not run"


def test_configurations_among_the_ten_best_of_every_class_are_counted():
    assert lines_of("C4", CLASSES, "comparison-images")["leave-one-out", "mnist", "knn"].ours.value == 2.0


def test_models_and_scores_are_counted_per_split():
    rows = [row("iris", "knn", 1, f'{{"distance": "{name}", "n_neighbors": 3}}', 0.9) for name in ("kappa", "delta")]
    assert lines_of("B2", rows, "comparison")["iris", "knn"].ours.value == 1.0
    assert lines_of("B3", rows, "comparison")["iris", "knn"].ours.value == 2.0


def ensembles(*values, split=1):
    """The best configuration of a split has 0.9; ensembles have a validation and a test value each."""
    rows = [row("iris", "knn", split, "{}", 0.9)]
    return rows + [
        row("iris", "knn", split, json.dumps(each.configuration), validation, test=test)
        for each, validation, test in values
    ]


def test_ensembles_of_scores_are_compared_by_their_change_of_the_best_configuration():
    five, ranked = Ensemble(5, "auc", "raw"), Ensemble(5, "auc", "rank")
    lines = lines_of("D1", ensembles((five, 0.9, 0.92), (ranked, 0.9, 0.97)), "comparison")
    found = lines["AUC_val", "5", "mean change", "knn"]
    assert found.ours.value == pytest.approx(0.02)
    assert "ranks instead of scores changes it by +0.070" in found.note
    assert lines["TPR@5_val", "5", "mean change", "knn"].outcome == "not run"


def test_the_metric_that_selects_the_configurations_of_an_ensemble_counts():
    by_tpr = Ensemble(10, "tpr5", "raw")
    lines = lines_of("D1", ensembles((by_tpr, 0.9, 0.8)), "comparison")
    assert lines["TPR@5_val", "10", "mean change", "knn"].ours.value == pytest.approx(-0.1)
    assert lines["AUC_val", "10", "mean change", "knn"].outcome == "not run"


def test_the_best_ensemble_is_the_one_with_the_best_validation_value_of_each_split():
    five, ten = Ensemble(5, "auc", "raw"), Ensemble(10, "auc", "raw")
    ranked = Ensemble(10, "auc", "rank")
    rows = ensembles((five, 0.8, 0.5), (ten, 0.7, 1.0), (ranked, 1.0, 0.0))
    rows += ensembles((five, 0.7, 0.5), (ten, 0.8, 1.0), split=2)
    line = lines_of("D1", rows, "comparison")["best_ensemble", "–", "mean change", "knn"]
    assert line.ours.value == pytest.approx((0.5 + 1.0) / 2 - 0.9)


def test_ensembles_of_earlier_versions_averaged_ranks():
    rows = [row("iris", "knn", 1, "{}", 0.9), row("iris", "knn", 1, '{"ensemble": 5}', 0.92)]
    assert lines_of("D1", rows, "comparison")["AUC_val", "5", "mean change", "knn"].outcome == "not run"


def test_prediction_times_of_scalar_variances_are_those_of_their_own_method():
    def timed(method, variance, score, seconds):
        name = json.dumps({"variance": variance, "score_name": score})
        return row("iris", method, 1, name, 0.9, score_s=seconds)

    rows = [timed("vae", "diagonal", "mean", 0.5), timed("vaes", "scalar", "sampled", 4.0)]
    line = lines_of("VIII", rows, "comparison-deep")["vae-s-rs", "time relative to vae-d-rm"]
    assert line.ours.value == 8.0
    assert lines_of("VIII", rows[:1], "comparison-deep")["vae-s-rs", "time relative to vae-d-rm"].outcome == "not run"


def test_search_spaces_need_no_run():
    lines = lines_of("A.1", CLASSICAL)
    assert lines["LOF", "n", "lof", "values"].outcome == "reproduced"
    assert lines["ABOD", "n", "abod", "smallest"].difference == 2.0


def test_differences_of_search_spaces_have_remarks():
    lines = {key: line for table in ("A.1", "A.2", "A.3") for key, line in lines_of(table, CLASSICAL).items()}
    assert lines["ABOD", "n", "abod", "smallest"].verdict == "artefact"
    assert lines["ABOD", "n", "abod", "largest"].verdict == "reproduced"
    assert lines["(skip)GANomaly", "no. conv layers", "gano-images", "smallest"].note
    assert {line.kind for line in lines.values()} == {"fact"}
    unsearched = [key[:2] for key, line in lines.items() if line.ours.value is None]
    assert unsearched == [("ABOD", "method"), ("SPTN", "activation")]


@pytest.mark.parametrize(
    ("parameter", "smallest", "largest"), [("channels", 16.0, 128.0), ("kernelsizes", 3.0, 9.0), ("scalings", 1.0, 2.0)]
)
def test_convolutions_are_the_published_ones(parameter, smallest, largest):
    lines = lines_of("A.3", CLASSICAL)
    ends = [lines["common", parameter, "vae-images", name] for name in ("smallest", "largest")]
    assert [line.ours.value for line in ends] == [smallest, largest]
    assert {line.verdict for line in ends} == {"reproduced"}
