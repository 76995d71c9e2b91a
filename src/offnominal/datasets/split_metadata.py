"""Metadata of the episodes of a split, readable without their arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.episode import Episode, Event
from offnominal.core.errors import UnsupportedFormat
from offnominal.core.types import BoolArray, IntArray
from offnominal.datasets.layout import Signal

FORMAT = 1


@dataclass(frozen=True, slots=True)
class SplitMetadata:
    """Seeds, lengths, terminations and faults of episodes.

    Args:
        signals: Signals of every episode.
        seeds: Seed of each episode.
        lengths: Number of transitions of each episode.
        terminated: Whether the world ended each episode.
        events: Faults of each episode.
    """

    signals: tuple[Signal, ...]
    seeds: IntArray
    lengths: IntArray
    terminated: BoolArray
    events: tuple[tuple[Event, ...], ...]

    @classmethod
    def of(cls, signals: tuple[Signal, ...], episodes: Sequence[Episode]) -> SplitMetadata:
        """Return the metadata of episodes."""
        return cls(
            signals,
            np.array([episode.seed for episode in episodes], np.int64),
            np.array([len(episode) for episode in episodes], np.int64),
            np.array([episode.terminated for episode in episodes], np.bool_),
            tuple(episode.events for episode in episodes),
        )

    @classmethod
    def joined(cls, parts: Sequence[SplitMetadata]) -> SplitMetadata:
        """Return the metadata of several parts of a split."""
        return cls(
            parts[0].signals,
            np.concatenate([part.seeds for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.terminated for part in parts]),
            tuple(events for part in parts for events in part.events),
        )

    def part(self, first: int, last: int) -> SplitMetadata:
        """Return the metadata of the episodes first .. last - 1."""
        chosen = slice(first, last)
        return SplitMetadata(
            self.signals, self.seeds[chosen], self.lengths[chosen], self.terminated[chosen], self.events[chosen]
        )

    @property
    def rows(self) -> IntArray:
        """Number of rows of each episode: one per observation."""
        return self.lengths + 1

    def to_json(self, **more: Any) -> str:
        """Return the metadata as JSON; each distinct fault is stored once and referenced by the events."""
        faults: dict[tuple[Any, ...], int] = {}
        listed = [(number, event) for number, events in enumerate(self.events) for event in events]
        data = {
            "format": FORMAT,
            "signals": [[signal.name, signal.dtype, signal.shape, signal.closed] for signal in self.signals],
            "seeds": self.seeds.tolist(),
            "lengths": self.lengths.tolist(),
            "terminated": self.terminated.astype(int).tolist(),
            "event_episode": [number for number, _ in listed],
            "event_fault": [
                faults.setdefault((event.anomaly, event.parameter, event.channels), len(faults)) for _, event in listed
            ],
            "event_onset": [event.onset for _, event in listed],
            "event_end": [event.end for _, event in listed],
            "faults": list(faults),
            **more,
        }
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> SplitMetadata:
        """Return the metadata of parsed JSON."""
        if data.get("format") != FORMAT:
            raise UnsupportedFormat(f"it has format {data.get('format')}; this version reads format {FORMAT}")
        faults = [(anomaly, float(parameter), tuple(channels)) for anomaly, parameter, channels in data["faults"]]
        events: list[list[Event]] = [[] for _ in data["seeds"]]
        for number, fault, onset, end in zip(
            data["event_episode"], data["event_fault"], data["event_onset"], data["event_end"], strict=True
        ):
            anomaly, parameter, channels = faults[fault]
            events[number].append(Event(anomaly, parameter, onset, end, channels))
        return cls(
            tuple(Signal(name, dtype, tuple(shape), closed) for name, dtype, shape, closed in data["signals"]),
            np.array(data["seeds"], np.int64),
            np.array(data["lengths"], np.int64),
            np.array(data["terminated"], np.bool_),
            tuple(map(tuple, events)),
        )
