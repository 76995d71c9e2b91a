"""The virtual controller on the network: the ports of a robot on this machine."""

from __future__ import annotations

import math
import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from offnominal.core.checks import instance_of, number_in, one_of, text
from offnominal.worlds.arm.errors import InvalidPackage, RobotUnreachable
from offnominal.worlds.arm.rtde.controller import VirtualController
from offnominal.worlds.arm.rtde.dashboard_session import GREETING, DashboardSession
from offnominal.worlds.arm.rtde.lockstep import LONGEST_PERIOD, execute_command
from offnominal.worlds.arm.rtde.packages import MessageLevel
from offnominal.worlds.arm.rtde.ports import Ports
from offnominal.worlds.arm.rtde.script_session import ScriptSession
from offnominal.worlds.arm.rtde.sessions import InputClaims, RtdeSession, text_package

Speed = Literal["real", "fast", "lockstep"]
SPEEDS = ("real", "fast", "lockstep")
FAST = 10.0
"""How many times faster than real time ``fast`` is."""
IDLE = 0.5
"""Seconds between the data packages of an idle controller in lockstep; clients drop a silent connection."""
MAX_LAG = 0.25
"""Seconds after which a controller that is behind real time gives the lost time up."""
MAX_BURST = 4
"""Cycles that a controller which is behind time simulates before it reads its connections again."""
TURN = 0.004
"""Seconds of all clients between two cycles; then busy ones wait for the next turn."""
BUSY = 0.05
"""Seconds that a client took lately, above which it is busy."""
READ = 4096
"""Bytes that are read from a client at a time, so that none takes a turn alone."""
MEMORY = 1.0
"""Seconds after which the time that a client took counts half."""
MOST_CLIENTS = 128
"""Largest number of connections; further ones are closed."""
SKIP_ABOVE, CLOSE_ABOVE = 1 << 16, 1 << 20
"""Unsent bytes above which data packages are skipped, and above which the client is disconnected."""


class _Client:
    """A connection of the server: a socket, what is not sent yet, and the time that its data took."""

    def __init__(self, connection: socket.socket, session: RtdeSession | ScriptSession | DashboardSession) -> None:
        self.socket, self.session = connection, session
        self.unsent = bytearray()
        self._took, self._since = 0.0, time.monotonic()

    def load(self, now: float) -> float:
        """Return how many seconds the data of this client took lately."""
        return self._took * math.exp2((self._since - now) / MEMORY)

    def charge(self, start: float) -> None:
        """Add the time since a start."""
        now = time.monotonic()
        self._took, self._since = self.load(now) + now - start, now

    def send(self, data: bytes) -> None:
        self.unsent += data
        self.flush()

    def flush(self) -> None:
        with suppress(BlockingIOError):
            while self.unsent:
                del self.unsent[: self.socket.send(self.unsent)]

    def receive(self) -> bool:
        """Take what has arrived; return False at the end of the connection."""
        data = self.socket.recv(READ)
        if not data:
            return False
        if isinstance(self.session, RtdeSession):
            self.session.receive(data, self.send)
        elif isinstance(self.session, DashboardSession):
            self.send(self.session.receive(data))
            return not self.session.ended
        else:
            self.session.receive(data)
        return True


def _load_of(data: object, now: float) -> float:
    """Return the load of a client; a listener has none."""
    return data.load(now) if isinstance(data, _Client) else 0.0


