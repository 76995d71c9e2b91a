"""Bad servers do not hang the client; bad clients do not stop the server."""

import random
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from offnominal.core.errors import OffnominalError
from offnominal.worlds.arm.errors import InvalidPackage, RobotError, RobotTimeout, RobotUnreachable
from offnominal.worlds.arm.rtde import FREE_PORTS, Ports, RobotClient, RobotServer, VirtualController
from offnominal.worlds.arm.rtde.packages import PackageType
from offnominal.worlds.arm.rtde.script_session import MAX_SCRIPT, ScriptSession
from offnominal.worlds.arm.rtde.server import SKIP_ABOVE

pytestmark = pytest.mark.long

FUZZED_PACKETS = 1000
PATIENCE = 60.0
"""Seconds after which an answer counts as missing; long, because the machine may be busy."""


@contextmanager
def talking(*parts, close=True):
    """Listen on a port and send some bytes to whoever connects; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        done = threading.Event()

        def talk():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                for part in parts:
                    connection.sendall(part)
                if not close:
                    done.wait(PATIENCE)

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        done.set()
        thread.join(PATIENCE)


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.001)


def connect(port, timeout=PATIENCE):
    return RobotClient(ports=Ports(rtde=port, script=port, secondary=port, dashboard=port), timeout=timeout).connect()


ACCEPTED = bytes.fromhex("00 04 56 01")
VERSION = bytes.fromhex("00 13 76 00 00 00 03 00 00 00 0f 00 00 00 08 00 00 00 01")


@pytest.mark.parametrize(
    ("parts", "close", "error"),
    [
        ((), True, RobotError),
        ((), False, RobotTimeout),
        ((b"Connected: Universal Robots Dashboard Server\n",), False, InvalidPackage),
        ((b"HTTP/1.1 400 Bad Request\r\n\r\n",), True, InvalidPackage),
        ((b"\x00\x00\x00",), False, InvalidPackage),
        ((bytes.fromhex("00 04 56 00"),), False, InvalidPackage),
        ((bytes.fromhex("00 04 53 01"),), False, InvalidPackage),
        ((ACCEPTED[:3],), True, InvalidPackage),
        ((ACCEPTED[:3],), False, RobotTimeout),
        ((ACCEPTED, VERSION[:9]), True, RobotError),
        ((ACCEPTED, VERSION[:9]), False, RobotTimeout),
        ((ACCEPTED, bytes.fromhex("00 07 76 00 00 00 03")), False, InvalidPackage),
        ((bytes.fromhex("00 06 4d ff 41 42"),), False, InvalidPackage),
        ((b"\xff" * 100_000,), True, InvalidPackage),
    ],
)
def test_bad_server_is_a_named_error_in_time(parts, close, error):
    with talking(*parts, close=close) as port, pytest.raises(error):
        connect(port, timeout=0.05 if error is RobotTimeout else PATIENCE)


def test_wrong_port_is_a_named_error():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        with pytest.raises(RobotUnreachable, match=str(port)):
            connect(port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "256.1.1.1", "a" * 300, "127.0.0.1\0"])
def test_wrong_host_is_a_named_error(host):
    with pytest.raises(OffnominalError):
        RobotClient(host, timeout=1.0, ports=Ports(rtde=1)).connect()


def test_dashboard_and_rtde_ports_swapped_are_named_errors():
    with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as server:
        ports = server.ports
        swapped = Ports(ports.dashboard, ports.script, ports.secondary, ports.rtde)
        with pytest.raises(InvalidPackage):
            RobotClient(ports=swapped, timeout=PATIENCE).connect()
        only_rtde = Ports(ports.rtde, ports.script, ports.secondary, ports.rtde)
        with pytest.raises(RobotError):
            RobotClient(ports=only_rtde, timeout=0.1).connect()


def fuzzed(generator):
    """Return a packet that is wrong in a random way, often with a valid header."""
    payload = generator.randbytes(generator.choice([0, 1, 2, 8, 16, 49, 300]))
    names = b"input_int_register_0,input_double_register_0,actual_q,timestamp,nonsense,"
    kind = generator.choice([*PackageType, generator.randrange(256)])
    if generator.random() < 0.4:
        start = generator.randrange(len(names))
        payload = generator.choice([b"", b"\x40\x5f\x40\0\0\0\0\0"]) + names[start:]
    size = 3 + len(payload) if generator.random() < 0.8 else generator.randrange(65536)
    return size.to_bytes(2, "big") + bytes([kind]) + payload


def test_server_survives_a_thousand_fuzzed_packets():
    generator = random.Random(20)
    with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as server:
        ports = [server.ports.rtde] * 3 + [server.ports.dashboard, server.ports.script]
        connection, left = None, 0
        for _ in range(FUZZED_PACKETS):
            if connection is None or left == 0:
                if connection is not None:
                    connection.close()
                connection = socket.create_connection(("127.0.0.1", generator.choice(ports)), PATIENCE)
                left = generator.randrange(1, 20)
            left -= 1
            try:
                connection.sendall(fuzzed(generator))
                connection.settimeout(2e-4)
                connection.recv(1 << 16)
            except TimeoutError:
                continue
            except OSError:
                left = 0
        connection.close()
        server.controller.unlock()
        with RobotClient(ports=server.ports, timeout=PATIENCE) as robot:
            assert robot.state.timestamp >= 0.0


def test_slow_reader_does_not_stop_the_server():
    with (
        RobotServer(VirtualController("e-series"), ports=FREE_PORTS) as server,
        socket.socket() as slow,
    ):
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", server.ports.rtde))
        wait_for(lambda: server._clients)
        (client,) = server._clients
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        names = b",".join([b"actual_q,actual_qd,actual_TCP_pose,actual_TCP_speed,target_q,target_qd"] * 20)
        slow.sendall((11 + len(names)).to_bytes(2, "big") + b"O\x40\x7f\x40\0\0\0\0\0" + names)
        slow.sendall(b"\x00\x03S")
        wait_for(lambda: len(client.unsent) >= SKIP_ABOVE)
        with RobotClient(ports=server.ports, dry_run=True, timeout=PATIENCE) as robot:
            before = robot.state.timestamp
            while robot.read().timestamp <= before:
                pass


def test_port_in_use_is_a_named_error():
    with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as server:
        with pytest.raises(RobotUnreachable, match="another controller"):
            RobotServer(VirtualController(), ports=server.ports).open()
        with pytest.raises(RobotUnreachable):
            RobotServer(VirtualController(), "203.0.113.7", ports=FREE_PORTS).open()


def test_scripts_start_when_they_are_complete_and_stop_lines_stop():
    controller = VirtualController()
    session = ScriptSession(controller)
    session.receive(b"# a comment\ndef program():\n  sync()\n")
    assert not controller.running
    session.receive(b"  if True:\n    sync()\n  end\nend\n")
    assert controller.running
    session.receive(b"stopl(2.0)\n")
    assert not controller.running
    session.receive(b"set_digital_out(0, True)\n")
    assert "set_digital_out" in controller.messages[-1]
    with pytest.raises(InvalidPackage, match="longer"):
        session.receive(b"def p():\n" + b"#" * MAX_SCRIPT)
