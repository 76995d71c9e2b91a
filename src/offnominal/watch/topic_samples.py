"""Samples of messages of topics, with the names of the import of bags."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from offnominal.datasets.logs.message_numbers import numbers_of
from offnominal.watch.deployment import Deployment

PAUSE_PERIODS = 5.0
"""A pause of more nominal periods begins an episode, as in the import of bags."""


class TopicSamples:
    """Makes samples of one robot from the messages of its topics.

    The channels of a deployable folder that was made from a bag are named ``TOPIC.FIELD``. A message makes a sample if
    each topic of these channels has had one since the last sample; it has the last value of every channel. The import
    of bags has a row for each message of the slowest topic: the samples are these rows if every other topic has a
    message between any two of them.

    Args:
        deployment: The folder.
        robot: Name of the robot.
        session: Session of the samples.

    Example:
        >>> from types import SimpleNamespace as Part
        >>> manifest = Part(observations=("/arm.angle", "/motor.current"), actions=(), discrete_actions=False)
        >>> folder = Part(manifest=manifest, checks=Part(timing=Part(period=0.1)))
        >>> found = TopicSamples(folder, "r1")
        >>> found.take("/arm", 0.0, {"angle": 0.5}), found.take("/arm", 0.1, {"angle": 0.6})
        (None, None)
        >>> found.take("/motor", 0.1, {"current": 2.0})
        {'robot': 'r1', 'seq': 0, 'time': 0.1, 'observation': [0.6, 2.0], 'start': True}
    """

    def __init__(self, deployment: Deployment, robot: str, session: str = "") -> None:
        manifest = deployment.manifest
        self._robot, self._session = robot, session
        self._observations, self._actions = manifest.observations, manifest.actions
        self._discrete = manifest.discrete_actions
        self._longest = PAUSE_PERIODS * deployment.checks.timing.period or math.inf
        self._names = (*self._observations, *self._actions)
        self._values: dict[str, float] = {}
        self._channels: dict[str, list[str]] = {}
        self._fresh: set[str] = set()
        self._last: float | None = None
        self._number = 0

    def wants(self, topic: str) -> bool:
        """Return whether a topic has channels of the folder."""
        if topic not in self._channels:
            self._channels[topic] = [name for name in self._names if name.startswith(f"{topic}.")]
        return bool(self._channels[topic])

    def missing(self) -> list[str]:
        """Return the channels that had no value yet."""
        return [name for name in self._names if name not in self._values]

    def take(self, topic: str, time: float, message: Any) -> dict[str, Any] | None:
        """Return the sample that a message completes; None if it completes none.

        Args:
            topic: Topic of the message.
            time: Its time in seconds.
            message: Its content.
        """
        if not self.wants(topic):
            return None
        found = dict(numbers_of(message))
        for name in self._channels[topic]:
            self._values[name] = found.get(name[len(topic) + 1 :], math.nan)
        self._fresh.add(topic)
        waits = any(names and each not in self._fresh for each, names in self._channels.items())
        if waits or len(self._values) < len(self._names):
            return None
        self._fresh.clear()
        return self._sample(time)

    def _sample(self, time: float) -> dict[str, Any]:
        begins = self._last is None or time - self._last > self._longest
        sample: dict[str, Any] = {"robot": self._robot, "seq": self._number, "time": time}
        if self._session:
            sample["session"] = self._session
        sample["observation"] = self._vector(self._observations)
        if self._actions:
            values = self._vector(self._actions)
            sample["action"] = _integer(values[0]) if self._discrete else values
        if begins:
            sample["start"] = True
        self._number, self._last = self._number + 1, time
        return sample

    def _vector(self, names: Iterable[str]) -> list[float | None]:
        return [None if math.isnan(value) else value for value in (self._values[name] for name in names)]


def _integer(value: float | None) -> Any:
    return int(value) if value is not None and value.is_integer() else value