class RobotServer:
    """Serves a virtual controller on the ports of a robot.

    Args:
        controller: Controller to serve.
        host: Address to listen on.
        ports: Ports to listen on.
        speed: ``"real"`` runs in real time, ``"fast"`` ten times as fast. ``"lockstep"`` simulates only when a client
            writes a command: a servo command lasts `period`, another one until it is done. One data package follows
            each command, so that the same commands give the same bytes.
        period: Duration of a servo command in lockstep, s; the `time` of the command if omitted.

    Example:
        >>> from offnominal.worlds.arm.rtde.ports import FREE_PORTS
        >>> with RobotServer(VirtualController(), ports=FREE_PORTS, speed="lockstep") as server:
        ...     print(server.host, server.ports.rtde > 0)
        127.0.0.1 True
    """

    def __init__(
        self,
        controller: VirtualController,
        host: str = "127.0.0.1",
        *,
        ports: Ports | None = None,
        speed: Speed = "real",
        period: float | None = None,
    ) -> None:
        self.controller = instance_of("controller", controller, VirtualController)
        self.host = text("host", host)
        self.ports = Ports() if ports is None else instance_of("ports", ports, Ports)
        self.speed = one_of("speed", speed, SPEEDS)
        self.period = None if period is None else number_in("period", period, 0.0, LONGEST_PERIOD, open_low=True)
        self._claims = InputClaims()
        self._clients: list[_Client] = []
        self._selector: selectors.BaseSelector | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        # In lockstep no cycle is due, and executing commands is what takes the time.
        self._turn = math.inf if speed == "lockstep" else TURN
        controller.speed = {"real": 1.0, "fast": FAST, "lockstep": math.inf}[speed]

    def __enter__(self) -> RobotServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> RobotServer:
        """Listen on the ports; `ports` then has those that the system chose.

        Raises:
            RobotUnreachable: If a port is in use or the address is not of this machine.
        """
        self._selector = selectors.DefaultSelector()
        chosen = {}
        makers: dict[str, Callable[[], RtdeSession | ScriptSession | DashboardSession]] = {
            "rtde": lambda: RtdeSession(self.controller, self._claims, self._on_input),
            "script": lambda: ScriptSession(self.controller),
            "secondary": lambda: ScriptSession(self.controller),
            "dashboard": lambda: DashboardSession(self.controller),
        }
        for name, make in makers.items():
            port = getattr(self.ports, name)
            try:
                listener = socket.create_server((self.host, port), backlog=16)
            except (OSError, UnicodeError) as error:
                self._close_sockets()
                raise RobotUnreachable(
                    f"cannot listen on {self.host}:{port} ({error}); is another controller running there? Another "
                    f"address of this machine, such as 127.0.0.2, has its own ports."
                ) from None
            listener.setblocking(False)
            chosen[name] = listener.getsockname()[1]
            self._selector.register(listener, selectors.EVENT_READ, make)
        self.ports = Ports(**chosen)
        self._stopping.clear()
        return self

    def start(self) -> RobotServer:
        """Listen and serve in a thread of its own."""
        self.open()
        self._thread = threading.Thread(target=self.serve, name="virtual controller", daemon=True)
        self._thread.start()
        return self

    def serve(self) -> None:
        """Serve until :meth:`stop` or :meth:`close` is called; :meth:`open` must have been called."""
        try:
            if self.speed == "lockstep":
                self._serve_lockstep()
            else:
                self._serve_paced(self.controller.speed)
        finally:
            self._close_sockets()

    def stop(self) -> None:
        """Let :meth:`serve` return soon; callable from any thread."""
        self._stopping.set()

    def close(self) -> None:
        """Close all connections and stop the thread."""
        self.stop()
        if self._thread is not None:
            self._thread.join(timeout=5.0)
            self._thread = None
        else:
            self._close_sockets()

    def _serve_lockstep(self) -> None:
        sent = time.monotonic()
        while not self._stopping.is_set():
            self._handle(0.05)
            self._tell_messages()
            if time.monotonic() - sent > IDLE:
                self._broadcast()
                sent = time.monotonic()

    def _serve_paced(self, factor: float) -> None:
        cycle = self.controller.dt / factor
        due = time.monotonic() + cycle
        while not self._stopping.is_set():
            self._handle(min(max(0.0, due - time.monotonic()), 0.05))
            now = time.monotonic()
            if now - due > MAX_LAG:
                due = now
            for _ in range(MAX_BURST):
                if due > now:
                    break
                self.controller.cycle()
                self._broadcast(self.controller.cycles)
                due += cycle
            self._tell_messages()

    def _on_input(self, has_command: bool) -> None:
        """In lockstep, simulate what a client asked for."""
        if self.speed != "lockstep" or not has_command:
            return
        execute_command(self.controller, self.period)
        self._broadcast()

    def _broadcast(self, cycle: int = 0) -> None:
        """Send a data package to every client that wants one in this cycle."""
        for client in self._clients:
            if isinstance(client.session, RtdeSession) and cycle % client.session.divisor == 0:
                data = client.session.data_package()
                if data is not None and len(client.unsent) < SKIP_ABOVE:
                    with suppress(OSError):
                        client.send(data)

    def _tell_messages(self) -> None:
        for message in self.controller.messages:
            data = text_package(message, MessageLevel.WARNING).encode()
            for client in self._clients:
                wants = isinstance(client.session, RtdeSession) and client.session.started
                if wants and len(client.unsent) < SKIP_ABOVE:
                    with suppress(OSError):
                        client.send(data)
        self.controller.messages.clear()

    def _handle(self, timeout: float) -> None:
        """Accept connections and answer what has arrived, for one turn."""
        assert self._selector is not None
        ready = [key for key, _ in self._selector.select(timeout)]
        start = now = time.monotonic()
        # Those that took the least time come first, so that a busy client delays only itself.
        for load, _, key in sorted((_load_of(key.data, start), place, key) for place, key in enumerate(ready)):
            if load > BUSY and now - start > self._turn:
                break
            if isinstance(key.data, _Client):
                self._serve_client(key.data)
                key.data.charge(now)
            else:
                self._accept(key.fileobj, key.data)
            now = time.monotonic()
        for client in self._clients:
            if client.unsent:
                with suppress(OSError):
                    client.flush()
        for client in [each for each in self._clients if len(each.unsent) > CLOSE_ABOVE]:
            self._drop(client)

    def _accept(self, listener: object, make: Callable[[], RtdeSession | ScriptSession | DashboardSession]) -> None:
        assert isinstance(listener, socket.socket)
        assert self._selector is not None
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        if len(self._clients) >= MOST_CLIENTS:
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = _Client(connection, make())
        self._clients.append(client)
        self._selector.register(connection, selectors.EVENT_READ, client)
        if isinstance(client.session, DashboardSession):
            with suppress(OSError):
                client.send(f"{GREETING}\n".encode())

    def _serve_client(self, client: _Client) -> None:
        try:
            alive = client.receive()
        except BlockingIOError:
            return
        except InvalidPackage as error:
            alive = False
            if isinstance(client.session, RtdeSession):
                with suppress(OSError):
                    client.send(text_package(str(error), MessageLevel.ERROR).encode())
        except OSError:
            alive = False
        if not alive:
            self._drop(client)
        if self.speed == "lockstep" and not isinstance(client.session, RtdeSession):
            self._broadcast()

    def _drop(self, client: _Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
        if isinstance(client.session, RtdeSession):
            client.session.close()
        if self._selector is not None:
            with suppress(KeyError, ValueError):
                self._selector.unregister(client.socket)
        client.socket.close()

    def _close_sockets(self) -> None:
        if self._selector is None:
            return
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
        self._selector = None
        self._clients.clear()
        self._claims = InputClaims()
