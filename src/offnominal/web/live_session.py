"""A live run in its own thread, and the clients that watch it."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from offnominal.core.errors import InvalidParameter, InvalidState, OffnominalError, UnknownName
from offnominal.core.types import Frame
from offnominal.reports.colours import colours
from offnominal.web.broadcast import Broadcast, Client
from offnominal.web.fault_choices import fault_choices
from offnominal.web.live_run import LiveRun, LiveSettings
from offnominal.web.nominal_fit import NominalFit, fit_nominal
from offnominal.worlds.catalogue import worlds

GRACE = 5.0
"""Seconds that a run goes on without clients, so that a page can be reloaded."""
PICTURE_RATE, PICTURE_SIZE, PICTURE_QUALITY = 10.0, 320, 82
MOST_EXPLANATIONS = 4
LOGGER = logging.getLogger("offnominal.web")

Fit = Callable[..., NominalFit]


class LiveSession:
    """A live run in its own thread, and the clients that watch it.

    Args:
        settings: Settings of the run.
        loop: Event loop of the clients.
        on_end: Called in the loop when the run has ended.
        folder: Folder of fitted detectors; see :func:`~offnominal.web.nominal_fit.fit_nominal`.
        grace: Seconds that it goes on without clients.
    """

    def __init__(
        self,
        settings: LiveSettings,
        loop: asyncio.AbstractEventLoop,
        *,
        on_end: Callable[[LiveSession], None],
        folder: Path | None = None,
        grace: float = GRACE,
    ) -> None:
        self.id = secrets.token_urlsafe(6)
        self.settings = settings
        self.rate, self.paused, self.ended = settings.rate, False, False
        self._memory = LiveMemory()
        self.broadcast = Broadcast(loop, self._memory.add)
        self._loop, self._on_end, self._folder, self._grace = loop, on_end, folder, grace
        self._orders: SimpleQueue[tuple[Callable[[LiveRun], Any], Future[Any]] | None] = SimpleQueue()
        self._explainer = ThreadPoolExecutor(1, "live-evidence")
        self._explaining = 0
        self._hello: str | None = None
        self._progress: str | None = None
        self._thread = Thread(target=self._main, name=f"live-{self.id}", daemon=True)
        self._thread.start()

    def join(self) -> Client:
        """Add a client, which first gets what it needs to know of the run; called in the event loop."""
        client = Client()
        greeting = [text for text in (self._hello, self._progress, self._state()) if text is not None]
        client.offer(events=greeting + self._memory.events())
        self.broadcast.clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """Remove a client; the run ends some seconds after the last one has left."""
        self.broadcast.clients.discard(client)
        if not self.broadcast.clients:
            self._loop.call_later(self._grace, self._end_if_alone)

    def _end_if_alone(self) -> None:
        if not self.broadcast.clients:
            self.stop()

    def stop(self) -> None:
        """End the run."""
        self.ended = True
        self._orders.put(None)

    def order(self, action: Callable[[LiveRun], Any]) -> Future[Any]:
        """Let the run's thread call a function with the run between two steps.

        Raises:
            InvalidState: The run has ended, or its detectors are not fitted yet.
        """
        if self.ended or self._hello is None:
            raise InvalidState("the run has ended." if self.ended else "the detectors are not fitted yet; wait.")
        future: Future[Any] = Future()
        self._orders.put((action, future))
        return future

    def set_rate(self, rate: float) -> None:
        """Set the number of steps per second."""
        self.rate = rate
        self._wake()

    def set_paused(self, paused: bool) -> None:
        """Pause or resume the run."""
        self.paused = paused
        self._wake()

    def explain(self, detector: int) -> Future[Any]:
        """Publish the evidence of the latest score of a detector."""
        if not 0 <= detector < len(self.settings.detectors):
            raise InvalidParameter(f"detector is {detector}; expected 0 to {len(self.settings.detectors) - 1}.")
        return self.order(lambda run: self._explain(run, detector))

    def _wake(self) -> None:
        self.broadcast.publish(events=[self._state()])
        self._orders.put((lambda run: None, Future()))

    def _state(self) -> str:
        return message("state", paused=self.paused, rate=self.rate)

    def _main(self) -> None:
        try:
            fit = fit_nominal(self.settings, folder=self._folder, report=self._report)
            run = LiveRun(self.settings, fit)
            self._warm_up(run)
            self._progress, self._hello = None, self._greeting(fit)
            self.broadcast.publish(events=[self._hello])
            self._loop_steps(run)
            run.close()
        except OffnominalError as error:
            self.broadcast.publish(events=[error_message(error)])
        except Exception:
            LOGGER.exception("the live run %s failed", self.id)
            self.broadcast.publish(
                events=[message("error", error="Defect", message="The run failed; see the terminal.")]
            )
        finally:
            self.ended = True
            self.broadcast.publish(events=[message("ended")])
            self._refuse_orders()
            self._explainer.shutdown(wait=False, cancel_futures=True)
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._on_end, self)

    def _report(self, text: str, share: float) -> None:
        if self.ended:
            raise InvalidState("the run has ended.")
        self._progress = message("progress", text=text, share=round(share, 3))
        self.broadcast.publish(events=[self._progress])

    def _warm_up(self, run: LiveRun) -> None:
        """Make one step and one image, so that what is compiled on first use does not hold the run up."""
        self._report("Starting the world", 1.0)
        run.step()
        run.frame(PICTURE_SIZE)
        run.take_events()
        run.reset(self.settings.seed)

    def _loop_steps(self, run: LiveRun) -> None:
        """Step at the chosen rate, and carry out orders between steps, until the run is stopped."""
        due, picture_due = time.monotonic(), 0.0
        while not self.ended:
            now = time.monotonic()
            wait = None if self.paused else due - now
            if wait is None or wait > 0.0:
                self._carry_out(run, wait)
                continue
            result = run.step()
            # A run that fell behind does not catch up: it goes on at its rate from now.
            due = max(due + 1.0 / self.rate, now)
            picture = None
            if now >= picture_due and self.broadcast.clients:
                picture_due = max(picture_due + 1.0 / PICTURE_RATE, now)
                picture = encoded(run.frame(PICTURE_SIZE))
            self.broadcast.publish(
                numbers=[as_json(result.message)], events=map(as_json, run.take_events()), picture=picture
            )
            for detector in result.alarmed:
                self._explain(run, detector)
            self._carry_out(run, 0.0)

    def _carry_out(self, run: LiveRun, timeout: float | None) -> None:
        """Carry out one order, if it comes within a time."""
        try:
            order = self._orders.get(timeout=timeout) if timeout is None or timeout > 0 else self._orders.get_nowait()
        except Empty:
            return
        if order is None:
            return
        action, future = order
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(action(run))
            except Exception as error:
                future.set_exception(error)
        picture = encoded(run.frame(PICTURE_SIZE)) if self.paused else None
        self.broadcast.publish(events=map(as_json, run.take_events()), picture=picture)

    def _refuse_orders(self) -> None:
        """Answer the orders that came too late."""
        while True:
            try:
                order = self._orders.get_nowait()
            except Empty:
                return
            if order is not None and order[1].set_running_or_notify_cancel():
                order[1].set_exception(InvalidState("the run has ended."))

    def _explain(self, run: LiveRun, detector: int) -> None:
        if self._explaining >= MOST_EXPLANATIONS:
            return
        self._explaining += 1
        compute = run.explain(detector)

        def publish() -> None:
            try:
                self.broadcast.publish(events=[as_json(compute())])
            except OffnominalError as error:
                self.broadcast.publish(events=[error_message(error)])
            finally:
                self._explaining -= 1

        self._explainer.submit(publish)

    def _greeting(self, fit: NominalFit) -> str:
        card, shades = worlds.card(self.settings.world), colours(self.settings.detectors)
        return message(
            "hello",
            run=self.id,
            settings=self.settings.to_dict(),
            dt=card.dt,
            max_steps=card.max_steps,
            observation=[str(channel) for channel in card.observation],
            action=[str(channel) for channel in card.action],
            mean=[float(value) for value in fit.mean],
            scale=[float(value) for value in fit.scale],
            faults=fault_choices(self.settings.world, images=self.settings.uses_images),
            detectors=[
                {
                    "id": monitor.id,
                    "colour": shades[monitor.id],
                    "threshold": float(monitor.alarm.threshold_),
                    "guarantee": str(monitor.alarm.guarantee),
                }
                for monitor in fit.monitors
            ],
        )


class LiveRuns:
    """All live runs of a server.

    Args:
        most: Largest number of runs at the same time.
        folder: Folder of fitted detectors; see :class:`LiveSession`.
        grace: Seconds that a run goes on without clients.
    """

    def __init__(self, most: int, *, folder: Path | None = None, grace: float = GRACE) -> None:
        self.most, self.folder, self.grace = most, folder, grace
        self.sessions: dict[str, LiveSession] = {}

    def start(self, settings: LiveSettings) -> LiveSession:
        """Start a run; called in the event loop.

        Raises:
            InvalidState: There are too many.
        """
        if len(self.sessions) >= self.most:
            raise InvalidState(f"{self.most} live runs are going, which is the most; close the page of one of them.")
        session = LiveSession(
            settings, asyncio.get_running_loop(), on_end=self._forget, folder=self.folder, grace=self.grace
        )
        self.sessions[session.id] = session
        return session

    def get(self, id: str) -> LiveSession:
        """Return a run by its id.

        Raises:
            UnknownName: There is no such run, or it has ended.
        """
        session = self.sessions.get(id)
        if session is None or session.ended:
            raise UnknownName(f"there is no live run {id[:40]!r}; it may have ended.")
        return session

    def close(self) -> None:
        """End all runs."""
        for session in list(self.sessions.values()):
            session.stop()

    def _forget(self, session: LiveSession) -> None:
        self.sessions.pop(session.id, None)


def as_json(data: Any) -> str:
    """Return data as compact JSON."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def message(kind: str, **values: Any) -> str:
    """Return a message to clients.

    Example:
        >>> message("ended")
        '{"type":"ended"}'
    """
    return as_json({"type": kind, **values})


