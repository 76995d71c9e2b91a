"""Alarms after the end of a fault: do they stop?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.step_scores import flags

GRACE = 20
"""Steps after the end of a fault in which an alarm is no error: what the fault has done has not passed yet."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """Alarms after the last faulty step of an episode.

    Args:
        episodes: Number of episodes that go on for more than the steps of grace after their last faulty step.
        in_alarm: Steps in alarm among the steps of grace, on average over them.
        lasting: Share of them with an alarm at a later step.
        net: The same minus the share of nominal episodes with an alarm at these steps; None without nominal episodes.
            From -1 to 1; 0 is best.
    """

    episodes: int
    in_alarm: Estimate
    lasting: Estimate
    net: Estimate | None = None

    def numbers(self) -> dict[str, Estimate]:
        """Return the numbers by name."""
        found = {"recovery_steps_in_alarm": self.in_alarm, "recovery_alarm": self.lasting}
        return found if self.net is None else {**found, "net_recovery_alarm": self.net}


def measure_recovery(
    alarms: Sequence[Array],
    labels: Sequence[Array],
    *,
    nominal: Sequence[Array] | None = None,
    grace: int = GRACE,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Recovery:
    """Measure alarms after the end of faults.

    Args:
        alarms: One boolean array per episode.
        labels: One boolean array per episode: faulty steps.
        nominal: Alarms of nominal episodes. Those that are longer than an episode until the end of its grace are paired
            with it; both count while both last.
        grace: Steps after the end of a fault that do not count as lasting.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> labels, steps = [np.arange(60) < 10] * 4, np.arange(60)
        >>> found = measure_recovery([steps < 15, steps < 50, steps < 0, steps == 40], labels, replicates=0)
        >>> found.episodes, found.in_alarm, found.lasting
        (4, Estimate(6.250), Estimate(0.500))
    """
    lengths = np.array([len(row) for row in labels], np.int64)
    if not len(lengths):
        raise InvalidLabels("there are no labels; give one array per episode.")
    raised = np.split(flags(alarms, lengths, "alarms"), np.cumsum(lengths)[:-1])
    active = np.split(flags(labels, lengths), np.cumsum(lengths)[:-1])
    drawn = Resamples.draw(len(lengths), replicates, seed=seed)
    others = None if nominal is None else (nominal, Resamples.draw_nominal(len(nominal), replicates, seed=seed))
    return recovery_of(raised, active, drawn, others, grace=grace)


def recovery_of(
    alarms: Sequence[BoolArray],
    active: Sequence[BoolArray],
    drawn: Resamples,
    nominal: tuple[Sequence[Array], Resamples] | None,
    *,
    grace: int = GRACE,
) -> Recovery:
    """Return the alarms after faults of checked episodes; see :func:`measure_recovery`.

    Args:
        alarms: One array per episode.
        active: Labels.
        drawn: Draws of the episodes.
        nominal: Alarms of nominal episodes and their draws.
        grace: Steps of grace.
    """
    positive_integer("grace", grace)
    ends = np.array([len(row) - np.argmax(row[::-1]) if row.any() else len(row) for row in active], np.int64)
    lengths = np.array([len(row) for row in active], np.int64)
    chosen = np.flatnonzero(ends + grace < lengths)
    nan = np.full(len(active), np.nan)
    in_alarm, lasting = nan.copy(), nan.copy()
    for number in chosen.tolist():
        in_alarm[number] = alarms[number][ends[number] : ends[number] + grace].sum()
        lasting[number] = alarms[number][ends[number] + grace :].any()
    net = None
    if nominal is not None:
        net = _net(alarms, ends + grace, chosen, drawn, *nominal)
    return Recovery(len(chosen), drawn.mean(in_alarm), drawn.shares(lasting[:, None])[0], net)


def _net(
    alarms: Sequence[BoolArray],
    starts: IntArray,
    chosen: IntArray,
    drawn: Resamples,
    nominal: Sequence[Array],
    drawn_nominal: Resamples,
) -> Estimate:
    """Return the mean over episodes of the mean over pairs of (alarm after the grace) minus (nominal alarm there)."""
    lengths = np.array([len(row) for row in nominal], np.int64)
    difference: FloatArray = np.zeros((len(chosen), len(nominal)))
    paired = lengths > starts[chosen, None]
    for place, number in enumerate(chosen.tolist()):
        for other in np.flatnonzero(paired[place]).tolist():
            window = slice(starts[number], min(len(alarms[number]), lengths[other]))
            difference[place, other] = float(alarms[number][window].any()) - float(np.any(nominal[other][window]))
    weights = drawn_nominal.counts.astype(np.float64)
    with np.errstate(invalid="ignore"):
        each = (difference @ weights) / (paired @ weights)
    counts = np.where(np.isnan(each), 0.0, drawn.counts[chosen].astype(np.float64))
    with np.errstate(invalid="ignore"):
        values = (counts * np.nan_to_num(each)).sum(axis=0) / counts.sum(axis=0)
    return Estimate.of(values, min(len(chosen), drawn_nominal.units), share=True)
