"""Starting and stopping the server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from offnominal.core.errors import AddressInUse, InvalidParameter
from offnominal.web.listening import bound_socket
from offnominal.web.settings import Settings

pytestmark = pytest.mark.long


def test_a_port_in_use_is_a_named_error_with_what_to_do():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(AddressInUse, match=f"--port {port + 1}"):
            bound_socket(Settings(port=port))


def test_an_address_of_another_machine_is_a_named_error():
    with pytest.raises(InvalidParameter, match="an address of this machine"):
        bound_socket(Settings(host="192.0.2.1", port=0, token="secret"))


def test_the_program_serves_and_ctrl_c_ends_it(small_runs):
    command = [sys.executable, "-m", "offnominal", "serve", "--port", "0", "--no-open", "--runs", str(small_runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server:
        line = server.stdout.readline()
        assert " at http" in line, server.stderr.read()
        address = line.split(" at ")[1].split(" ")[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"A &lt;script&gt;" in answer.read()
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
    assert "Traceback" not in errors
    assert server.returncode in (0, 130)
