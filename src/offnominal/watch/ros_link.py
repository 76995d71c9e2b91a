"""Topics of ROS 2 as input, and alarms as diagnostics of ROS 2, by rclpy."""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Iterable, Mapping
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any

from offnominal.core.errors import MissingDependency
from offnominal.watch.deployment import Deployment
from offnominal.watch.event import Event
from offnominal.watch.inbox import Arrived, Inbox
from offnominal.watch.topic_samples import TopicSamples

LOGGER = logging.getLogger("offnominal.watch")
NODE, TOPIC = "offnominal_watch", "/diagnostics"
QUEUED = 100
PERIOD = 1.0
"""Seconds between two looks for new topics, and between two messages with all alarms: diagnostics are repeated."""
OF_OPERATORS = ("confirmed_", "recalibrat")
"""Begins of the kinds of events that tell what an operator did, and change no alarm."""
SPIN, CLOSING = 0.2, 3.0
SECOND = 1e9
TOLD = ("sequence", "score", "statistic", "threshold", "value", "episode", "step", "suppressed", "model")


class RosLink:
    """Subscribes to the topics of a deployable folder, and publishes ``diagnostic_msgs/DiagnosticArray``.

    The topics are those whose numbers are channels of the folder, as the import of bags names them. They are subscribed
    to as soon as someone publishes them, with the profile of sensor data, so that best effort is enough. If too many
    samples wait, the oldest are dropped and counted. Each start is another session, in which an episode begins.

    Alarms are published on ``/diagnostics`` when they change, and all of them each second: an alarm that holds is an
    error with the priority high, else a warning; ``stale`` has the level of that name; one that is cleared or shelved
    is OK. The status of the monitor itself says that it is alive; it is a warning while a channel has had no message.

    Args:
        inbox: Where samples go.
        deployment: The folder.
        robot: Name of the robot.

    Raises:
        MissingDependency: There is no ROS 2 for this Python.
    """

    def __init__(self, inbox: Inbox, deployment: Deployment, *, robot: str = "robot") -> None:
        try:
            import rclpy
            from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
            from rclpy.context import Context
            from rclpy.executors import SingleThreadedExecutor
            from rclpy.qos import qos_profile_sensor_data
            from rosidl_runtime_py.utilities import get_message
        except ImportError as error:
            raise MissingDependency(
                f"ROS 2 needs {error.name or 'rclpy'}, which comes with ROS 2 and not by pip; run `source "
                "/opt/ros/DISTRIBUTION/setup.bash` first, with a Python of that distribution."
            ) from None
        self._array, self._status, self._pair = DiagnosticArray, DiagnosticStatus, KeyValue
        self._class_of, self._quality = get_message, qos_profile_sensor_data
        self._inbox, self._name = inbox, deployment.manifest.name
        self._samples = TopicSamples(deployment, robot, f"ros-{time.time_ns()}")
        self._alarms: dict[tuple[str, str], Event] = {}
        self._topics: set[str] = set()
        self._lock, self._stop = Lock(), Flag()
        # A context of its own: the signals are those of the service.
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node(NODE, context=self._context)
        self._publisher = self._node.create_publisher(DiagnosticArray, TOPIC, QUEUED)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._subscribe()
        self._node.create_timer(PERIOD, self._repeat)
        self._thread = Thread(target=self._spin, name="ros", daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        while not self._stop.is_set():
            try:
                self._executor.spin_once(timeout_sec=SPIN)
            except Exception:
                LOGGER.exception("a message of ROS 2 was not processed")
                self._stop.wait(SPIN)

    def _repeat(self) -> None:
        self._subscribe()
        with self._lock:
            alarms = list(self._alarms.values())
        self._publish(alarms)

    def _subscribe(self) -> None:
        """Subscribe to wanted topics that are new."""
        for topic, kinds in self._node.get_topic_names_and_types():
            if topic in self._topics or not kinds or not self._samples.wants(topic):
                continue
            self._topics.add(topic)
            try:
                kind = self._class_of(kinds[0])
            except (ImportError, AttributeError, ValueError) as error:
                LOGGER.error("topic %s has the type %s, which is not installed: %s", topic, kinds[0], error)
                continue
            self._node.create_subscription(kind, topic, self._callback(topic), self._quality)

    def _callback(self, topic: str) -> Any:
        def take(message: Any) -> None:
            now = self._node.get_clock().now().nanoseconds / SECOND
            sample = self._samples.take(topic, now, plain(message))
            if sample is not None:
                self._inbox.push([Arrived(sample, time.time())])

        return take

    def events(self, events: Iterable[Event]) -> None:
        """Publish alarms that have changed."""
        changed = [event for event in events if event.alarm and not event.kind.startswith(OF_OPERATORS)]
        with self._lock:
            for event in changed:
                self._alarms[event.robot, event.alarm] = event
                if event.state == "normal" and not event.shelved:
                    del self._alarms[event.robot, event.alarm]
        if changed:
            self._publish(changed)

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Scores are not published."""

    def close(self) -> None:
        """Leave the network of ROS."""
        self._stop.set()
        self._thread.join(CLOSING)
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.shutdown()

    def _publish(self, alarms: Iterable[Event]) -> None:
        message = self._array()
        message.header.stamp = self._node.get_clock().now().to_msg()
        missing = self._samples.missing()
        own = self._status(
            level=self._status.WARN if missing else self._status.OK,
            name=f"offnominal: {self._name}",
            message=f"no message with the channel {missing[0]}" if missing else f"{len(self._alarms)} alarms",
            hardware_id="",
        )
        message.status = [own, *map(self._status_of, alarms)]
        self._publisher.publish(message)

    def _status_of(self, event: Event) -> Any:
        data = event.to_dict()
        pairs = {name: data[name] for name in TOLD if name in data}
        pairs |= {f"evidence {channel}": part for channel, part in (event.evidence or {}).items()}
        return self._status(
            level=self._level(event),
            name=f"offnominal: {event.robot} {event.alarm}",
            message=event.state + (", shelved" if event.shelved else ""),
            hardware_id=event.robot,
            values=[self._pair(key=name, value=str(value)) for name, value in pairs.items()],
        )

    def _level(self, event: Event) -> Any:
        if event.shelved or event.state not in ("active", "acknowledged"):
            return self._status.OK
        if event.alarm == "stale":
            return self._status.STALE
        return self._status.ERROR if event.priority == "high" else self._status.WARN


def plain(message: Any) -> Any:
    """Return a message of rclpy as mappings, lists and numbers.

    Example:
        >>> class Vector:
        ...     x = 1.5
        ...
        ...     def get_fields_and_field_types(self):
        ...         return {"x": "double"}
        >>> plain({"velocity": Vector(), "names": ["a"]})
        {'velocity': {'x': 1.5}, 'names': ['a']}
    """
    if hasattr(message, "get_fields_and_field_types"):
        return {name: plain(getattr(message, name)) for name in message.get_fields_and_field_types()}
    if isinstance(message, Mapping):
        return {name: plain(part) for name, part in message.items()}
    if isinstance(message, array):
        return message.tolist()
    return [plain(part) for part in message] if isinstance(message, list | tuple) else message
