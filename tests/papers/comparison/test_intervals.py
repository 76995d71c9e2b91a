"""Intervals of means, ranks and ensembles, and what the errors of the originals make of them."""

import json

import pytest

from offnominal.papers.catalogue import tables_of
from offnominal.papers.comparison.comparison_results import AS_PUBLISHED, INVERTED, ComparisonResults
from offnominal.papers.comparison.configuration_results import Ensemble
from offnominal.papers.comparison.published.comparison_lines import DEFECTS
from offnominal.papers.comparison.published.difference_intervals import (
    PUBLISHED_UNITS,
    of_mean,
    of_paired_mean,
    of_value,
    place_ranges,
)
from offnominal.papers.comparison.published.printed_cells import image_cells, table_cells
from offnominal.papers.comparison.published.rank_lines import place_lines, rank_differences, rank_lines
from offnominal.papers.protocol import protocol

from .published_cases import lines_of, results_of, row

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("few_tables")]

np = pytest.importorskip("numpy")

TABLES = ("iris", "wine", "glass", "ecoli", "sonar")
METHODS = "vwxyz"


def line(lines, method):
    (found,) = (each for each in lines if each.labels["method"] == method)
    return found


def cells(orders):
    """Values by (problem, method) of an order of methods on each problem, the best first."""
    return {
        (problem, method): 0.9 - 0.1 * place
        for problem, order in enumerate(orders)
        for place, method in enumerate(order)
    }


def test_the_interval_of_a_mean_knows_that_the_tables_are_those_of_the_paper():
    apart = [[0.1], [0.2], [0.3]]
    by_split = [[value - 0.001, value, value + 0.001] for (value,) in apart]
    assert np.isnan(of_mean(apart))
    # With all tables only the noise of splits remains, of both runs; where it is not known, it may be everything.
    assert of_mean((by_split * 14)[:40]) < 0.1 * of_mean((by_split * 14)[:20])
    whole = float(np.var((apart * 14)[:40], ddof=1)) / PUBLISHED_UNITS
    assert of_mean((apart * 14)[:40]) == pytest.approx(2.0227 * (2.0 * whole) ** 0.5, rel=1e-3)
    assert of_mean([[0.1, 0.2, 0.3]] * 40) == pytest.approx(0.0), "tables do not differ"


def test_the_interval_of_paired_differences_is_students():
    assert of_paired_mean([1.0, -1.0, 0.0, 2.0, -2.0]) == pytest.approx(2.7764 * (2.5 / 5) ** 0.5, rel=1e-3)
    assert of_paired_mean([0.5] * 5) == 0.0
    assert np.isnan(of_paired_mean([0.5, 0.4, 0.3, 0.2]))


def test_places_are_certain_only_where_ranks_always_agree():
    same = np.tile(np.arange(1.0, 6.0), (5, 1))
    assert place_ranges(same) == [(place, place) for place in range(1, 6)]
    mixed = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    assert place_ranges(mixed) == [(1, 2), (1, 2)]
    assert place_ranges(same[:4]) is None


def test_with_more_methods_a_place_is_less_certain():
    near = np.stack([np.ones(26), 1.6 + 0.8 * np.tile([1.0, -1.0], 13)], axis=1)
    far = 20.0 + np.arange(20) + np.tile([[0.1], [-0.1]], (13, 1))
    assert place_ranges(near) == [(1, 1), (2, 2)]
    assert place_ranges(np.hstack([near, far]))[:2] == [(1, 2), (1, 2)]


PRINTED = {method: float(place) for place, method in enumerate(METHODS, 1)}


def test_the_interval_of_a_place_has_those_that_tables_do_not_tell_apart():
    sure = line(place_lines(cells(["wxyzv"] * 5), PRINTED, {}), "v")
    assert (sure.ours.value, sure.published, sure.outcome) == (5.0, 1.0, "differs")
    unsure = line(place_lines(cells(["vwxyz", "wxyzv", "zxwyv", "xyzwv", "vwxyz"]), PRINTED, {}), "v")
    assert unsure.outcome == "inconclusive"
    assert line(place_lines(cells(["wxyzv"] * 4), PRINTED, {}), "v").outcome == "no interval"


def test_the_place_with_the_errors_of_the_originals_is_a_remark():
    defective = {(problem, "v"): 0.99 for problem in range(5)}
    found = line(place_lines(cells(["wxyzv"] * 5), PRINTED, {}, defective=defective), "v")
    assert found.note.rpartition("; ")[2] == "with the errors of the originals ours is 1"
    assert (found.outcome, found.cause) == ("differs", "")


