"""What people see while a study runs."""

from io import StringIO

import pytest
from rich.console import Console

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
        "[1/2, 10 s left] SAP-Goal0-v0/expert/KNN/0: 30.0 s",
        "[2/2, 1 failed, 0 s left] SAP-Goal0-v0/expert/Time/0: FAILED: WorkerDied: the process died.",
    ]
    assert (shown.done, shown.failed) == (1, 1)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_the_live_view_has_one_line_per_worker_that_never_wraps(clock, width):
    shown = Display("Study of 2 cells", {"KNN": 3.0, "Time": 1.0, "LOF": 1.0}, report=lambda line: None)
    for worker, task in enumerate(TASKS):
        shown.show(TaskStarted(task, str(worker)))
    shown.show(TaskEnded(Task(small_cell("LOF"), key="LOF"), "7", DIED))
    clock.now = 12.0
    output = StringIO()
    Console(width=width, file=output).print(shown.view(width))
    lines = output.getvalue().splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= width
    if width >= 80:
        assert "1/3, 1 failed" in lines[0]
        assert lines[1].split() == ["0", "SAP-Goal0-v0/expert/KNN/0", "12", "s"]


def test_workers_that_do_not_fit_are_counted(clock):
    shown = Display("", {"KNN": 1.0}, report=lambda line: None)
    for worker in range(9):
        shown.show(TaskStarted(TASKS[0], str(worker)))
    output = StringIO()
    Console(width=80, file=output).print(shown.view(height=8))
    lines = output.getvalue().splitlines()
    assert len(lines) == 7
    assert "and 4 more workers" in lines[-1]


def test_lines_of_a_file_are_limited_but_every_kind_of_failure_and_the_end_are_there(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    count = 50
    tasks = [Task(small_cell("KNN"), key=f"k{number}") for number in range(count)]
    with Display("", {task.id: 1.0 for task in tasks}) as shown:
        for number, task in enumerate(tasks):
            shown.show(TaskEnded(task, "1", DIED if number % 10 == 5 else TaskResult()))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert [("FAILED" in line, line.startswith("[50/50")) for line in lines] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_an_error_without_a_message_is_shown_too():
    lines = []
    shown = Display("", {"KNN": 1.0}, report=lines.append)
    shown.show(TaskEnded(TASKS[0], "1", TaskResult(error_info=ErrorInfo("AssertionError", ""))))
    assert "FAILED: AssertionError" in lines[0]
