"""Connections to the local server that never send a request keep no other client out."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from offnominal.web import connections  # noqa: E402
from offnominal.web.app import make_app  # noqa: E402
from offnominal.web.listening import bound_socket, config_of  # noqa: E402
from offnominal.web.settings import Settings  # noqa: E402

pytestmark = pytest.mark.long

PATIENCE = 60.0
"""Seconds after which an answer counts as missing; long, because the machine may be busy."""
PARTIAL = [
    b"",
    b"G",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    b"\r\n",
    b"POST / HTTP/1.1\r\n",
]
WHOLE = b"GET /static/page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
FILES, HALF_OPEN = 200, 260


@contextlib.contextmanager
def serving(folder, *, most, deadline):
    """Run a server and yield its port."""
    settings = Settings(runs=folder, port=0)
    listener = bound_socket(settings)
    config = config_of(make_app(settings), settings, most=most)
    config.http = connections.bounded(most, deadline)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE)
    listener.close()


def opened(port, data=b""):
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.sendall(data)
    return connection


def is_closed(connection):
    """Wait until the server closes a connection; what it sends before is read."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def answers(connection):
    connection.sendall(WHOLE)
    return connection.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("part", PARTIAL)
def test_a_request_that_does_not_end_is_closed_at_its_deadline(tmp_path, part):
    with serving(tmp_path, most=8, deadline=0.2) as port:
        assert is_closed(opened(port, part))


def test_a_deadline_is_not_extended_by_slow_bytes(tmp_path):
    with serving(tmp_path, most=8, deadline=0.3) as port:
        connection = opened(port, b"GET / HTTP/1.1\r\nX: ")
        with contextlib.suppress(ConnectionError):
            for _ in range(int(PATIENCE / 0.05)):
                connection.sendall(b"a")
                time.sleep(0.05)
            pytest.fail("the connection is still open")


def test_a_second_request_has_a_deadline_too(tmp_path):
    with serving(tmp_path, most=8, deadline=0.2) as port:
        connection = opened(port)
        assert answers(connection)
        connection.sendall(b"GET / HT")
        assert is_closed(connection)


def test_a_websocket_outlives_the_deadline(tmp_path):
    from websockets.sync.client import connect

    with (
        serving(tmp_path, most=8, deadline=0.2) as port,
        connect(f"ws://127.0.0.1:{port}/live/socket", open_timeout=PATIENCE) as client,
    ):
        time.sleep(0.5)
        client.send("{")
        assert "not JSON" in client.recv(PATIENCE)


def test_a_new_connection_takes_the_place_of_the_one_that_waited_longest(tmp_path):
    with serving(tmp_path, most=4, deadline=PATIENCE) as port:
        waiting = [opened(port) for _ in range(4)]
        assert answers(opened(port))
        assert is_closed(waiting[0])
        assert all(answers(each) for each in waiting[1:])


def test_the_number_of_connections_is_below_that_of_open_files(monkeypatch):
    for files, most in ((20, 5), (200, 68), (256, 124), (1024, 512), (resource.RLIM_INFINITY, 512)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert connections.most_connections() == most


def test_a_lack_of_files_is_said_once_in_one_line(caplog):
    said = connections.OpenFiles()
    error = OSError(24, "Too many open files")
    records = [
        logging.LogRecord("asyncio", 40, "", 0, "socket.accept() out of system resource", (), (OSError, error, None))
        for _ in range(3)
    ]
    assert [bool(said.filter(record)) for record in records] == [True, False, False]
    assert "ulimit -n" in records[0].getMessage()
    assert records[0].exc_info is None
    other = logging.LogRecord("asyncio", 40, "", 0, "Task exception was never retrieved", (), None)
    assert said.filter(other)


@pytest.mark.long
def test_half_open_connections_above_the_limit_of_files_keep_no_client_out(tmp_path, count_cases):
    count_cases(HALF_OPEN, 1)
    program = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))\n"
    program += "from offnominal.cli.program import main\nmain()"
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--no-open", "--runs", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server:
        try:
            port = int(re.search(r":(\d+)", server.stdout.readline())[1])
            hostile = [opened(port) for _ in range(HALF_OPEN)]
            for number, each in enumerate(hostile):
                with contextlib.suppress(OSError):
                    each.sendall(PARTIAL[number % len(PARTIAL)])
            for _ in range(3):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/static/page.js", timeout=PATIENCE) as answer:
                    assert b"startTheme" in answer.read()
            for each in hostile:
                each.close()
        finally:
            server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors
    assert "Too many open files" not in errors
