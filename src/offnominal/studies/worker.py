"""A worker process: runs tasks of its parent process until there are no more."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection

from offnominal.studies.code import Sources
from offnominal.studies.task import run_task


def serve(connection: Connection, lifeline: int) -> None:
    """Run the tasks that arrive through a connection.

    Args:
        connection: Connection to the parent process.
        lifeline: Descriptor of a pipe that closes when the parent ends; the worker then ends, too.
    """
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()
    sources = Sources()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(run_task(task, sources))


def _die_with(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
