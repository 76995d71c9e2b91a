"""Cells and the names of their results."""

import pytest

from offnominal.kinds import AlarmEntry, Cell
from offnominal.studies import result_key
from offnominal.studies.cells import select_cells

from .cases import ALARM, DATA, NAMES, small_cell, small_cells


@pytest.mark.parametrize(
    "change",
    [
        {"world": "SAP-Goal1-v0"},
        {"policy": "scripted"},
        {"name": "another"},
        {"parameters": {"n_neighbors": 3}},
        {"seed": 1},
        {"data": DATA.replace(episodes=7)},
        {"alarms": (ALARM.replace(parameters={"alpha": 0.1}),)},
        {"alarms": (AlarmEntry("largest", "Quantile"),)},
        {"replicates": 11},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_of_a_cell_changes_its_key(change):
    cell = small_cell()
    assert result_key(cell.replace(**change), data="d", code="c") != result_key(cell, data="d", code="c")


def test_data_and_code_change_the_key_and_nothing_else_does():
    keys = {result_key(small_cell(), data=data, code=code) for data in "ab" for code in "cd"}
    assert len(keys) == 4
    assert result_key(Cell.from_dict(small_cell().to_dict()), data="a", code="c") in keys


def test_cells_share_data_whatever_the_detector():
    assert len({cell.source for cell in small_cells()}) == 1
    assert small_cell(data=DATA.replace(episodes=7)).source != small_cell().source
    assert small_cell(policy="scripted").source != small_cell().source


@pytest.mark.parametrize(
    ("only", "names"),
    [(None, NAMES), ("*/T*", ("Time",)), (["*/KNN/*", "*/Time/0"], ("KNN", "Time")), ("*/knn/*", ()), ([], ())],
)
def test_cells_are_chosen_by_label(only, names):
    assert tuple(cell.name for cell in select_cells(small_cells(), only)) == names  # type: ignore[attr-defined]


def test_what_is_left_out_of_an_entry_is_left_to_the_dataset():
    assert DATA.replace(validation=None).options().keys() == DATA.options().keys() - {"validation"}
    assert DATA.options()["episodes"] == 6
