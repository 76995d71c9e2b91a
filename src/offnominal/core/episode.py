"""Episodes and the faults that were injected into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from offnominal.core.checks import NUMERIC, numeric_array
from offnominal.core.config import Config
from offnominal.core.errors import InvalidEpisode, InvalidState
from offnominal.core.types import Array, BoolArray, FloatArray

FRAMES, VECTOR = "frames", "vector_observations"


@dataclass(frozen=True)
class Event(Config):
    """One fault of one episode.

    Args:
        anomaly: Id of the anomaly.
        parameter: Fault parameter at full strength.
        onset: First transition at which the fault is active. An episode may end earlier.
        end: First transition after the fault; None if it lasts to the end of the episode.
        channels: Indices of the affected channels; empty for dynamics faults.
    """

    anomaly: str
    parameter: float
    onset: int
    end: int | None = None
    channels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Episode:
    """One rollout: T transitions and the T + 1 observations around them.

    Lists, tensors and data frames become arrays; labels of 0 and 1 become booleans. Observations and actions may have
    values that are not finite: a broken sensor is an anomaly, not an error. Training refuses them, and
    :meth:`Detector.score <offnominal.detectors.Detector.score>` gives them the largest score.

    Args:
        observations: (T + 1, ...): observations of the agent, faults included.
        actions: (T, ...): actions of the agent, before faults.
        rewards: (T,): rewards, finite numbers.
        active: (T,): whether a fault was active during the transition.
        events: Injected faults.
        seed: Seed of the episode: `reset(seed=seed)` starts it.
        terminated: Whether the world ended the episode, not the time limit.
        extras: Other arrays of length T or T + 1: ``clean_observations``, ``executed_actions``, ``applied``
            (each fault's parameter at each transition), ``success``, ``critical``, ``cost``, ``frames``
            (T + 1, H, W, 3) of bytes.

    Raises:
        InvalidEpisode: The arrays do not have these lengths, or are not numbers.

    Example:
        >>> Episode(np.zeros((21, 2)), np.zeros((20, 1)), np.zeros(10), np.zeros(10, bool))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidEpisode: there are 10 rewards, and `observations` has 21 entries; expected 11. ...
        >>> Episode([[0.0], [0.1], [0.2]], [[1.0], [1.0]], [0, 0], [0, 1])
        Episode(T=2, observations=(1,), actions=(1,), return=0, seed=0, faulty in 1 of 2 transitions)
    """

    observations: Array
    actions: Array
    rewards: FloatArray
    active: BoolArray
    events: tuple[Event, ...] = ()
    seed: int = 0
    terminated: bool = False
    extras: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Arrays of a rollout pass with a few comparisons: batched rollouts build many episodes.
        for name in ("observations", "actions", "rewards"):
            values = getattr(self, name)
            if type(values) is not np.ndarray or values.dtype.kind not in NUMERIC or not values.ndim:
                object.__setattr__(self, name, _array(name, values))
        if type(self.active) is not np.ndarray or self.active.dtype != np.bool_:
            object.__setattr__(self, "active", _labels(self.active))
        self._check_lengths()
        if not np.isfinite(self.rewards).all():
            first = int(np.argmin(np.isfinite(self.rewards)))
            raise InvalidEpisode(f"the reward of transition {first} is {self.rewards[first]}; expected finite numbers.")
        # Extras that are read from disk on demand are in a mapping class of their own and are not read here.
        if isinstance(self.extras, dict):
            self._check_extras()

    def _check_lengths(self) -> None:
        """Raise :class:`InvalidEpisode` unless T transitions have T + 1 observations."""
        steps = len(self.rewards)
        for name, expected in (("observations", steps + 1), ("actions", steps), ("active", steps)):
            given = len(getattr(self, name))
            if given != expected:
                forgotten = name == "observations" and given == steps
                hint = " Did you forget the last observation?" if forgotten else ""
                raise InvalidEpisode(
                    f"there are {steps} rewards, and `{name}` has {given} entries; expected {expected}.{hint} "
                    "T transitions have T rewards, actions and entries of `active`, and T + 1 observations."
                )
        for name in ("rewards", "active"):
            if getattr(self, name).ndim != 1:
                raise InvalidEpisode(
                    f"{name} has shape {getattr(self, name).shape}; expected one value per transition."
                )

    def _check_extras(self) -> None:
        """Raise :class:`InvalidEpisode` unless each extra has an entry per transition or per observation."""
        steps = len(self.rewards)
        for name, values in self.extras.items():
            if not isinstance(values, np.ndarray) or not values.ndim:
                extras = {other: _array(other, each) for other, each in self.extras.items()}
                object.__setattr__(self, "extras", extras)
                values = extras[name]  # noqa: PLW2901
            if len(values) not in (steps, steps + 1):
                raise InvalidEpisode(
                    f"the extra {name!r} has {len(values)} entries; expected {steps}, one per transition, or "
                    f"{steps + 1}, one per observation."
                )

    def __len__(self) -> int:
        return len(self.rewards)

    def __repr__(self) -> str:
        faults = ", ".join(f"{event.anomaly}={event.parameter:g}@{event.onset}" for event in self.events)
        if not faults and self.active.any():
            faults = f"faulty in {np.count_nonzero(self.active)} of {len(self)} transitions"
        return (
            f"Episode(T={len(self)}, observations={self.observations.shape[1:]}, actions={self.actions.shape[1:]}, "
            f"return={self.total_reward:.4g}, seed={self.seed}, {faults or 'nominal'})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether two episodes have the same bytes."""
        if not isinstance(other, Episode):
            return NotImplemented
        return self.seed == other.seed and self.events == other.events and same_bytes(self.arrays(), other.arrays())

    def __hash__(self) -> int:
        return hash((self.seed, len(self), self.events))

    @property
    def total_reward(self) -> float:
        """The undiscounted return."""
        return float(np.sum(self.rewards))

    @property
    def success(self) -> bool:
        """Whether the task was solved at the last transition."""
        recorded = self.extras.get("success")
        return recorded is not None and len(recorded) > 0 and bool(recorded[-1])

    @property
    def onset(self) -> int | None:
        """First transition with an active fault, or None."""
        return int(np.argmax(self.active)) if self.active.any() else None

    def images(self) -> Episode:
        """Return the episode with its frames as observations.

        The observations are a view of shape (T + 1, 3, H, W), channels first. The original observations become the
        extra ``vector_observations``.

        Raises:
            InvalidState: No frames were recorded.

        Example:
            >>> extras = {"frames": np.zeros((4, 128, 128, 3), np.uint8)}
            >>> episode = Episode(np.zeros((4, 2)), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool), extras=extras)
            >>> episode.images().observations.shape
            (4, 3, 128, 128)
        """
        if FRAMES not in self.extras:
            raise InvalidState(f"the episode of seed {self.seed} has no frames; record it with frames=True.")
        others = {name: self.extras[name] for name in self.extras if name != FRAMES}
        observations = np.moveaxis(self.extras[FRAMES], -1, 1)
        return replace(self, observations=observations, extras={**others, VECTOR: self.observations})

    def arrays(self) -> dict[str, Any]:
        """Return all arrays by name."""
        return {
            "observations": self.observations,
            "actions": self.actions,
            "rewards": self.rewards,
            "active": self.active,
            "terminated": np.bool_(self.terminated),
            **self.extras,
        }


def _array(name: str, values: Any) -> Array:
    """Return a list, a tensor or a data frame as an array of numbers with an entry per step."""
    if not hasattr(values, "__len__") or isinstance(values, str | bytes) or getattr(values, "shape", None) == ():
        raise InvalidEpisode(f"{name} is a {type(values).__name__}; expected an array with an entry per step.")
    return numeric_array(name, values, InvalidEpisode)


def _labels(values: Any) -> BoolArray:
    """Return labels as booleans; numbers are accepted if all are 0 or 1."""
    labels = _array("labels", values)
    if labels.dtype != np.bool_ and not (wrong := ~np.isin(labels, (0, 1))).any():
        return labels.astype(np.bool_)
    if labels.dtype != np.bool_:
        first = np.unravel_index(int(np.argmax(wrong)), labels.shape)[0]
        raise InvalidEpisode(f"the label of transition {first} is {labels[first]}; expected True, False, 0 or 1.")
    return labels


def same_bytes(first: Mapping[str, Array], second: Mapping[str, Array]) -> bool:
    """Whether two mappings have the same names, types, shapes and bytes."""
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype
        and first[name].shape == second[name].shape
        and first[name].tobytes() == second[name].tobytes()
        for name in first
    )
