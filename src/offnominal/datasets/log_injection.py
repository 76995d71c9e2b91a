"""Faults written into recordings, so that detection is measured without a simulator and without labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault, Faults, fault_tuple
from offnominal.anomalies.fault_injection import ScheduleLike
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.sensor_failures import SENSOR_FAILURES
from offnominal.core.checks import integer_in, one_of
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.types import Array, BoolArray, FloatArray

Unit = Literal["channel", "deviation"]
LARGEST_SEED = 2**63 - 1
_ROW = np.zeros(1, np.int64)


class OpenLoopFault(UserWarning):
    """A fault of the actions was written into a recording, whose observations do not respond to it."""


def inject_log(
    log: Sequence[Episode],
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: Faults = None,
    unit: Unit = "channel",
    repetition: int = 0,
) -> InjectedLog:
    """Return the nominal episodes of a recording with faults, which act as scheduled.

    Faults of observations are those of :func:`~offnominal.inject`: an environment that returns the recorded
    observations gives the same ones. Faults of actions change the recorded actions only, in *open loop*: no observation
    responds to them. Faults of dynamics and cameras are refused.

    Args:
        log: Nominal episodes: of :func:`~offnominal.episodes_from`, of a split of a dataset, or a list.
        anomaly: An anomaly or its id, such as ``"observation/offset"``; also ``"observation/frozen"`` and
            ``"observation/drop"``.
        strength: The parameter; None for ``observation/frozen`` (held until the end) and ``observation/drop`` (0.1).
        schedule: When the anomaly acts: its onset, counted in transitions, or a schedule. A random onset is drawn for
            each episode, from its third transition to its last.
        channels: Indices or names of the affected channels; None for all. An episode on its own has numbers only.
        faults: Instead of `anomaly`: a `Fault`, or several that act together.
        unit: Unit of the parameter: that of each channel, or the standard deviation of each channel over `log`, which
            is read once for it.
        repetition: Number of the draw of onsets and noise; the same number gives the same episodes.

    Returns:
        A sequence of episodes, injected when they are read, with labels, events, and the extras ``clean_observations``
        and ``applied``; in open loop also ``clean_actions``.

    Raises:
        InvalidParameter: An episode has active labels.
        UnsupportedEnvironment: A recording cannot show the fault.

    Example:
        >>> import offnominal as off
        >>> log = off.episodes_from({"flow": np.sin(np.arange(200.0)), "heat": np.cos(np.arange(200.0))}, window=50)
        >>> stuck = off.inject_log(log, "observation/frozen", channels=["flow"], schedule=20)
        >>> stuck[0]
        Episode(T=50, observations=(2,), actions=(0,), return=0, seed=0, observation/frozen=1e+09@20)
        >>> off.inject_log(log, "dynamics/mass", strength=2.0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnsupportedEnvironment: dynamics/mass changes how a machine responds, ...
    """
    chosen = _faults(anomaly, strength, schedule, channels, faults)
    one_of("unit", unit, ("channel", "deviation"))
    integer_in("repetition", repetition, 0, LARGEST_SEED)
    if not len(log):
        raise InvalidParameter("the log has no episodes; give nominal ones.")
    for fault in chosen:
        _require_possible(fault)
    open_loop = any(fault.kind.target == "action" for fault in chosen)
    if open_loop:
        warnings.warn(
            "a fault of the actions in a recording is open loop: its observations do not respond, so detection is that "
            "of the recorded actions, not of the machine.",
            OpenLoopFault,
            stacklevel=2,
        )
    names = getattr(log, "channels", None)
    scales = _deviations(log, open_loop) if unit == "deviation" else None
    return InjectedLog(log, chosen, names if isinstance(names, dict) else {}, repetition, open_loop, scales)


def _faults(anomaly: Any, strength: Any, schedule: Any, channels: Any, faults: Faults) -> tuple[Fault, ...]:
    """Return the faults, given as such or by an anomaly with its strength, schedule and channels."""
    if anomaly is None:
        if strength is not None or channels is not None or schedule != "random":
            raise InvalidParameter("strength, schedule and channels need an anomaly; a Fault has its own.")
        chosen = fault_tuple(faults)
        if not chosen:
            raise InvalidParameter("there is no anomaly and no fault; give one of them.")
        return chosen
    if faults is not None:
        raise InvalidParameter("an anomaly and faults were given; give one of them.")
    if isinstance(anomaly, str) and anomaly in SENSOR_FAILURES:
        anomaly = SENSOR_FAILURES[anomaly]()
    strength = getattr(anomaly, "typical", None) if strength is None else strength
    if strength is None:
        raise InvalidParameter(f"{anomaly} needs a strength: a number in the unit of the channels.")
    return (Fault(anomaly, strength, schedule, channels),)


def _require_possible(fault: Fault) -> None:
    """Raise :class:`UnsupportedEnvironment` if a recording cannot show a fault."""
    reasons = {
        "dynamics": "changes how a machine responds, which a recording cannot show; inject it into a world with "
        "`off.make`, or choose a fault of the observations",
        "camera": "changes images, and only vectors of a recording are changed; inject it into a world with `off.make`",
    }
    if fault.kind.target in reasons:
        raise UnsupportedEnvironment(f"{fault.id} {reasons[fault.kind.target]}.")
    if isinstance(fault.strength, str):
        raise InvalidParameter(
            f"{fault.id} has no strength {fault.strength!r} in a recording: named strengths are those of worlds. Give "
            "a number; with unit='deviation', 1 is the standard deviation of a channel."
        )


@dataclass(frozen=True, eq=False, repr=False)
class InjectedLog(Sequence[Episode]):
    """Episodes of a recording with faults, injected when they are read; see :func:`inject_log`.

    Args:
        log: The episodes without faults.
        faults: The faults of every episode.
        channels: Names of the channels by ``"observations"`` and ``"actions"``; empty for numbers.
        repetition: Number of the draw of onsets and noise.
        open_loop: Whether a fault acts on the actions, to which the observations do not respond.
        scales: Divisors of observations and actions while faults act; None for their own units.
    """

    log: Sequence[Episode]
    faults: tuple[Fault, ...]
    channels: dict[str, list[str]]
    repetition: int = 0
    open_loop: bool = False
    scales: tuple[FloatArray, FloatArray] | None = None

    def __len__(self) -> int:
        return len(self.log)

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> InjectedLog: ...
    def __getitem__(self, index: int | slice) -> Episode | InjectedLog:
        """Return an episode, or some of them as another sequence."""
        if isinstance(index, slice):
            return replace(self, log=self.log[index])
        return self._injected(self.log[index], range(len(self))[index])

    def __iter__(self) -> Iterator[Episode]:
        for number, episode in enumerate(self.log):
            yield self._injected(episode, number)

    def __repr__(self) -> str:
        ids = ", ".join(fault.id for fault in self.faults)
        return f"InjectedLog({len(self)} episodes, {ids}{', open loop' if self.open_loop else ''})"

    def _injected(self, episode: Episode, number: int) -> Episode:
        """Return an episode with the faults."""
        if episode.active.any():
            raise InvalidParameter(
                f"episode {number} of the log has active labels; inject into nominal episodes, such as `log.nominal`."
            )
        observations = episode.observations
        if observations.ndim != 2 or episode.actions.ndim > 2:
            raise UnsupportedEnvironment(
                f"episode {number} has observations of shape {observations.shape[1:]}; expected vectors."
            )
        actions = episode.actions.reshape(len(episode), -1)
        injection = Injection([self.faults], self._about(episode, actions.shape[1], number))
        injection.begin(_ROW, np.array([abs(int(episode.seed))]), np.array([self.repetition]))
        shown, acted = observations.copy(), actions.copy()
        active = np.zeros(len(episode), np.bool_)
        applied = np.zeros((len(episode), len(self.faults)))
        observed_mask, acted_mask = (self._affected(injection, target) for target in ("observation", "action"))
        for t in range(len(episode)):
            row = self._scaled(actions[t], 1)
            acted[t, acted_mask] = self._unscaled(injection.act(row[None], _ROW)[0], 1, acted.dtype)[acted_mask]
            active[t], applied[t] = injection.active[0], injection.applied[0]
            row = self._scaled(observations[t + 1], 0)
            faulty = self._unscaled(injection.observe(row[None], _ROW)[0], 0, shown.dtype)
            if active[t]:
                shown[t + 1, observed_mask] = faulty[observed_mask]
        extras = {**episode.extras, "clean_observations": observations, "applied": applied}
        if self.open_loop:
            extras["clean_actions"] = episode.actions
        return replace(
            episode,
            observations=shown,
            actions=acted.reshape(episode.actions.shape),
            active=active,
            events=injection.events(0),
            extras=extras,
        )

    def _about(self, episode: Episode, n_actions: int, number: int) -> EnvironmentInfo:
        """Describe the recording as an environment."""
        widths = {"observations": episode.observations.shape[1], "actions": n_actions}
        names = {key: tuple(self.channels.get(key) or map(str, range(width))) for key, width in widths.items()}
        return EnvironmentInfo(
            names["observations"],
            names["actions"],
            length=len(episode),
            limit=len(episode),
            name=f"episode {number} of the log",
        )

    def _affected(self, injection: Injection, target: str) -> BoolArray:
        """Return which channels of a signal a fault acts on."""
        about = injection.environment
        mask = np.zeros(len(about.observation if target == "observation" else about.action), np.bool_)
        for fault, event in zip(self.faults, injection.events(0), strict=True):
            if fault.kind.target == target:
                mask[list(event.channels)] = True
        return mask

    def _scaled(self, row: Array, which: int) -> Array:
        return row if self.scales is None else row.astype(np.float64) / self.scales[which]

    def _unscaled(self, row: Array, which: int, kind: Any) -> Array:
        values: Array = row if self.scales is None else (row * self.scales[which]).astype(kind)
        return values


def _deviations(log: Sequence[Episode], acted: bool) -> tuple[FloatArray, FloatArray]:
    """Return the standard deviation of each channel of the observations and the actions; 1 if a channel is constant."""
    found = []
    for which in (0, 1):
        if which and not acted:
            found.append(np.ones(log[0].actions.reshape(len(log[0]), -1).shape[1]))
            continue
        count, mean, spread = 0, np.zeros(1), np.zeros(1)
        for episode in log:
            values = episode.actions.reshape(len(episode), -1) if which else episode.observations
            values = values.astype(np.float64)
            # Chan's update of mean and squares, so that one episode is in memory at a time.
            n, centre = len(values), values.mean(axis=0)
            shift = centre - mean
            spread = spread + ((values - centre) ** 2).sum(axis=0) + shift**2 * count * n / (count + n)
            mean, count = mean + shift * n / (count + n), count + n
        deviation = np.sqrt(spread / count)
        found.append(np.where(deviation > 0.0, deviation, 1.0))
    return found[0], found[1]
