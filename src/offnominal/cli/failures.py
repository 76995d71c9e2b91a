"""Error messages and exit codes of the program."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TextIO

from rich.console import Console
from rich.markup import escape

from offnominal.core.errors import MissingFile, OffnominalError
from offnominal.core.files import file_errors

TRACEBACK = "OFFNOMINAL_TRACEBACK"
"""Environment variable: if it is 1, an error shows its traceback instead of one line."""
FAILED, WRONG, INTERRUPTED = 1, 2, 130

errors = Console(stderr=True)


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; an error that a user can act on is one line on stderr.

    The code is 2 for invalid arguments, files that cannot be read or written and a lack of memory, and 130 for Ctrl-C.
    If the reader of the output is gone, nothing is printed. Any other exception is a defect and is raised.

    Args:
        command: Function to run; it may raise :class:`SystemExit`.

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


def print_failure(name: str, message: str, style: str = "bold red") -> None:
    """Print the name and message of an error on stderr as one line, with control characters escaped."""
    line = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in " ".join(message.split("\n"))
    )
    errors.print(f"[{style}]{escape(name)}:[/] {escape(line)}", highlight=False, soft_wrap=True)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print the warnings of the block on stderr as one line each, every one of them."""

    def show(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        print_failure(category.__name__, str(message), "bold yellow")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _guarded(step: Callable[[], int]) -> int:
    """Return the exit code of a step; if it raises, print the error and return its exit code."""
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
        print_failure("MemoryError", f"{str(error) or 'not enough memory'}; use smaller numbers.")
    except RecursionError:
        print_failure("RecursionError", "a file or an argument is nested too deeply.")
    except UnicodeError as error:
        print_failure("UnicodeError", f"a file or an argument is not text in UTF-8 ({error}).")
    return WRONG


def _code_of(command: Callable[[], object]) -> int:
    """Return the exit code of a command that returns or raises :class:`SystemExit`."""
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
    """Flush standard output; raises if its disk is full."""
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
        raise MissingFile("the working directory does not exist any more; change to an existing one.") from None


def _never_fail_to_print() -> None:
    """Print characters that the terminal cannot show as escapes, as Python does on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, so that Python prints no error at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
