"""Stand-in for faults that start and stop at run time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from offnominal.anomalies.injected_envs import InjectedEnv
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule

ROW = np.zeros(1, np.int64)


def _rebuilt(env, faults):
    old = env.injection
    env.injection = Injection([tuple(faults)], old.environment)
    old.release(ROW)
    env.injection.begin(ROW, np.array([env._seed]), np.array([env._episode]))
    env.injection._table.ticks[:] = old._table.ticks


def start_fault(self, fault):
    now = int(self.injection._table.ticks[0])
    faults = [*self.injection.faults[0], replace(fault, schedule=Schedule(now))]
    _rebuilt(self, faults)
    return len(faults) - 1


def stop_fault(self, index=None):
    now = int(self.injection._table.ticks[0])
    faults = list(self.injection.faults[0])
    for i, fault in enumerate(faults):
        if index in (None, i) and fault.schedule.duration is None:
            onset = fault.schedule.onset
            faults[i] = replace(fault, schedule=Schedule(onset, max(now - onset, 1)))
    _rebuilt(self, faults)


_reset = InjectedEnv.reset


def reset(self, **options):
    self.injection.release(ROW)
    self.injection = Injection([()], self.injection.environment)
    return _reset(self, **options)


def install():
    if not hasattr(InjectedEnv, "start_fault"):
        for name, function in (("start_fault", start_fault), ("stop_fault", stop_fault), ("reset", reset)):
            setattr(InjectedEnv, name, function)