def test_a_mean_rank_has_the_interval_of_the_mean_difference_over_tables():
    ours, published = cells(["wxyzv"] * 5), cells(["vwxyz"] * 5)
    assert line(rank_lines(ours, published, {}, "tables"), "v").outcome == "differs"
    assert line(rank_lines(ours, ours, {}, "tables"), "v").outcome == "reproduced closely"
    mixed = cells(["vwxyz", "wxyzv", "vwxyz", "zwxyv", "vxwyz"])
    found = line(rank_lines(mixed, published, {}, "tables"), "v")
    apart = [0.0, 4.0, 0.0, 4.0, 0.0]
    assert rank_differences(mixed, published)["v"] == apart
    assert found.interval == pytest.approx((2.6 - of_paired_mean(apart), 2.6 + of_paired_mean(apart)))
    assert (found.ours.value, found.published, found.outcome) == (pytest.approx(2.6), 1.0, "inconclusive")


def test_few_tables_have_no_interval_of_a_mean_rank():
    few = cells(["vwxyz"] * 4)
    assert line(rank_lines(few, few, {}, "tables"), "v").outcome == "no interval"


def test_the_rank_with_the_errors_of_the_originals_is_a_remark_on_the_tables_that_have_them():
    ours, published = cells(["wxyzv"] * 4), cells(["vwxyz"] * 4)
    right = {(problem, "v"): 0.99 for problem in (1, 2)}
    found = line(rank_lines(ours, published, {}, "tables", defective=right, fewest=2), "v")
    assert (found.cause, found.ours.value) == ("", 5.0)
    assert "on the 2 tables that have them, ours is 1 instead of 5" in found.note
    assert "errors" not in line(rank_lines(ours, published, {}, "tables", defective=right, fewest=3), "v").note


def changed(method, changes, size=5, *, best=0.6, normalise="raw"):
    """Rows of a method on five tables, and of ensembles with other values."""
    name = json.dumps(Ensemble(size, "auc", normalise).configuration)
    return [
        each
        for table, change in zip(TABLES, changes, strict=True)
        for seed in (1, 2, 3)
        for each in (
            row(table, method, seed, "{}", best),
            row(table, method, seed, name, best + change),
        )
    ]


def change_line(rows, method="knn", size="5", study="comparison"):
    return lines_of("D1", rows, study)["AUC_val", size, "mean change", method]


def test_a_change_by_ensembles_has_an_interval_over_tables():
    assert change_line(changed("knn", (-0.1, 0.1, 0.2, -0.1, 0.1))).outcome == "inconclusive"
    equal = change_line(changed("knn", (0.1,) * 5))
    assert (equal.ours.value, equal.outcome) == (pytest.approx(0.1), "differs")


def test_the_change_with_the_error_of_the_original_is_a_remark():
    rows = changed("dsvd", (0.1,) * 5) + changed("dsvp", (0.02,) * 5)
    found = change_line(rows, "dsvd", study="comparison-deep")
    assert found.note.endswith("with the errors of the originals ours is 0.02")


def test_ensembles_of_a_method_with_an_error_are_no_configurations_of_it():
    found = ComparisonResults.of(results_of([*changed("dsvd", (0.1,) * 5), *changed("dsvp", (0.2,) * 5)]).table)
    assert {each["configuration"] for each in found.defect_rows["iris", "dsvd"]} == {"{}"}
    assert ("iris", "dsvp", Ensemble(5, "auc", "raw")) in found.ensemble_rows


def test_a_value_has_an_interval_from_three_splits_on():
    def found(*splits):
        rows = [row("iris", "knn", seed, "{}", 0.9) for seed in splits]
        return lines_of("B1", rows, "comparison")["iris", "knn"]

    assert found(1, 2).verdict == "no interval"
    line = found(1, 2, 3)
    assert line.ours.low < line.ours.value < line.ours.high
    assert line.rule == protocol("comparison").rule("share")


def test_the_error_of_equal_splits_is_that_of_their_test_points():
    rows = [row("iris", "knn", seed, "{}", 0.5) for seed in (1, 2, 3)]
    assert of_value(rows, lambda _: 0.5, 0.3) == pytest.approx(1.95996 * 0.3 * (1 / 3 + 1 / 5) ** 0.5, rel=1e-4)
    assert np.isnan(of_value(rows[:2], lambda _: 0.5, 0.3))


@pytest.mark.parametrize(("splits", "quantile"), [(3, 4.3027), (5, 2.7764)])
def test_the_interval_of_a_value_is_students_over_splits(splits, quantile):
    values = np.linspace(0.7, 0.9, splits)
    rows = [row("iris", "knn", seed, "{}", 0.5, test=value) for seed, value in enumerate(values)]
    half = of_value(rows, lambda some: float(np.mean([each["test_auc"] for each in some])))
    assert half == pytest.approx(quantile * values.std(ddof=1) * (1 / splits + 1 / 5) ** 0.5, rel=1e-3)


def test_the_luck_of_a_random_search_counts():
    def best(some):
        return max(each["test_auc"] for each in some)

    def rows(others):
        return [
            row("iris", "knn", seed, f'{{"n_neighbors": {place}}}', 0.9 if place == 3 else others)
            for seed in (1, 2, 3)
            for place in range(9)
        ]

    assert of_value(rows(0.6), best, 0.0) > 0.1
    assert of_value(rows(0.9), best, 0.0) == pytest.approx(0.0)


