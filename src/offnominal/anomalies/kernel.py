"""Compiled kernel of signal faults: one call handles every row of a batch and every fault in it."""

from __future__ import annotations

import math

import numpy as np

from offnominal.anomalies.signals import (
    DELAY,
    DRIFT,
    FLOOR,
    NEAREST,
    NOISE,
    OFFSET,
    SCALING,
    TEMPORAL,
    TEMPORAL_PUBLISHED,
)
from offnominal.core.compilation import compiled
from offnominal.core.philox import normal_pair, stream_key, uniform
from offnominal.core.streams import purpose_hash
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray

NOWHERE, OBSERVATION, ACTION, DYNAMICS, CAMERA = range(5)
WALK_LANE = 1 << 16
ANOMALY, ONSET = purpose_hash("anomaly"), purpose_hash("onset")
FINEST = 4503599627370496.0

SLOT = np.dtype(
    [
        ("target", np.int64),
        ("code", np.int64),
        ("parameter", np.float64),
        ("neutral", np.float64),
        ("option", np.float64),
        ("onset", np.int64),
        ("duration", np.int64),
        ("ramp", np.int64),
        ("recovery", np.int64),
        ("period", np.int64),
        ("on", np.int64),
        ("walk", np.float64),
        ("level", np.float64),
        ("physics_parameter", np.int64),
        ("multiplies", np.bool_),
    ]
)
"""One fault of one row. `level` is the state of its random walk, everything else is fixed at the start."""


@compiled
def restart(
    rows: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    keys: KeyArray,
    ticks: IntArray,
    ranges: IntArray,
    behind: IntArray,
    slots: Array,
    observed: FloatArray,
    acted: FloatArray,
) -> None:
    """Start new episodes: draw every onset from its range, both ends included, and clear the memory.

    Args:
        rows: Indices of the rows.
        seeds: (rows,) root seeds.
        episodes: (rows,) numbers of earlier episodes with the same seeds.
        keys: (n,) anomaly streams.
        ticks: (n,) index of the next transition.
        ranges: (n, faults, 2) first and last possible onset.
        behind: (n, faults) one more than the transitions between the first fault of the row and this one; 0 for an
            onset of its own.
        slots: (n, faults) of SLOT.
        observed: (n, faults, channels) memory of correlated noise on observations.
        acted: (n, faults, channels) the same for actions.
    """
    for i in range(rows.shape[0]):
        r = rows[i]
        ticks[r] = 0
        keys[r] = stream_key(seeds[i], episodes[i], ANOMALY)
        onsets = stream_key(seeds[i], episodes[i], ONSET)
        for j in range(slots.shape[1]):
            first, last = ranges[r, j, 0], ranges[r, j, 1]
            slots[r, j]["level"] = 1.0
            slots[r, j]["onset"] = first
            if last > first:
                slots[r, j]["onset"] = first + int(uniform(onsets, 0, j, 0) * (last - first + 1))
            if behind[r, j] > 0:
                slots[r, j]["onset"] = slots[r, 0]["onset"] + behind[r, j] - 1
            if slots[r, j]["code"] == TEMPORAL or slots[r, j]["code"] == TEMPORAL_PUBLISHED:
                for c in range(observed.shape[2]):
                    observed[r, j, c] = 0.0
                for c in range(acted.shape[2]):
                    acted[r, j, c] = 0.0


@compiled
def switch_off(rows: IntArray, neutral: FloatArray, applied: FloatArray, on: BoolArray, active: BoolArray) -> None:
    """Switch every fault of some rows off; arguments as for :func:`advance`, and (n, faults) neutral parameters."""
    for i in range(rows.shape[0]):
        r = rows[i]
        active[r] = False
        for j in range(on.shape[1]):
            applied[r, j] = neutral[r, j]
            on[r, j] = False


@compiled
def count_transitions(rows: IntArray, ticks: IntArray) -> None:
    """End a transition of some rows."""
    for i in range(rows.shape[0]):
        ticks[rows[i]] += 1


