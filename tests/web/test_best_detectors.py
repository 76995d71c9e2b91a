"""A card of a fault names all detectors that are best."""

from __future__ import annotations

import pytest

from offnominal.reports.payload import payload
from offnominal.web.best_detectors import _detects, best_detectors, best_text

from ..reports.synthetic import run_results

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def data():
    return payload(run_results(replicates=40, seeds=1, worlds=("SAP-Goal1-v0",)))


def test_equal_detectors_are_best_together(data):
    first, metric = data["metrics"][0], data["metrics"][0]["name"]
    equal = [0, 3, 4, 7]
    numbers = [
        [[1.0, 1.0, 1.0] if index in equal else cell for index, cell in enumerate(row)]
        for row in data["numbers"][metric]
    ]
    letters = ["t" if set(pair) <= set(equal) else "w" for pair in pairs(len(data["names"]))]
    outcomes = [letter * len(numbers) for letter in letters]
    made = data | {"numbers": {metric: numbers}, "pairs": {metric: {"outcomes": outcomes}}, "metrics": [first]}
    assert best_detectors(made) == [equal] * len(numbers)
    assert best_text([data["names"][index] for index in equal], [1.0] * 4)["name"].endswith(" and 2 more")


def test_a_detector_is_best_alone_only_if_it_wins_against_each_other(data):
    metric = data["metrics"][0]["name"]
    outcomes = data["pairs"][metric]["outcomes"]
    place = {pair: number for number, pair in enumerate(pairs(len(data["names"])))}
    narrow = 0
    for fault, (first, *others) in enumerate(best_detectors(data)):
        cells = data["numbers"][metric][fault]
        assert cells[first][0] == max(cell[0] for cell in cells)
        tied = {
            each
            for each in range(len(cells))
            if each != first
            and _detects(data, fault, each)
            and outcomes[place[tuple(sorted((first, each)))]][fault] == "t"
        }
        assert set(others) == tied
        narrow += len(tied) + 1 < len(cells)
    assert narrow
    won = data | {"pairs": {metric: {"outcomes": ["w" * len(data["faults"])] * len(outcomes)}}}
    assert all(len(best) == 1 for best in best_detectors(won))


def test_a_fault_without_results_has_no_best_detector(data):
    metric = data["metrics"][0]["name"]
    empty = data | {"numbers": {metric: [[None] * len(data["names"])] * len(data["faults"])}}
    assert best_detectors(empty) == [[]] * len(data["faults"])


def pairs(size):
    return [(one, other) for one in range(size) for other in range(one + 1, size)]
