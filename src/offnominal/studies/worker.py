"""A worker process: takes tasks from its master until there are no more, or no master."""

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
    """Do what comes through the connection.

    Args:
        connection: To the master.
        lifeline: Descriptor of a pipe that ends when the master does; it must not be outlived.
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
