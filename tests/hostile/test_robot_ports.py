"""Ports of a virtual controller: scripts made to be slow, random scripts, busy clients, and requests of web pages."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import time

import pytest

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde import FREE_PORTS, RobotClient, RobotServer, VirtualController, server
from offnominal.worlds.arm.rtde.connection import Connection, DashboardConnection
from offnominal.worlds.arm.rtde.packages import Package, PackageType
from offnominal.worlds.arm.rtde.script_session import MAX_MESSAGES, MAX_SCRIPT, ScriptSession
from offnominal.worlds.arm.rtde.sessions import InputClaims, RtdeSession
from offnominal.worlds.arm.rtde.status import SafetyMode

pytestmark = pytest.mark.long

PATIENCE = 60.0
"""Seconds after which an answer counts as missing; long, because the machine may be busy."""
SLOW = """
from offnominal.worlds.arm.rtde import FREE_PORTS, RobotClient, RobotServer, VirtualController
import socket, time

with RobotServer(VirtualController(), ports=FREE_PORTS) as server:
    for attack in ({attacks}):
        hostile = [socket.create_connection(("127.0.0.1", server.ports.script)) for _ in range(3)]
        for each in hostile:
            each.sendall(attack)
        with RobotClient(ports=server.ports, timeout={patience}) as robot:
            before = robot.state.timestamp
            while robot.read().timestamp <= before:
                pass
        for each in hostile:
            each.close()
        while server._clients:  # It has not seen yet that they left, the robot's client too.
            time.sleep(0.01)
        print("alive")
"""
ATTACKS = [
    "b'def f(' + b'):' * 60_000",
    "b'def f():' + b'\\n' * 120_000",
    "b'def ' + b'f' * 120_000",
    "b'def' + b' ' * 120_000",
    "b'stopl(' + b') ' * 60_000 + b'x\\n'",
    "b'\\n' * 120_000",
    "b'x\\n' * 60_000",
    "b'def f():\\nend\\n' * 8_000",
]
"""Texts for regular expressions with nested repetition, and many lines and programs."""
PARTS = [
    *("def f():", "sec g(a, b):", "def f(", "):", "def", "end", "  end", "end \t", "halt", "stopl(2.0)", "stopj", "#"),
    *("(", ")", " ", "\t", "\r", "\n", "\n", "\n", "\r\n", "\0", "é", "\udcff", "GET / HTTP/1.1\r\n", "x" * 300),
]


class Witness:
    """Records what a script does to a controller."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.calls: list[str] = []

    def start_program(self, script: str) -> None:
        self.calls.append(script)

    def stop_program(self) -> None:
        self.calls.append("stop")


def told(chunks):
    """Return what a controller is told by a script that arrives in parts, and whether the client is disconnected."""
    witness = Witness()
    session = ScriptSession(witness)
    try:
        for chunk in chunks:
            session.receive(chunk)
    except InvalidPackage:
        return witness.calls, witness.messages, True
    return witness.calls, witness.messages, False