@compiled
def weight(slots: Array, r: int, j: int, t: int) -> float:
    """Return the weight of fault j of row r in transition t, without its random walk."""
    since = t - slots[r, j]["onset"]
    if since < 0:
        return 0.0
    duration = slots[r, j]["duration"]
    if duration >= 0 and since >= duration:
        after, recovery = since - duration, slots[r, j]["recovery"]
        if after >= recovery:
            return 0.0
        reached = _ramp_weight(slots, r, j, duration - 1)
        return float(reached * (1.0 - (after + 1.0) / (recovery + 1.0)))
    return _ramp_weight(slots, r, j, since)


@compiled
def _ramp_weight(slots: Array, r: int, j: int, since: int) -> float:
    """Return the weight of a fault that has not ended, some transitions after its onset."""
    period = slots[r, j]["period"]
    if period > 0 and since % period >= slots[r, j]["on"]:
        return 0.0
    ramp = slots[r, j]["ramp"]
    return float((since + 1.0) / ramp) if since < ramp else 1.0


@compiled
def _random_walk(slots: Array, r: int, j: int, key: np.uint64, t: int) -> float:
    """Advance the random walk of a fault, reflected into [0, 1], and return it."""
    if t > slots[r, j]["onset"]:
        step, _ = normal_pair(key, t, WALK_LANE + j, 0)
        level = (slots[r, j]["level"] + slots[r, j]["walk"] * step) % 2.0
        slots[r, j]["level"] = 2.0 - level if level > 1.0 else level
    return float(slots[r, j]["level"])


@compiled
def advance(
    rows: IntArray,
    slots: Array,
    keys: KeyArray,
    ticks: IntArray,
    applied: FloatArray,
    on: BoolArray,
    active: BoolArray,
) -> None:
    """Compute the parameter of each fault for the next transition.

    Args:
        rows: Indices of the rows that are stepped.
        slots: (n, faults) of SLOT.
        keys: (n,) anomaly streams.
        ticks: (n,) index of the transition.
        applied: (n, faults): current parameter; neutral where the fault is off.
        on: (n, faults): whether the fault acts.
        active: (n,): whether any fault acts.
    """
    for i in range(rows.shape[0]):
        r = rows[i]
        active[r] = False
        for j in range(slots.shape[1]):
            if slots[r, j]["target"] == NOWHERE:
                continue
            share = weight(slots, r, j, ticks[r])
            on[r, j] = share > 0.0
            if share > 0.0:
                active[r] = True
                if slots[r, j]["walk"] > 0.0:
                    share *= _random_walk(slots, r, j, keys[r], ticks[r])
            neutral, full = slots[r, j]["neutral"], slots[r, j]["parameter"]
            applied[r, j] = full if share == 1.0 else neutral + share * (full - neutral)


@compiled
def combine_physics_parameters(
    rows: IntArray, slots: Array, applied: FloatArray, on: BoolArray, physics_parameters: FloatArray, changed: BoolArray
) -> bool:
    """Compute the value of every physics parameter and mark those that changed.

    Args:
        rows: Indices of the rows.
        slots: (n, faults) of SLOT.
        applied: (n, faults) current parameters.
        on: (n, faults) whether each fault acts.
        physics_parameters: (n, physics parameters) current values; changed in place.
        changed: (n, physics parameters) set to True where a value changed.

    Returns:
        Whether any value changed.
    """
    moved = False
    for i in range(rows.shape[0]):
        r = rows[i]
        for k in range(physics_parameters.shape[1]):
            value, users = 0.0, 0
            for j in range(slots.shape[1]):
                if slots[r, j]["target"] != DYNAMICS or slots[r, j]["physics_parameter"] != k:
                    continue
                neutral = slots[r, j]["neutral"]
                asked = applied[r, j] if on[r, j] else neutral
                if users == 0:
                    value = asked
                elif slots[r, j]["multiplies"]:
                    value *= asked / neutral
                else:
                    value += asked - neutral
                users += 1
            changed[r, k] = users > 0 and value != physics_parameters[r, k]
            if changed[r, k]:
                physics_parameters[r, k] = value
                moved = True
    return moved


@compiled
def _add_noise(x: FloatArray, masks: BoolArray, r: int, j: int, scale: float, key: np.uint64, t: int) -> None:
    channels = x.shape[1]
    for c in range(0, channels, 2):
        first, second = normal_pair(key, t, j, c >> 1)
        if masks[r, j, c]:
            x[r, c] += scale * first
        if c + 1 < channels and masks[r, j, c + 1]:
            x[r, c + 1] += scale * second


