"""The service by HTTP and WebSocket: samples in, states and events out, orders of operators, metrics, the page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from offnominal.core.errors import OffnominalError, UnknownName
from offnominal.reports.modules import bundle, module
from offnominal.watch.event import Event
from offnominal.watch.fleet import Fleet
from offnominal.watch.inbox import Arrived
from offnominal.watch.live_view import LiveView
from offnominal.watch.metrics import CONTENT_TYPE, metrics_text
from offnominal.watch.service import Service
from offnominal.web.access import Access
from offnominal.web.broadcast import Broadcast, Client
from offnominal.web.security import Guard

ANSWER = 5.0
"""Seconds in which the thread of the service must answer."""
ALIVE = 30.0
"""Seconds without a turn of its loop after which the service does not live any more."""
SHELF = 3600.0
FULL = 0.02
"""Seconds between two looks for room in the inbox."""
PACKAGE = "offnominal.watch"
STYLES = (
    ("offnominal.reports", "assets/page.css"),
    ("offnominal.web", "static/site.css"),
    ("offnominal.web", "static/live.css"),
    (PACKAGE, "static/watch.css"),
)


class WatchApp:
    """The routes of the service.

    Args:
        service: The service, which runs in another thread.
        view: What is recent.
    """

    def __init__(self, service: Service, view: LiveView) -> None:
        self._service, self._view = service, view

    def made(self, access: Access) -> Starlette:
        """Return the application, behind the checks of the local server."""

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            self._view.broadcast = Broadcast(asyncio.get_running_loop())
            yield

        routes = [
            Route("/", self.page),
            Route("/static/{name}", self.static),
            Route("/samples", self.samples, methods=["POST"]),
            WebSocketRoute("/samples", self.sample_stream),
            WebSocketRoute("/live/socket", self.live),
            Route("/state", self.state),
            Route("/alarms/acknowledge", self.acknowledge, methods=["POST"]),
            Route("/alarms/shelve", self.shelve, methods=["POST"]),
            Route("/alarms/unshelve", self.unshelve, methods=["POST"]),
            Route("/confirm", self.confirm, methods=["POST"]),
            Route("/recalibration/{order}", self.recalibration, methods=["POST"]),
            Route("/threshold", self.threshold, methods=["POST"]),
            Route("/reload", self.reload, methods=["POST"]),
            Route("/metrics", self.metrics),
            Route("/healthz", self.healthz),
            Route("/readyz", self.readyz),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(Guard, settings=access)],
            exception_handlers={HTTPException: _refused, OffnominalError: _failed},
            lifespan=lifespan,
        )

    async def samples(self, request: Request) -> Response:
        """Take JSON lines, a JSON array of samples, or one sample; all of them, or none if there is no room."""
        arrived = _arrived(await request.body())
        if self._service.inbox.closed:
            return JSONResponse({"error": "the service is ending"}, 503)
        if len(arrived) > self._service.inbox.capacity:
            return JSONResponse({"error": f"send at most {self._service.inbox.capacity} samples at a time"}, 413)
        if not self._service.inbox.offer(arrived):
            headers = {"Retry-After": "1"}
            return JSONResponse({"error": "too many samples wait; send these again"}, 429, headers=headers)
        return JSONResponse({"accepted": len(arrived)}, 202)

    async def sample_stream(self, socket: WebSocket) -> None:
        """Take messages of JSON lines; while there is no room, nothing is read, so that the robot has to wait."""
        await socket.accept()
        with suppress(WebSocketDisconnect, KeyError):
            while not self._service.inbox.closed:
                await self._put(_arrived((await socket.receive_text()).encode()))
        # A robot that is gone is not told.
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(1001)

    async def _put(self, arrived: list[Arrived]) -> None:
        """Add samples, and wait while there is no room; not in a thread, of which each robot would need one."""
        inbox = self._service.inbox
        for begin in range(0, len(arrived), inbox.capacity):
            part = arrived[begin : begin + inbox.capacity]
            while not inbox.offer(part) and not inbox.closed:
                await asyncio.sleep(FULL)

    async def live(self, socket: WebSocket) -> None:
        """Send what a page shows, and then scores and events as they come."""
        await socket.accept()
        broadcast = self._view.broadcast
        assert broadcast is not None
        client = Client()
        broadcast.clients.add(client)
        reading = asyncio.create_task(_until_closed(socket))
        try:
            await socket.send_text(json.dumps(await self._asked(lambda: self._view.snapshot(self._service.fleet))))
            while not reading.done():
                coming = asyncio.create_task(client.next())
                await asyncio.wait({coming, reading}, return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    coming.cancel()
                    break
                for message in coming.result():
                    await socket.send_text(str(message))
        except (WebSocketDisconnect, RuntimeError, HTTPException):
            pass
        finally:
            broadcast.clients.discard(client)
            reading.cancel()

    async def state(self, request: Request) -> Response:
        """Return the state of all robots and the recent events."""
        return JSONResponse(await self._asked(lambda: self._view.snapshot(self._service.fleet)))

    async def acknowledge(self, request: Request) -> Response:
        """Acknowledge an alarm: ``{"robot": ..., "alarm": ...}``."""
        robot, alarm = _words(await _body(request), "robot", "alarm")
        return await self._done(lambda fleet, now: fleet.acknowledge(robot, alarm, now))

    async def shelve(self, request: Request) -> Response:
        """Shelve an alarm for some seconds, an hour if none are given."""
        data = await _body(request)
        robot, alarm = _words(data, "robot", "alarm")
        return await self._done(lambda fleet, now: fleet.shelve(robot, alarm, data.get("seconds", SHELF), now))

    async def unshelve(self, request: Request) -> Response:
        """Take an alarm from the shelf."""
        robot, alarm = _words(await _body(request), "robot", "alarm")
        return await self._done(lambda fleet, now: fleet.unshelve(robot, alarm, now))

    async def confirm(self, request: Request) -> Response:
        """Say whether a robot was nominal since the last time: ``{"robot": ..., "nominal": true}``."""
        data = await _body(request)
        (robot,) = _words(data, "robot")
        return await self._done(lambda fleet, now: fleet.confirm(robot, data.get("nominal"), now))

    async def recalibration(self, request: Request) -> Response:
        """Begin, use or undo a recalibration of the alarm of a robot: ``{"robot": ...}``."""
        (robot,) = _words(await _body(request), "robot")
        match request.path_params["order"]:
            case "begin":
                return await self._done(lambda fleet, now: fleet.begin_recalibration(robot, now))
            case "undo":
                return await self._done(lambda fleet, now: fleet.undo_recalibration(robot, now))
            case "use":
                # The fit can take seconds: not in the thread of the service.
                alarm = await run_in_threadpool(await self._asked(lambda: self._service.fleet.recalibration(robot)))
                return await self._done(lambda fleet, now: fleet.use_alarm(robot, alarm, now))
        raise HTTPException(404, "expected begin, use or undo.")

    async def threshold(self, request: Request) -> Response:
        """Use another threshold; null for that of the alarm."""
        data = await _body(request)
        if "threshold" not in data:
            raise HTTPException(400, "give the threshold: a number, or null for that of the alarm.")
        return await self._done(lambda fleet, now: fleet.set_threshold(data["threshold"], now))

    async def reload(self, request: Request) -> Response:
        """Read the deployable folder anew and use it."""
        return _told(await self._asked(self._service.reload))

    async def metrics(self, request: Request) -> Response:
        """Return the metrics in the text format of Prometheus."""
        text = await self._asked(lambda: metrics_text(self._service, time.time()))
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def healthz(self, request: Request) -> Response:
        """Say whether the process lives; robots that are silent do not matter."""
        silent = time.monotonic() - self._service.turned
        return PlainTextResponse("ok\n") if silent < ALIVE else PlainTextResponse(f"no turn for {silent:.0f} s\n", 503)

    async def readyz(self, request: Request) -> Response:
        """Say whether samples are taken: the model is loaded, and the service is not ending."""
        ready = self._service.ready and not self._service.inbox.closed
        return PlainTextResponse("ready\n") if ready else PlainTextResponse("not ready\n", 503)

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return HTMLResponse((files(PACKAGE) / "static" / "watch.html").read_text(encoding="utf-8"))

    async def static(self, request: Request) -> Response:
        """Return the script or the style sheet of the page."""
        name = request.path_params["name"]
        if name == "watch.css":
            found = [(files(package) / path).read_text(encoding="utf-8") for package, path in STYLES]
            return Response("\n".join(found), media_type="text/css", headers={"cache-control": "no-cache"})
        if name != "watch.js":
            raise HTTPException(404, "There is no such file.")
        script = bundle(name, lambda each: module(each, PACKAGE, "offnominal.web"))
        return Response(script, media_type="text/javascript", headers={"cache-control": "no-cache"})

    async def _done(self, action: Callable[[Fleet, float], list[Event]]) -> Response:
        return _told(await self._asked(lambda: self._service.do(action)))

    async def _asked(self, function: Callable[[], Any]) -> Any:
        """Return what a function returns in the thread of the service, between two samples."""
        future = asyncio.wrap_future(self._service.inbox.call(function))
        try:
            return await asyncio.wait_for(future, ANSWER)
        except TimeoutError:
            raise HTTPException(503, f"the service gave no answer in {ANSWER:g} s.") from None


def _arrived(body: bytes) -> list[Arrived]:
    """Return the samples of a request; each line is a sample, or an array of samples."""
    now = time.time()
    text = body.strip()
    if text.startswith(b"["):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            # It is refused and counted as one line.
            return [Arrived(text[:100], now)]
        return [Arrived(each, now) for each in data]
    return [Arrived(line, now) for line in text.split(b"\n") if line.strip()]


async def _body(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise HTTPException(400, "send a JSON object.")
    return data


def _words(data: dict[str, Any], *names: str) -> list[str]:
    found = [data.get(name) for name in names]
    if not all(isinstance(word, str) for word in found):
        raise HTTPException(400, f"give {' and '.join(names)} as texts.")
    return [str(word) for word in found]


def _told(events: Sequence[Event]) -> Response:
    return JSONResponse({"events": [event.to_dict() for event in events]})


async def _until_closed(socket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive()


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, UnknownName) else 400)