@pytest.mark.long
def test_scripts_that_are_made_to_be_slow_stop_no_other_client(count_cases):
    count_cases(len(ATTACKS))
    program = SLOW.format(attacks=", ".join(ATTACKS), patience=PATIENCE)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=4 * PATIENCE)
    assert done.stdout.split() == ["alive"] * len(ATTACKS), done.stderr


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 3000), marks=pytest.mark.hostile)])
def test_random_scripts_mean_the_same_in_any_parts(seeds, count_cases):
    count_cases(len(seeds), 1)
    for seed in seeds:
        generator = random.Random(seed)
        text = "".join(generator.choices(PARTS, k=generator.randrange(1, 60)))
        data = text.encode(errors="surrogateescape")
        cuts = sorted(generator.choices(range(len(data) + 1), k=generator.randrange(6)))
        parts = [data[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        whole = told([data])
        assert told(parts) == whole
        assert told([data[i : i + 1] for i in range(len(data))]) == whole


def test_a_program_is_what_stands_between_its_head_and_its_end():
    script = (
        "x = 1\r\n\n  def f(a,\tb): # c\n  def g():\n  end\n end\nend \t\r\nhalt\n stopj (1) \nsec g():\nend\nend\n"
    )
    calls, messages, disconnected = told([script.encode()])
    assert calls == ["  def f(a,\tb): # c\n  def g():\n  end\n end\nend \t", "stop", "stop", "sec g():\nend"]
    assert messages == ["not interpreted: x = 1", "not interpreted: end"]
    assert not disconnected


def test_a_script_is_limited_over_all_its_lines_and_an_endless_line_too():
    line = b"#" * 999 + b"\n"
    assert told([b"def f():\n", *[line] * (MAX_SCRIPT // len(line))])[2]
    assert told([b"#" * (MAX_SCRIPT // 2)] * 3)[2]
    assert not told([line] * 1100)[2]


def test_lines_that_are_not_interpreted_do_not_flood_other_clients():
    assert len(told([b"x\n" * 10_000])[1]) == MAX_MESSAGES


def test_a_client_that_took_much_time_waits_for_the_others(monkeypatch):
    monkeypatch.setattr(server, "TURN", 0.0)
    controller = VirtualController()
    serving = RobotServer(controller, ports=FREE_PORTS).open()
    try:
        pair = []
        for _ in range(2):
            pair.append(socket.create_connection(("127.0.0.1", serving.ports.script)))
            while len(serving._clients) < len(pair):
                serving._handle(0.05)
        busy, quiet = serving._clients
        busy.charge(time.monotonic() - 1.0)
        pair[0].sendall(b"busy\n")
        pair[1].sendall(b"quiet\n")
        for client in (busy, quiet):
            client.socket.setblocking(True)
            client.socket.recv(1, socket.MSG_PEEK)
            client.socket.setblocking(False)
        serving._handle(0.0)
        assert controller.messages == ["not interpreted: quiet"]
        serving._handle(0.0)
        assert controller.messages == ["not interpreted: quiet", "not interpreted: busy"]
        for each in pair:
            each.close()
    finally:
        serving.close()


def test_a_client_is_read_in_parts():
    with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as serving:
        sizes = []
        hostile = socket.create_connection(("127.0.0.1", serving.ports.script), PATIENCE)
        end = time.monotonic() + PATIENCE
        while not serving._clients:
            assert time.monotonic() < end
        serving._clients[0].session.receive = lambda data: sizes.append(len(data))
        hostile.sendall(b"x" * 50_000)
        while sum(sizes) < 50_000:
            assert time.monotonic() < end
        assert max(sizes) <= server.READ
        hostile.close()


def test_the_number_of_clients_is_bounded(monkeypatch):
    monkeypatch.setattr(server, "MOST_CLIENTS", 3)
    with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as serving:
        address = ("127.0.0.1", serving.ports.dashboard)
        first = [socket.create_connection(address, PATIENCE) for _ in range(3)]
        assert all(each.recv(100).startswith(b"Connected") for each in first)
        refused = socket.create_connection(address, PATIENCE)
        assert refused.recv(100) == b""
        first.pop().close()
        again = b""
        end = time.monotonic() + PATIENCE
        while not again:
            assert time.monotonic() < end
            with socket.create_connection(address, PATIENCE) as each:
                again = each.recv(100)
        assert again.startswith(b"Connected")
        for each in (*first, refused):
            each.close()


def requested(port, body):
    """Send a request as a web page can, and return what comes back."""
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\nContent-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        try:
            connection.sendall(f"{head}\r\n\r\n".encode() + body)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))
        except ConnectionError:
            return b""


def test_a_web_page_cannot_command_the_arm_through_any_port():
    controller = VirtualController()
    with RobotServer(controller, ports=FREE_PORTS, speed="lockstep") as serving:
        with RobotClient(ports=serving.ports, timeout=PATIENCE) as robot:
            running = controller.running
            answer = requested(serving.ports.dashboard, b"\nstop\noffnominal emergency stop\npower off\n")
            assert answer.count(b"\n") <= 1
            requested(serving.ports.script, b"\nhalt\nstopl(1)\n")
            requested(serving.ports.secondary, b"\ndef f():\nend\n")
            assert not robot.read().safety_stopped
            assert running
            assert controller.running
        with socket.create_connection(("127.0.0.1", serving.ports.dashboard), PATIENCE) as secure:
            secure.sendall(b"\x16\x03\x01\x02\x00\x01\x00\nstop\noffnominal emergency stop\n")
            secure.shutdown(socket.SHUT_WR)
            while secure.recv(1 << 16):
                pass
        assert controller.safety is SafetyMode.NORMAL
        dashboard = DashboardConnection(Connection("127.0.0.1", serving.ports.dashboard, PATIENCE))
        assert dashboard.ask("GET robot model") == "UR3"
        dashboard.close()


def test_a_web_page_cannot_hide_packages_behind_a_request():
    session = RtdeSession(VirtualController(), InputClaims())
    hidden = b"POST / HTTP/1.1\r\n".ljust(0x504F) + Package(PackageType.GET_CONTROLLER_VERSION).encode()
    answers = []
    with pytest.raises(InvalidPackage, match="at most"):
        session.receive(hidden, answers.append)
    assert not answers