@compiled
def _update_autoregression(memory: FloatArray, r: int, j: int, old: float, new: float, key: np.uint64, t: int) -> None:
    """Advance an autoregression: memory <- old * memory + new * e."""
    channels = memory.shape[2]
    for c in range(0, channels, 2):
        first, second = normal_pair(key, t, j, c >> 1)
        memory[r, j, c] = old * memory[r, j, c] + new * first
        if c + 1 < channels:
            memory[r, j, c + 1] = old * memory[r, j, c + 1] + new * second


@compiled
def _perturb(
    slots: Array,
    r: int,
    j: int,
    b: float,
    x: FloatArray,
    masks: BoolArray,
    memory: FloatArray,
    history: FloatArray,
    key: np.uint64,
    t: int,
) -> None:
    """Apply fault j of row r with parameter b to its signal, in place."""
    code, since = slots[r, j]["code"], t - slots[r, j]["onset"]
    if code == NOISE:
        _add_noise(x, masks, r, j, b, key, t)
        return
    if code == TEMPORAL:
        old = slots[r, j]["option"] if since > 0 else 0.0
        _update_autoregression(memory, r, j, old, math.sqrt(1.0 - old * old), key, t)
    elif code == TEMPORAL_PUBLISHED:
        _update_autoregression(memory, r, j, b if since > 0 else 0.0, b, key, t)
    late = max(t - int(b + 0.5), 0) % history.shape[2] if code == DELAY else 0
    for c in range(x.shape[1]):
        if not masks[r, j, c]:
            continue
        if code == SCALING:
            x[r, c] *= b
        elif code == OFFSET:
            x[r, c] += b
        elif code == DRIFT:
            x[r, c] += b * (since + 1)
        elif code == TEMPORAL:
            x[r, c] += b * memory[r, j, c]
        elif code == TEMPORAL_PUBLISHED:
            x[r, c] += memory[r, j, c]
        elif code == FLOOR and b > 0.0 and abs(x[r, c] / b) < FINEST:
            x[r, c] = b * math.floor(x[r, c] / b)
        elif code == NEAREST and b > 0.0 and abs(x[r, c] / b) < FINEST:
            x[r, c] = b * math.floor(x[r, c] / b + 0.5)
        elif code == DELAY:
            x[r, c] = history[r, j, late, c]


@compiled
def store(signal: FloatArray, out: Array) -> None:
    """Copy signals into an array of another floating type; values that are too large become infinite."""
    for r in range(signal.shape[0]):
        for c in range(signal.shape[1]):
            out[r, c] = signal[r, c]


@compiled
def perturb_rows(
    target: int,
    first: int,
    last: int,
    rows: IntArray,
    slots: Array,
    keys: KeyArray,
    ticks: IntArray,
    applied: FloatArray,
    on: BoolArray,
    masks: BoolArray,
    memory: FloatArray,
    history: FloatArray,
    signal: FloatArray,
) -> None:
    """Apply every built-in fault of one target to the signals of the given rows, in place and in order.

    Args:
        target: OBSERVATION or ACTION.
        first: Index of the first fault to apply.
        last: Index after the last fault to apply.
        rows: Indices of the rows that are stepped.
        slots: (n, faults) of SLOT.
        keys: (n,) anomaly streams.
        ticks: (n,) index of the transition.
        applied: (n, faults) current parameters.
        on: (n, faults) whether each fault acts.
        masks: (n, faults, channels) affected channels of each fault.
        memory: (n, faults, channels) state of correlated noise.
        history: (n, faults, depth, channels) ring buffer of the inputs of each delay.
        signal: (n, channels).
    """
    for i in range(rows.shape[0]):
        r = rows[i]
        for j in range(first, last):
            if slots[r, j]["target"] != target or slots[r, j]["code"] == 0:
                continue
            if slots[r, j]["code"] == DELAY:
                for c in range(signal.shape[1]):
                    history[r, j, ticks[r] % history.shape[2], c] = signal[r, c]
            if on[r, j]:
                b = applied[r, j]
                _perturb(slots, r, j, b, signal, masks, memory, history, keys[r], ticks[r])
