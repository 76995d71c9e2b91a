"""A stand-in for the parts of rclpy that the monitor uses, in one process: no network, no types, no quality of service.

It is written after the documentation of rclpy: names and arguments of calls, and that callbacks run in `spin_once` of
the executor to which the node was added.
"""

import time
from types import SimpleNamespace

TYPES: dict[str, str] = {}
"""Type of each topic that someone publishes."""
SUBSCRIPTIONS: dict[str, list] = {}
PUBLISHED: list = []
"""Topic and message of all that nodes have published."""


def reset():
    TYPES.clear()
    SUBSCRIPTIONS.clear()
    PUBLISHED.clear()


def send(topic, message):
    """Publish a message as another node does."""
    for node, callback in SUBSCRIPTIONS.get(topic, ()):
        node.waiting.append((callback, (message,)))


def init(*, args=None, context):
    assert args == []
    context.initialised = True


def create_node(name, *, context):
    assert context.initialised
    return Node(name, context)


class Node:
    def __init__(self, name, context):
        self.name, self.context = name, context
        self.waiting, self.timers = [], []
        self.destroyed = False

    def get_topic_names_and_types(self):
        return [(topic, [kind]) for topic, kind in TYPES.items()]

    def create_subscription(self, kind, topic, callback, qos):
        assert isinstance(kind, type)
        assert qos == "sensor data"
        SUBSCRIPTIONS.setdefault(topic, []).append((self, callback))

    def create_publisher(self, kind, topic, qos):
        assert isinstance(qos, int)
        return SimpleNamespace(publish=lambda message: PUBLISHED.append((topic, self._typed(kind, message))))

    def _typed(self, kind, message):
        assert isinstance(message, kind)
        return message

    def create_timer(self, period, callback):
        self.timers.append([period, time.monotonic() + period, callback])

    def get_clock(self):
        return SimpleNamespace(now=Time)

    def destroy_node(self):
        self.destroyed = True


class Time:
    fixed = None

    def __init__(self):
        self.nanoseconds = time.time_ns() if Time.fixed is None else Time.fixed

    def to_msg(self):
        return SimpleNamespace(sec=self.nanoseconds // 10**9, nanosec=self.nanoseconds % 10**9)
