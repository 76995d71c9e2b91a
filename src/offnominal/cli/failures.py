"""What the program prints, and the code with which it exits, when a command cannot be completed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from rich.console import Console
from rich.markup import escape

from offnominal.core.errors import MissingFile, OffnominalError
from offnominal.core.files import file_errors

TRACEBACK = "OFFNOMINAL_TRACEBACK"
"""Environment variable: set to 1, an error is raised with its traceback instead of printed as one line."""
FAILED, WRONG, INTERRUPTED = 1, 2, 130

errors = Console(stderr=True)


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; an error that a user can act on is one line on stderr.

    Wrong arguments, files that cannot be read or written and a lack of memory are 2, Ctrl-C is 130; if the reader of
    the output is gone, nothing is printed. Any other exception is a defect of this package and is raised.

    Args:
        command: What to run; it may exit by itself.

    Example:
        >>> exit_code_of(lambda: None), exit_code_of(lambda: sys.exit(1)), exit_code_of(lambda: open("missing.toml"))
        (0, 1, 2)
    """
    _never_fail_to_print()
    if os.environ.get(TRACEBACK, "0") not in ("", "0"):
        command()
        return 0
    code = _guarded(lambda: _code_of(command))
    return _guarded(_flush) or code


def print_failure(name: str, message: str) -> None:
    """Print the name of an error and what it says on stderr, in one line, with control characters as escapes."""
    line = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in " ".join(message.split("\n"))
    )
    errors.print(f"[bold red]{escape(name)}:[/] {escape(line)}", highlight=False, soft_wrap=True)


def _guarded(step: Callable[[], int]) -> int:
    """Return the exit code of a step, or print why it failed and return the code for that."""
    try:
        with file_errors():
            return step()
    except BrokenPipeError:
        _discard(sys.stdout)
        return FAILED
    except KeyboardInterrupt:
        print_failure("Interrupted", "the command was stopped by Ctrl-C.")
        return INTERRUPTED
    except OffnominalError as error:
        print_failure(type(error).__name__, str(error))
    except MemoryError as error:
        print_failure("MemoryError", f"{str(error) or 'not enough memory'}; choose smaller numbers.")
    except RecursionError:
        print_failure("RecursionError", "a file or an argument is nested too deeply.")
    except UnicodeError as error:
        print_failure("UnicodeError", f"a file or an argument is not text in UTF-8 ({error}).")
    return WRONG


def _code_of(command: Callable[[], object]) -> int:
    """Return the exit code of a command that ends by returning or by exiting."""
    try:
        command()
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            raise KeyboardInterrupt from None
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except FileNotFoundError as error:
        if error.filename is None:
            _require_working_directory()
        raise
    return 0


def _flush() -> int:
    """Write what is still to be printed; a full disk behind standard output is found here."""
    if sys.stdout is None:
        return 0
    try:
        with file_errors("standard output"):
            sys.stdout.flush()
    except OffnominalError:
        _discard(sys.stdout)
        raise
    return 0


def _require_working_directory() -> None:
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        raise MissingFile("the working directory does not exist any more; change to another.") from None


def _never_fail_to_print() -> None:
    """Let characters that a terminal does not have be printed as escapes, as Python does on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard(stream: TextIO) -> None:
    """Point a stream that cannot be written at nothing, so that Python does not complain about it at exit."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