def error_message(error: OffnominalError) -> str:
    """Return the message of an error: its class and its text."""
    return message("error", error=type(error).__name__, message=str(error))


def encoded(frame: Frame) -> bytes:
    """Return an image as JPEG, which is encoded several times faster than WebP."""
    from PIL import Image

    file = BytesIO()
    Image.fromarray(frame).save(file, "JPEG", quality=PICTURE_QUALITY)
    return file.getvalue()


MOST_ALARMS = 60
"""Number of alarms that are told again; the page lists as many."""


class LiveMemory:
    """The episode, the faults that are on, the last alarms and the last evidence of a live run.

    Example:
        >>> memory = LiveMemory()
        >>> memory.add('{"type":"fault","state":"on","id":1}')
        >>> memory.add('{"type":"alarm","delay":3}')
        >>> memory.events()
        ['{"type":"fault","state":"on","id":1,"recalled":true}', '{"type":"alarm","delay":3,"recalled":true}']
        >>> memory.add('{"type":"fault","state":"off","id":1}')
        >>> memory.events()
        ['{"type":"alarm","delay":3,"recalled":true}']
    """

    def __init__(self) -> None:
        self._latest: dict[str, dict[str, Any]] = {}
        self._faults: dict[int, dict[str, Any]] = {}
        self._alarms: deque[dict[str, Any]] = deque(maxlen=MOST_ALARMS)

    def add(self, event: str) -> None:
        """Remember a message that is sent to all clients."""
        message = json.loads(event)
        kind = message["type"]
        if kind == "fault":
            self._faults.pop(message["id"], None)
            if message["state"] == "on":
                self._faults[message["id"]] = message
        elif kind == "alarm":
            self._alarms.append(message)
        elif kind in ("episode", "evidence"):
            self._latest[kind] = message

    def events(self) -> list[str]:
        """Return the messages for a client that joins; each says that it is recalled."""
        episode, evidence = ([self._latest[kind]] if kind in self._latest else [] for kind in ("episode", "evidence"))
        told = [*episode, *self._faults.values(), *self._alarms, *evidence]
        return [json.dumps({**each, "recalled": True}, separators=(",", ":")) for each in told]