def test_numbers_of_models_are_counts_of_work():
    published = table_cells("table_B2")
    rows = [row("iris", "lof", 1, f'{{"n_neighbors": {place}}}', 0.5) for place in range(100)]
    many = lines_of("B2", rows, "comparison")["iris", "lof"]
    few = lines_of("B2", rows[:10], "comparison")["iris", "lof"]
    assert (published["iris", "lof"], many.ours.value, many.kind) == (60.0, 100.0, "work")
    assert (many.outcome, few.outcome) == ("differs", "differs")
    assert "training rows (60)" in many.note


def test_a_deviation_among_configurations_has_an_interval_over_tables():
    def sigma_line(*tables):
        rows = [
            row(table, "knn", 1, f'{{"n_neighbors": {place}}}', 0.5 + 0.01 * place, test=value)
            for table, values in zip(TABLES, tables, strict=True)
            for place, value in enumerate(values)
        ]
        return lines_of("IV", rows, "comparison")["sigma 10", "knn"]

    narrow, wide = [0.5, 0.51] * 6, [0.5, 0.8] * 6
    assert sigma_line(narrow, narrow, wide, narrow, wide).outcome == "inconclusive"
    assert sigma_line(*[wide] * 5).outcome == "differs"


def test_ranks_without_ensembles_on_images_are_those_of_the_published_classes():
    methods = ("knn", "osvm", "aae", "vae", "fmgn")
    rows = [
        row("mnist", method, 1, "{}", 0.9 - 0.1 * place, variant=str(digit))
        for place, method in enumerate(methods)
        for digit in range(4)
    ]
    found = lines_of("D3", rows, "comparison-images")
    printed = {
        method: sum(image_cells("table_C5")["mnist", str(digit), method] for digit in range(4)) / 4
        for method in methods
    }
    for place, method in enumerate(methods, 1):
        each = found["baseline", "–", "mean rank", method]
        assert each.ours.value == place
        assert each.published == 1 + sum(round(other, 2) > round(printed[method], 2) for other in printed.values())


def class_rows(method, test, digits=range(10)):
    return [row("mnist", method, 1, "{}", 0.9, test=test, variant=str(digit)) for digit in digits]


@pytest.mark.parametrize(
    ("number", "place"),
    [("VI", ("mnist", "dsvd", "0.500", "0.72")), ("C5", ("mnist", "0", "dsvd"))],
)
def test_the_error_of_the_original_is_a_remark_on_images(number, place):
    right, wrong = class_rows("dsvd", 0.5), class_rows("dsvp", 0.8)
    assert lines_of(number, right)[place].note == ""
    found = lines_of(number, right + wrong)[place]
    verdict = "differs" if number == "VI" else "no interval"
    assert (found.verdict, found.cause, found.ours.value) == (verdict, "", pytest.approx(0.5))
    assert found.note.endswith("never trains the hypersphere; with this error ours is 0.800")
    assert lines_of(number, right + class_rows("dsvp", 0.1))[place].note.endswith("ours is 0.100")


def test_a_mean_over_classes_has_an_interval_where_the_classes_are_printed():
    cells = image_cells("table_C5").items()
    printed = {name: value for (images, name, method), value in cells if (images, method) == ("mnist", "vae")}
    apart = [0.01, -0.01] * 5
    rows = [
        row("mnist", "vae", 1, "{}", 0.9, test=value + difference, variant=name)
        for (name, value), difference in zip(printed.items(), apart, strict=True)
    ]

    def of_vae(number):
        return [each for labels, each in lines_of(number, rows).items() if labels[:2] == ("mnist", "vae")]

    (found,) = of_vae("VI")
    mean, half = sum(printed.values()) / 10, of_paired_mean(apart)
    assert found.interval == pytest.approx((mean - half, mean + half))
    assert found.verdict == "reproduced closely"
    assert [each.verdict for each in of_vae("C2")] == ["no interval"], "classes are not printed with one configuration"


def test_a_mean_over_classes_needs_the_error_on_all_of_them():
    rows = class_rows("dsvd", 0.5) + class_rows("dsvp", 0.8, range(9))
    assert lines_of("VI", rows)["mnist", "dsvd", "0.500", "0.72"].note == ""


def test_tables_on_images_can_have_the_errors_of_the_original():
    rows = results_of(class_rows("dsvd", 0.5) + class_rows("dsvp", 0.8))
    (table,) = tables_of("comparison", ["C5"])
    lines = {tuple(line.labels.values()): line for line in table.compare_as_published(rows)}
    assert lines["mnist", "0", "dsvd"].ours.value == pytest.approx(0.8)


def test_every_error_of_an_original_has_words():
    assert set(DEFECTS) == {*AS_PUBLISHED.values(), *INVERTED}
