"""What people see while a study runs."""

import pytest

from offnominal.studies import display
from offnominal.studies.display import Display
from offnominal.studies.failure import ErrorInfo
from offnominal.studies.task import Task, TaskEnded, TaskResult, TaskStarted

from .cases import small_cell

TASKS = [Task(small_cell(name), key=name) for name in ("KNN", "Time")]
DIED = TaskResult(error_info=ErrorInfo("WorkerDied", "the process died.\nof hunger"))


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""

    class Clock:
        now = 0.0

        def monotonic(self):
            return self.now

    made = Clock()
    monkeypatch.setattr(display, "time", made)
    return made


def test_each_end_is_a_line_and_what_is_left_follows_from_the_costs(clock):
    lines = []
    with Display("2 cells", {"KNN": 3.0, "Time": 1.0}, report=lines.append) as shown:
        assert shown.seconds_left() is None
        for task in TASKS:
            shown.show(TaskStarted(task, task.key))
        clock.now = 30.0
        shown.show(TaskEnded(TASKS[0], "KNN", TaskResult()))
        assert shown.seconds_left() == 10.0
        shown.show(TaskEnded(TASKS[1], "Time", DIED))
    assert lines == [
        "[1/2, 10 s left] SAP-Goal0-v0/tqc/KNN/0: 30.0 s",
        "[2/2, 0 s left] SAP-Goal0-v0/tqc/Time/0: FAILED: WorkerDied: the process died.",
    ]
    assert (shown.done, shown.failed) == (1, 1)


def test_the_live_table_names_who_does_what(clock):
    shown = Display("2 cells", {"KNN": 3.0, "Time": 1.0}, report=lambda line: None)
    shown.show(TaskStarted(TASKS[0], "1"))
    clock.now = 12.0
    table = shown._table()
    cells = [[str(cell) for cell in column.cells] for column in table.columns]
    assert cells == [["1"], ["SAP-Goal0-v0/tqc/KNN/0"], ["12 s"]]
    assert table.caption == "0 done, 1 running, 1 waiting, 0 failed"


def test_an_error_without_a_message_is_shown_too():
    lines = []
    shown = Display("", {"KNN": 1.0}, report=lines.append)
    shown.show(TaskEnded(TASKS[0], "1", TaskResult(error_info=ErrorInfo("AssertionError", ""))))
    assert "FAILED: AssertionError" in lines[0]
