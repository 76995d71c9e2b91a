"""Progress is shown on a terminal or on demand, and is silent elsewhere."""

import io
import sys

import pytest

from offnominal.core.progress_bar import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def work(**options):
    with progress("Collecting", total=3, **options) as tick:
        for _ in range(3):
            tick(note="halfway there")


def terminal(monkeypatch):
    """Put a terminal in place of standard error; pytest's own capture would undo it before the test runs."""
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


@pytest.mark.parametrize("options", [{}, {"enabled": False}])
def test_nothing_is_written_when_not_on_a_terminal(options, capsys):
    work(**options)
    assert capsys.readouterr() == ("", "")


def test_nothing_is_written_on_a_terminal_when_disabled(monkeypatch):
    screen = terminal(monkeypatch)
    work(enabled=False)
    assert screen.getvalue() == ""


def test_a_terminal_shows_description_count_and_note_on_standard_error(monkeypatch, capsys):
    screen = terminal(monkeypatch)
    work()
    for part in ("Collecting", "3/3", "halfway there"):
        assert part in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_enabling_shows_progress_without_a_terminal(capsys):
    work(enabled=True)
    assert "Collecting" in capsys.readouterr().err


def test_work_of_unknown_size_is_counted(monkeypatch):
    screen = terminal(monkeypatch)
    with progress("Collecting") as tick:
        tick(2)
        tick(0.5)
    assert "2/?" in screen.getvalue()


@pytest.mark.parametrize("enabled", [True, False])
def test_errors_of_the_work_come_through(enabled):
    with pytest.raises(ZeroDivisionError), progress("Collecting", enabled=enabled) as tick:
        tick(1 / 0)


@pytest.mark.parametrize("enabled", [None, True])
def test_only_the_outermost_work_is_shown(enabled, monkeypatch):
    screen = terminal(monkeypatch)
    with progress("Recording", total=2) as tick:
        for _ in range(2):
            work(enabled=enabled)
            tick()
    assert "2/2" in screen.getvalue()
    assert "Collecting" not in screen.getvalue()
    work()
    assert "Collecting" in screen.getvalue()
