"""Causes of differences between means, ranks and ensembles, each with a measurement behind it."""

import pytest

from offnominal.papers.catalogue import tables_of
from offnominal.papers.comparison.published.evidence import cause_of
from offnominal.papers.comparison.published.printed_cells import image_cells, overall, rows_of, table_cells
from offnominal.papers.comparison.published.rank_rows import place_lines, rank_lines
from offnominal.papers.comparison.published.sampling import place_ranges, sampling_error
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.pools import without_each_split

from .published_cases import lines_of, results_of, row

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("few_tables")]

np = pytest.importorskip("numpy")

TABLES = ("iris", "wine", "glass")
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


def test_the_error_of_a_mean_vanishes_with_all_tables_except_for_splits():
    apart = [[0.1], [0.2], [0.3]]
    assert sampling_error(apart * 4) > 0.0
    assert sampling_error((apart * 14)[:40]) == 0.0
    assert sampling_error([[0.1, 0.2, 0.3]] * 40) == pytest.approx((2 * 0.01 / 3 / 40) ** 0.5)
    assert np.isnan(sampling_error(apart[:2]))


def test_places_are_certain_only_where_ranks_always_agree():
    same = np.tile(np.arange(1.0, 6.0), (4, 1))
    assert place_ranges(same) == [(place, place) for place in range(1, 6)]
    mixed = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    assert place_ranges(mixed) == [(1, 2), (1, 2)]
    assert place_ranges(same[:2]) is None


PRINTED = {method: float(place) for place, method in enumerate(METHODS, 1)}


def test_a_place_that_every_table_confirms_is_unexplained():
    found = line(place_lines(cells(["wxyzv"] * 3), PRINTED, {}), "v")
    assert (found.ours.value, found.published, found.outcome) == (5.0, 1.0, "unexplained")


def test_a_place_that_tables_do_not_tell_apart_is_chance():
    found = line(place_lines(cells(["vwxyz", "wxyzv", "zxwyv", "xyzwv"]), PRINTED, {}), "v")
    assert (found.outcome, found.cause) == ("explained", "chance")
    assert "are within two standard errors" in found.note


def test_a_place_that_the_error_of_the_original_brings_near_is_a_defect():
    defective = {(problem, "v"): 0.99 for problem in range(3)}
    found = line(place_lines(cells(["wxyzv"] * 3), PRINTED, {}, defective=defective), "v")
    assert (found.cause, found.note.rpartition("; ")[2]) == (
        "defect",
        "with the errors of the originals ours is 1",
    )
    small = {(problem, "v"): 0.55 for problem in range(3)}
    assert not line(place_lines(cells(["wxyzv"] * 3), PRINTED, {}, defective=small), "v").cause


def test_a_place_that_similar_published_values_have_on_the_same_tables_is_the_setting():
    similar = cells(["wxyzv"] * 3 + ["vwxyz"] * 37)
    found = line(place_lines(cells(["wxyzv"] * 3), PRINTED, {}, similar=similar), "v")
    assert (found.cause, found.note.rpartition("; ")[2]) == (
        "setting",
        "by similar published values the place is +4 on our tables",
    )
    assert not line(place_lines(cells(["wxyzv"] * 3), PRINTED, {}, similar=cells(["vwxyz"] * 40)), "v").cause


def test_a_mean_rank_is_explained_by_splits_or_by_an_error_of_the_original():
    ours, published = cells(["wxyzv"]), cells(["vwxyz"])
    assert line(rank_lines(ours, published, {}, "tables"), "v").outcome == "unexplained"
    without = [ours, cells(["vwxyz"]), cells(["wxvyz"])]
    assert line(rank_lines(ours, published, {}, "tables", without=without), "v").cause == "chance"
    assert not line(rank_lines(ours, published, {}, "tables", without=[ours] * 3), "v").cause
    found = line(rank_lines(ours, published, {}, "tables", defective={(0, "v"): 0.99}), "v")
    assert (found.cause, found.ours.value) == ("defect", 5.0)


def test_an_error_of_the_original_on_some_tables_explains_a_rank_if_it_does_so_there():
    ours, published = cells(["wxyzv"] * 4), cells(["vwxyz"] * 4)
    right = {(problem, "v"): 0.99 for problem in (1, 2)}
    found = line(rank_lines(ours, published, {}, "tables", defective=right, fewest=2), "v")
    assert (found.cause, found.ours.value) == ("defect", 5.0)
    assert "on the 2 tables that have them, ours is 1 instead of 5" in found.note
    assert not line(rank_lines(ours, published, {}, "tables", defective=right, fewest=3), "v").cause
    same_there = {**ours, **{(problem, "v"): 0.99 for problem in (1, 2)}}
    assert not line(rank_lines(same_there, published, {}, "tables", defective=right, fewest=2), "v").cause


