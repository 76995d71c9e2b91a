"""What the built-in faults do, in plain NumPy: one whole signal at a time, one fault after the other.

An independent reading of the definitions, for comparison with the compiled kernel. It shares the random numbers
with it (:class:`Stream`) and no formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.streams import Stream

NEUTRAL = {"scaling": 1.0}


@dataclass
class Case:
    """One fault with everything random already decided."""

    kind: str
    parameter: float
    weights: np.ndarray
    onset: int
    channels: list[int]
    lane: int = 0
    correlation: float = 0.95


def weights(length, onset, *, duration=None, ramp=0, recovery=0, period=None, on=None):
    """Return the weight of every transition of a schedule, written as a product of its parts."""
    since = np.arange(length) - onset
    rising = np.minimum((since + 1) / ramp, 1.0) if ramp else np.ones(length)
    beating = (since % period < on) if period else np.ones(length, bool)
    shape = np.where(since >= 0, rising * beating, 0.0)
    if duration is not None:
        left = np.clip((duration + recovery - since) / (recovery + 1), 0.0, 1.0)
        last = duration - 1
        reached = (min((last + 1) / ramp, 1.0) if ramp else 1.0) * (last % period < on if period else 1.0)
        shape = np.where(since >= duration, reached * left, shape)
    return shape


def walk(length, onset, step, seed, episode, lane):
    """Return a random walk that starts at 1 at the onset and bounces off 0 and 1."""
    stream = Stream.named(seed, episode, "anomaly")
    level, levels = 1.0, np.ones(length)
    for t in range(onset + 1, length):
        level += step * stream.normal(1, step=t, lane=2**16 + lane)[0]
        while not 0.0 <= level <= 1.0:
            level = -level if level < 0.0 else 2.0 - level
        levels[t] = level
    return levels


def strengths(case):
    """Return the parameter in force at every transition."""
    neutral = NEUTRAL.get(case.kind, 0.0)
    between = neutral + case.weights * (case.parameter - neutral)
    return np.where(case.weights == 1.0, case.parameter, between)


def white(case, shape, seed, episode):
    """Return the standard normal numbers that belong to a fault, one row per transition."""
    stream = Stream.named(seed, episode, "anomaly")
    return np.stack([stream.normal(shape[1], step=t, lane=case.lane) for t in range(shape[0])])


def coloured(e, onset, old, new):
    """Return n with n[onset] = e and n[t] = old[t] n[t - 1] + new[t] e[t] afterwards."""
    n = np.zeros_like(e)
    n[onset] = new[onset] * e[onset]
    for t in range(onset + 1, len(e)):
        n[t] = old[t] * n[t - 1] + new[t] * e[t]
    return n


def perturbed(signal, case, seed, episode=0):
    """Return a (T, channels) signal as one fault passes it on."""
    signal = np.asarray(signal, np.float64)
    length = len(signal)
    b = strengths(case)[:, None]
    e = white(case, signal.shape, seed, episode)
    since = (np.arange(length) - case.onset)[:, None]
    if case.kind == "noise":
        changed = signal + b * e
    elif case.kind == "scaling":
        changed = signal * b
    elif case.kind == "offset":
        changed = signal + b
    elif case.kind == "drift":
        changed = signal + b * (since + 1)
    elif case.kind == "temporal_noise":
        r = case.correlation
        innovation = np.full(length, np.sqrt(1.0 - r * r))
        innovation[case.onset] = 1.0
        changed = signal + b * coloured(e, case.onset, np.full(length, r), innovation)
    elif case.kind == "temporal_noise as printed":
        changed = signal + coloured(e, case.onset, b[:, 0], b[:, 0])
    elif case.kind in ("quantisation", "quantisation to nearest"):
        grid = np.where(b > 0.0, b, 1.0)
        shift = 0.0 if case.kind == "quantisation" else 0.5
        changed = np.where(b > 0.0, grid * np.floor(signal / grid + shift), signal)
    elif case.kind == "delay":
        late = np.arange(length) - np.floor(b[:, 0] + 0.5).astype(int)
        changed = signal[np.maximum(late, 0)]
    out = signal.copy()
    on = case.weights > 0.0
    out[np.ix_(on, case.channels)] = changed[np.ix_(on, case.channels)]
    return out
