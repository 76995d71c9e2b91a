"""A mean over few tables is not compared with a published one over 40."""

import pytest

from .published_cases import lines_of, row

pytestmark = pytest.mark.long

METHODS = ("knn", "orbf", "abod", "if", "hbos")
TABLES = ("iris", "wine", "glass", "sonar", "ecoli")


@pytest.mark.parametrize(("count", "compared"), [(4, False), (5, True)])
def test_ranks_and_deviations_need_five_tables(count, compared):
    rows = [
        row(table, method, seed, "{}", 0.9 - 0.1 * place)
        for table in TABLES[:count]
        for place, method in enumerate(METHODS)
        for seed in (1, 2, 3)
    ]
    values = lines_of("IV", rows, "comparison")
    assert values["iris", "knn"].ours.value is not None
    for label in ("mean rank", "sigma 1"):
        assert (values[label, "knn"].ours.value is not None) == compared
    by_selection = lines_of("V", rows, "comparison").values()
    assert any(line.ours.value is not None for line in by_selection) == compared