def test_splits_are_left_out_on_tables_and_classes_are_not():
    rows = [row("iris", "knn", seed, "{}", 0.8) for seed in (1, 2, 3)]
    parts = without_each_split(ComparisonResults.of(results_of(rows).table))
    assert [[each["seed"] for each in part.single["iris", "knn"]] for part in parts] == [[2, 3], [1, 3], [1, 2]]
    classes = [row("mnist", "knn", 1, "{}", 0.8, variant=name) for name in "012"]
    assert without_each_split(ComparisonResults.of(results_of(classes).table)) == []


def changed(method, changes, size=5, *, best=0.6):
    """Rows of a method on three tables, and of ensembles with other values."""
    return [
        each
        for table, change in zip(TABLES, changes, strict=True)
        for seed in (1, 2, 3)
        for each in (
            row(table, method, seed, "{}", best),
            row(table, method, seed, f'{{"ensemble": {size}}}', best + change),
        )
    ]


def change_line(rows, method="knn", size="5", study="comparison"):
    return lines_of("D1", rows, study)["AUC_val", size, "mean change", method]


def test_a_change_by_ensembles_is_chance_if_tables_differ_as_much():
    assert change_line(changed("knn", (-0.1, 0.1, 0.2))).cause == "chance"
    equal = change_line(changed("knn", (0.1, 0.1, 0.1)))
    assert (equal.ours.value, equal.outcome) == (pytest.approx(0.1), "unexplained")


def test_a_change_by_ensembles_is_due_to_scale_if_more_of_the_search_is_further_away():
    rows = changed("knn", (0.1, 0.1, 0.1)) + changed("knn", (0.3, 0.3, 0.3), size=10)
    five, ten = change_line(rows), change_line(rows, size="10")
    assert (five.cause, ten.cause) == ("scale", "scale")
    assert five.note.endswith("0.300 with 10 of our 1 configurations")
    little = changed("knn", (0.1, 0.1, 0.1)) + changed("knn", (0.11, 0.11, 0.11), size=10)
    assert {change_line(little, size=size).outcome for size in ("5", "10")} == {"unexplained"}


def test_a_change_by_ensembles_is_a_defect_if_the_error_of_the_original_gives_it():
    (printed,) = rows_of("table_D1", criterion="AUC_val", ensemble_size="5", quantity="mean_change", method="dsvd")
    rows = changed("dsvd", (0.1, 0.1, 0.1))
    assert change_line(rows, "dsvd", study="comparison-deep").outcome == "unexplained"
    rows += changed("dsvp", (float(printed["value"]),) * 3)
    assert change_line(rows, "dsvd", study="comparison-deep").cause == "defect"


def test_ensembles_of_a_method_with_an_error_are_no_configurations_of_it():
    found = ComparisonResults.of(results_of([*changed("dsvd", (0.1,) * 3), *changed("dsvp", (0.2,) * 3)]).table)
    assert {each["configuration"] for each in found.defect_rows["iris", "dsvd"]} == {"{}"}
    assert ("iris", "dsvp", 5) in found.ensemble_rows


def test_a_rate_of_one_split_has_the_error_of_its_test_points():
    def found(value):
        rows = [row("iris", "knn", 1, "{}", value)]
        return lines_of("B1", rows, "comparison")["iris", "knn"]

    published = table_cells("table_B1")["iris", "knn"]
    near, far = found(published - 0.12), found(0.1)
    assert (near.outcome, near.cause, far.cause) == ("explained", "chance", "")


def test_the_error_of_equal_splits_is_at_least_that_of_their_test_points():
    rows = [row("iris", "knn", seed, "{}", 0.5) for seed in (1, 2, 3)]
    assert cause_of(rows, lambda _: 0.5, 0.6, searched=1.0, point_error=0.2) == "chance"
    assert cause_of(rows, lambda _: 0.5, 0.6, searched=1.0, point_error=0.03) == ""


def test_the_luck_of_a_random_search_is_chance():
    def best(some):
        return max(each["test_auc"] for each in some)

    rare = [row("iris", "knn", 1, f'{{"n_neighbors": {place}}}', 0.9 if place == 3 else 0.6) for place in range(9)]
    common = [row("iris", "knn", 1, f'{{"n_neighbors": {place}}}', 0.9) for place in range(9)]
    assert cause_of(rare, best, 0.6, searched=9.0) == "chance"
    assert cause_of(common, best, 0.6, searched=9.0) == ""


