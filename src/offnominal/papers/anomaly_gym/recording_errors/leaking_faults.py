"""Faults that are never undone: after their first episode they act from the first step on, but are labelled later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule
from offnominal.core.episode import Episode, Event
from offnominal.datasets.plan import Plan
from offnominal.datasets.recording_changes import EpisodeChange, RecordingChange
from offnominal.worlds.world_source import WorldSource, open_world


class LeakingFaults(RecordingChange):
    """Faults are never undone: from the second episode of a split on they act from the first step.

    Labels and events begin at the onset all the same.
    """

    def acting_faults(self, faults: tuple[Fault, ...], number: int) -> tuple[Fault, ...]:
        """Return the faults; those of an earlier episode act from the first step."""
        return tuple(map(never_undone, faults)) if number > 0 and self.affects(faults) else faults

    def episode_change(self, plan: Plan, world: WorldSource, max_steps: int | None) -> EpisodeChange | None:
        """Return what labels an episode as if its faults followed their schedule."""
        if not self.affects(plan.faults):
            return None
        events = scheduled_events(world, plan.faults, plan.seeds.tolist(), max_steps)
        return lambda episode, number: labelled(episode, events[int(plan.seeds[number])]) if number > 0 else episode


def never_undone(fault: Fault) -> Fault:
    """Return the fault as it acts in later episodes: from the first step to the end.

    Example:
        >>> never_undone(Fault("dynamics/force", 0.5)).resolved_schedule.onset
        'start'
    """
    return replace(fault, schedule=Schedule("start"))


def scheduled_events(
    world: WorldSource, faults: tuple[Fault, ...], seeds: Sequence[int], max_steps: int | None = None
) -> dict[int, tuple[Event, ...]]:
    """Return the events of episodes whose faults follow their schedules, by seed, without a simulation."""
    with open_world(world, 1) as sample:
        environment = EnvironmentInfo.of(sample, max_steps or sample.card.max_steps)
        injection, row = Injection([faults], environment), np.zeros(1, np.int64)
        found = {}
        for seed in seeds:
            injection.begin(row, np.array([seed]), row)
            found[seed] = injection.events(0)
    return found


def labelled(episode: Episode, events: tuple[Event, ...]) -> Episode:
    """Return an episode with labels that begin at the onset of its events, whatever acted before."""
    steps = np.arange(len(episode))
    active = np.zeros(len(episode), np.bool_)
    for event in events:
        active |= (steps >= event.onset) & (steps < (len(episode) if event.end is None else event.end))
    return replace(episode, active=active, events=events)
