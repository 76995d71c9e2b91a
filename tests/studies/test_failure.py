"""Failures of cells, grouped by their cause."""

from __future__ import annotations

from offnominal.studies.failure import Failure, group_failures

PLACE = 'Traceback (most recent call last):\n  File "knn.py", line {line}, in fit\n    raise error\n'


def failure(number, error="ValueError", line=7, message="no rows"):
    return Failure(str(number), f"cell {number}", error, message, PLACE.format(line=line))


def test_errors_of_one_line_of_code_are_one_group_and_the_largest_is_first():
    many = [failure(number, message=f"{number} rows") for number in range(30)]
    found = group_failures([failure(98, line=9), *many, failure(99, error="KeyError")])
    assert [(group.first.error, len(group.labels), group.messages) for group in found] == [
        ("ValueError", 30, 30),
        ("ValueError", 1, 1),
        ("KeyError", 1, 1),
    ]


def test_errors_without_a_traceback_are_grouped_by_their_message():
    killed = [Failure(str(number), f"cell {number}", "WorkerKilled", "was killed", "") for number in range(3)]
    assert [len(group.labels) for group in group_failures(killed)] == [3]