def test_more_models_than_published_are_the_setting_and_fewer_the_scale():
    published = table_cells("table_B2")
    rows = [row("iris", "lof", 1, f'{{"n_neighbors": {place}}}', 0.5) for place in range(100)]
    many = lines_of("B2", rows, "comparison")["iris", "lof"]
    few = lines_of("B2", rows[:10], "comparison")["iris", "lof"]
    assert (published["iris", "lof"], many.ours.value, many.cause, few.cause) == (60.0, 100.0, "setting", "scale")
    assert "training rows (60)" in many.note


def test_more_models_than_published_without_a_known_reason_have_no_cause():
    published = table_cells("table_B2")["iris", "hbos"]
    rows = [row("iris", "hbos", 1, f'{{"bins": {place}}}', 0.5) for place in range(int(published) + 50)]
    found = lines_of("B2", rows, "comparison")["iris", "hbos"]
    assert (found.ours.value, found.outcome, found.note) == (published + 50, "unexplained", "")


def sigma_line(*tables):
    """The deviation among configurations, of test values from the worst to the best configuration of each table."""
    rows = [
        row(table, "knn", 1, f'{{"n_neighbors": {place}}}', 0.5 + 0.01 * place, test=value)
        for table, values in zip(TABLES, tables, strict=True)
        for place, value in enumerate(values)
    ]
    return lines_of("IV", rows, "comparison")["sigma 10", "knn"]


def test_a_deviation_among_configurations_is_chance_if_tables_differ_as_much():
    narrow, wide = [0.5, 0.51] * 6, [0.5, 0.8] * 6
    assert sigma_line(narrow, narrow, wide).cause == "chance"
    assert sigma_line(wide, narrow, narrow).cause == "setting"
    assert sigma_line(wide, wide, wide).outcome == "unexplained"


def test_a_deviation_among_configurations_is_due_to_scale_if_a_smaller_search_is_further_away():
    found = sigma_line(*[[place / 40 for place in range(40)]] * 3)
    assert found.cause == "scale"
    assert found.note.endswith("0.279 with a quarter of our configurations")


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


def test_a_deviation_over_classes_moves_with_the_image_sets_of_the_run():
    published = overall("table_C2", "sigma_1")["knn"]
    spread = [0.9 - 0.32 * (digit % 2) for digit in range(10)]
    rows = [row("mnist", "knn", 1, "{}", value, variant=str(digit)) for digit, value in enumerate(spread)]
    found = lines_of("C2", rows)["sigma 1", "knn", "–", "–"]
    assert (found.published, found.cause) == (published, "setting")
    assert "the published one is +0.0" in found.note


def class_rows(method, test, digits=range(10)):
    return [row("mnist", method, 1, "{}", 0.9, test=test, variant=str(digit)) for digit in digits]


@pytest.mark.parametrize(
    ("number", "place"),
    [("VI", ("mnist", "dsvd", "0.500", "0.72")), ("C5", ("mnist", "0", "dsvd"))],
)
def test_the_error_of_the_original_explains_values_on_images(number, place):
    right, wrong = class_rows("dsvd", 0.5), class_rows("dsvp", 0.8)
    assert lines_of(number, right)[place].cause != "defect"
    found = lines_of(number, right + wrong)[place]
    assert (found.cause, found.ours.value) == ("defect", pytest.approx(0.5))
    assert found.note.endswith("never trains the hypersphere; with this error ours is 0.800")
    assert lines_of(number, right + class_rows("dsvp", 0.45))[place].cause != "defect"


def test_the_error_of_the_original_explains_a_class_only_if_it_explains_the_mean():
    right, wrong = class_rows("dsvd", 0.7), class_rows("dsvp", 0.9, [0]) + class_rows("dsvp", 0.2, range(1, 10))
    assert lines_of("C5", right + wrong)["mnist", "0", "dsvd"].cause != "defect"


def test_a_mean_over_classes_needs_the_error_on_all_of_them():
    rows = class_rows("dsvd", 0.5) + class_rows("dsvp", 0.8, range(9))
    assert lines_of("VI", rows)["mnist", "dsvd", "0.500", "0.72"].cause != "defect"


def test_tables_on_images_can_have_the_errors_of_the_original():
    rows = results_of(class_rows("dsvd", 0.5) + class_rows("dsvp", 0.8))
    (table,) = tables_of("comparison", ["C5"])
    lines = {tuple(line.labels.values()): line for line in table.compare_as_published(rows)}
    assert lines["mnist", "0", "dsvd"].ours.value == pytest.approx(0.8)
