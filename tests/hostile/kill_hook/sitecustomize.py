"""Kills a command and its workers when they have changed a folder a number of times.

Python imports this module at the start of each process whose PYTHONPATH has its folder. Settings are environment
variables: KILL_FOLDER, KILL_LIMIT (0 for never), and KILL_COUNTER, a file that all processes of the command append to.
KILL_PATCH, such as ``offnominal.calibration.sampler:STARTS=500``, makes a command smaller.
"""

import importlib
import os
import signal
import sys

CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")


def install(folder: str, limit: int, counter: str) -> None:
    """Count the changes of a folder by this process, and kill the command at the limit."""
    file = os.open(counter, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    main = int(os.environ.setdefault("KILL_MAIN", str(os.getpid())))

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            flags = arguments[2]
            changes = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
        else:
            changes = event in CHANGES
        if changes and any(isinstance(each, str | os.PathLike) and folder in os.fspath(each) for each in arguments):
            os.write(file, b".")
            if os.fstat(file).st_size == limit:
                os.kill(main, signal.SIGKILL)
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def patch(change: str) -> None:
    """Set an attribute of a module to a number."""
    target, _, value = change.partition("=")
    module, _, name = target.partition(":")
    setattr(importlib.import_module(module), name, int(value))


if "KILL_FOLDER" in os.environ:
    for each in filter(None, os.environ.get("KILL_PATCH", "").split(";")):
        patch(each)
    install(os.environ["KILL_FOLDER"], int(os.environ["KILL_LIMIT"]), os.environ["KILL_COUNTER"])
