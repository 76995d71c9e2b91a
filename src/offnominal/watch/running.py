"""Starts and stops the service of `offnominal watch`."""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency, OffnominalError
from offnominal.watch.deployment import Deployment
from offnominal.watch.fleet import Fleet
from offnominal.watch.inbox import CAPACITY, Inbox
from offnominal.watch.line_source import LineSource
from offnominal.watch.mqtt import MqttLink
from offnominal.watch.outbox import Outbox
from offnominal.watch.rules import Rules
from offnominal.watch.service import LOGGER, Service
from offnominal.watch.sink import LineSink
from offnominal.watch.system_manager import tell_manager
from offnominal.watch.webhook import Webhook

if TYPE_CHECKING:
    from offnominal.watch.mcap_source import McapSource

MCAP = ".mcap"


@dataclass(frozen=True)
class WatchOptions:
    """What the service reads and writes.

    Args:
        folder: The deployable folder.
        source: File of samples as JSON lines, or an MCAP file; None for standard input, if `lines` is set.
        lines: Whether samples come as lines, or from an MCAP file, at all.
        robot: Name of the robot of an MCAP file, or of the topics of ROS 2.
        follow: Whether to wait for more at the end of the file.
        out: File to which events are appended; None for standard output.
        scores: Whether scores are written, too.
        rules: When conditions become alarms.
        threshold: Threshold of the statistic instead of that of the alarm.
        checkpoint: File of the checkpoint.
        every: Seconds between two checkpoints.
        webhook: Address that gets events.
        webhook_token: Token for it.
        mqtt: Address of an MQTT broker for samples and events.
        ros: Whether to take samples from topics of ROS 2, and to publish diagnostics.
        capacity: Samples that wait at most.
        port: Port of the HTTP server; None for none.
        host: Address of the HTTP server.
        token: What its clients must present.
        allowed_hosts: Further names of the HTTP server.
    """

    folder: Path
    source: Path | None = None
    lines: bool = True
    robot: str = "robot"
    follow: bool = False
    out: Path | None = None
    scores: bool = False
    rules: Rules | None = None
    threshold: float | None = None
    checkpoint: Path | None = None
    every: float = 1.0
    webhook: str = ""
    webhook_token: str = ""
    mqtt: str = ""
    ros: bool = False
    capacity: int = CAPACITY
    port: int | None = None
    host: str = "127.0.0.1"
    token: str = ""
    allowed_hosts: tuple[str, ...] = ()


def watch(options: WatchOptions, *, announce: Callable[[str], object] = lambda address: None) -> Service:
    """Run the service until the input ends, or until SIGTERM or Ctrl-C; return it for its counts.

    With an HTTP server, MQTT or ROS 2, the end of the input does not end it.

    SIGHUP reads the deployable folder anew. The first line that is written has the last number of every robot, so that
    a robot can send what came after it again.

    Args:
        options: What it reads and writes.
        announce: Called with the address of the HTTP server.
    """
    deployment = Deployment.load(options.folder)
    fleet = Fleet(deployment, options.rules, threshold=options.threshold)
    inbox, outbox = Inbox(options.capacity), Outbox()
    lines = LineSink(options.out, scores=options.scores)
    service = Service(fleet, inbox, [lines], outbox=outbox, checkpoint=options.checkpoint, every=options.every)
    resumed = service.resume()
    if options.webhook:
        source = f"/offnominal/{deployment.manifest.name}"
        service.add(Webhook(options.webhook, outbox, source=source, token=options.webhook_token))
    with _messages(), _signals(service), _server(service, options) as address:
        lines.note(_started(fleet, resumed))
        if options.mqtt:
            service.add(MqttLink(options.mqtt, inbox, name=deployment.manifest.name))
        if options.ros:
            from offnominal.watch.ros_link import RosLink

            link = RosLink(inbox, deployment, robot=options.robot)
            # Alarms of the checkpoint hold without an event.
            link.events(fleet.standing(time.time()))
            service.add(link)
        if options.lines:
            _source(
                deployment, inbox, options, on_end=None if address or options.mqtt or options.ros else inbox.close
            ).start()
        if address:
            announce(address)
        tell_manager("READY=1")
        service.run()
        tell_manager("STOPPING=1")
    return service


def _source(
    deployment: Deployment, inbox: Inbox, options: WatchOptions, on_end: Callable[[], object] | None
) -> LineSource | McapSource:
    if options.source is not None and options.source.suffix.lower() == MCAP:
        from offnominal.watch.mcap_source import McapSource

        return McapSource(inbox, options.source, deployment, robot=options.robot, follow=options.follow, on_end=on_end)
    return LineSource(inbox, options.source, follow=options.follow, on_end=on_end)


@contextmanager
def _server(service: Service, options: WatchOptions) -> Iterator[str]:
    """Serve HTTP if there is a port; yield the address, or an empty text."""
    if options.port is None:
        yield ""
        return
    try:
        from offnominal.watch.http_server import serving
        from offnominal.watch.live_view import LiveView
        from offnominal.web.access import Access
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "websockets", "h11"):
            raise
        raise MissingDependency(
            f'HTTP needs {error.name}; install it with `pip install "offnominal[watch]"`.'
        ) from None
    access = Access(host=options.host, port=options.port, token=options.token, allowed_hosts=options.allowed_hosts)
    view = LiveView()
    service.add(view)
    with serving(service, view, access) as address:
        yield address


def _started(fleet: Fleet, resumed: bool) -> dict[str, Any]:
    manifest = fleet.deployment.manifest
    robots = {name: {"session": each.order.session, "seq": each.order.last} for name, each in fleet.robots.items()}
    return {
        "type": "started",
        "name": manifest.name,
        "model": fleet.scorer.digest,
        "detector": manifest.detector,
        "alarm": manifest.alarm,
        "threshold": fleet.scorer.threshold,
        "guarantee": fleet.scorer.guarantee,
        "resumed": resumed,
        "robots": robots,
    }


@contextmanager
def _messages() -> Iterator[None]:
    """Write messages of the service to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)


@contextmanager
def _signals(service: Service) -> Iterator[None]:
    """End gracefully by SIGTERM and Ctrl-C, and read the folder anew by SIGHUP, if this is the main thread."""

    def stop(number: int, frame: FrameType | None) -> None:
        service.inbox.close()

    def reload(number: int, frame: FrameType | None) -> None:
        service.inbox.call(_quietly(service))

    before = {}
    with suppress(ValueError):
        for number, handler in ((signal.SIGTERM, stop), (signal.SIGINT, stop), (signal.SIGHUP, reload)):
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _quietly(service: Service) -> Any:
    def reload() -> None:
        with suppress(OffnominalError):
            service.reload()

    return reload
