"""The contract of a detector: how strange is each transition?"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, overload

import numpy as np

from offnominal.core.choices import are_choices, choices_in, one_hot
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, FloatArray


@dataclass(frozen=True, slots=True)
class Step:
    """One transition of each of n episodes, as an agent's loop sees it.

    Args:
        observation: (n, ...): what was seen before.
        action: (n, ...): what was commanded.
        next_observation: (n, ...): what was seen after.
    """

    observation: Array
    action: Array
    next_observation: Array

    def __len__(self) -> int:
        return len(self.next_observation)


class Detector(ABC):
    """Gives every transition a score. Higher is stranger.

    A constructor stores its arguments and nothing else; what :meth:`fit` learns ends in ``_``. Scoring changes nothing
    that was learned, looks at nothing that comes later, and treats every episode as if it were alone.
    """

    pictures: ClassVar[bool] = False
    """Whether observations are pictures, (3, H, W) of bytes. Such episodes are large, so they are taken one after the
    other and never all held at once."""

    home: ClassVar[str | None] = None
    """A world whose episodes it understands, if it does not understand those of any world."""

    raw_choices: ClassVar[bool] = False
    """Whether actions that are choices stay the numbers they are. Otherwise they come as a column for each choice."""

    def fit(self, episodes: Sequence[Episode], *, validation: Sequence[Episode] | None = None, seed: int = 0) -> Self:
        """Learn what is normal.

        Args:
            episodes: Nominal ones.
            validation: More of them, for detectors that stop learning when these say so.
            seed: Fixes everything that is random about learning.
        """
        seed = check_seed(seed)
        given = Checked(episodes)
        choices = 0 if self.raw_choices else choices_in(given)
        training = self._taken(Checked(given, choices=choices) if choices else given)
        self.widths_ = widths(training[0])
        held_out = None if validation is None else self._taken(Checked(validation, choices=choices))
        self._fit(training, held_out, seed)
        return self

    def _taken(self, episodes: Checked) -> Sequence[Episode]:
        return episodes if self.pictures else list(episodes)

    @abstractmethod
    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        """Learn from checked episodes."""

    def score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return one array per episode with a score for each of its transitions."""
        self._require_fitted()
        choices = 0 if self.raw_choices else self.widths_[1]
        return self._score(self._taken(Checked(episodes, self._require_shapes, choices=choices)))

    @abstractmethod
    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Score checked episodes."""

    @abstractmethod
    def start(self, n: int = 1) -> Any:
        """Return the state before the first transition of n episodes."""

    def restart(self, state: Any, rows: Array) -> Any:
        """Return the state with some rows at the beginning of a new episode; the given state stays as it is.

        States are made of arrays with a row per episode, alone or in tuples; others bring a method of their own.
        """
        return _with_rows(state, self.start, rows)

    def update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Return the state after a transition of each episode, and its scores; the given state stays as it is.

        Args:
            state: What :meth:`start` or the call before returned.
            step: The transition.
        """
        self._require_fitted()
        if are_choices(step.action) and not self.raw_choices:
            step = replace(step, action=one_hot(step.action, self.widths_[1]))
        self._require_shapes(step.observation, step.action, "the step")
        for name in ("observation", "action", "next_observation"):
            if not _finite(getattr(step, name)):
                raise InvalidParameter(f"the {name.replace('_', ' ')} of the step is not finite; leave it out.")
        return self._update(state, step)

    @abstractmethod
    def _update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Score a checked transition."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments, as JSON can hold them."""

    @abstractmethod
    def learned(self) -> dict[str, Array]:
        """Return everything that was learned, as arrays."""

    @abstractmethod
    def restore(self, learned: Mapping[str, Array]) -> None:
        """Take back what :meth:`learned` returned."""

    @property
    def fitted(self) -> bool:
        """Whether :meth:`fit` was called."""
        return hasattr(self, "widths_")

    def _require_fitted(self) -> None:
        if not self.fitted:
            raise NotFitted(f"{type(self).__name__} has learned nothing yet; call fit first.")

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        """Raise :class:`InvalidParameter` unless these have the shapes that were learned from."""
        found = _width(observations), _width(actions)
        if found != self.widths_:
            raise InvalidParameter(
                f"{where} has observations of width {found[0]} and actions of width {found[1]}; "
                f"{type(self).__name__} learned from {self.widths_[0]} and {self.widths_[1]}."
            )


class TransitionDetector(Detector):
    """A detector without memory: the score of a transition depends on nothing else."""

    @abstractmethod
    def _measure(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        """Return the scores of n transitions; each is flat."""

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self._measure(*transitions(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def start(self, n: int = 1) -> None:
        """There is nothing to remember."""

    def _update(self, state: None, step: Step) -> tuple[None, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        return None, self._measure(*flat)


def _with_rows(state: Any, start: Callable[[int], Any], rows: Array) -> Any:
    """Return a state whose given rows are those of a fresh one."""

    def mixed(old: Any, new: Any) -> Any:
        if old is None:
            return None
        if isinstance(old, tuple):
            parts = [mixed(one, other) for one, other in zip(old, new, strict=True)]
            return type(old)(*parts) if hasattr(old, "_fields") else tuple(parts)
        kept = old.copy() if isinstance(old, np.ndarray) else old.clone()
        kept[rows] = new[rows]
        return kept

    return mixed(state, start(_rows(state)))


def _rows(state: Any) -> int:
    while isinstance(state, tuple):
        state = state[0]
    return 1 if state is None else len(state)


def transitions(episodes: Sequence[Episode]) -> tuple[Array, Array, Array]:
    """Return observations, actions and next observations of all transitions below each other, each flat."""
    observations = np.concatenate([episode.observations[:-1].reshape(len(episode), -1) for episode in episodes])
    actions = np.concatenate([episode.actions.reshape(len(episode), -1) for episode in episodes])
    after = np.concatenate([episode.observations[1:].reshape(len(episode), -1) for episode in episodes])
    return observations, actions, after


def widths(episode: Episode) -> tuple[int, int]:
    """Return how many numbers an observation and an action have."""
    return _width(episode.observations), _width(episode.actions)


def _width(values: Array) -> int:
    return math.prod(np.shape(values)[1:])


class Checked(Sequence[Episode]):
    """Episodes with at least one transition, every number finite.

    Each is checked when it is taken, so that episodes on disk are read when their turn comes.

    Args:
        episodes: A sequence of them, or a single one.
        require: Raises an error if observations and actions of the episode that is named are not what is needed.
        choices: How many columns to give to actions that are choices; 0 to leave them as they are.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        require: Callable[[Array, Array, str], None] | None = None,
        *,
        choices: int = 0,
    ) -> None:
        self._episodes = [episodes] if isinstance(episodes, Episode) else episodes
        if not isinstance(self._episodes, Sequence):
            self._episodes = list(self._episodes)
        if not len(self._episodes):
            raise InvalidParameter("there are no episodes; give at least one.")
        self._require = require
        self._choices = choices

    def __len__(self) -> int:
        return len(self._episodes)

    def __iter__(self) -> Iterator[Episode]:
        for number, episode in enumerate(self._episodes):
            yield self._checked(number, episode)

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> list[Episode]: ...
    def __getitem__(self, index: int | slice) -> Episode | list[Episode]:
        """Return an episode, or a list of some."""
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self._checked(number, self._episodes[number]) for number in numbers]
        return self._checked(numbers, self._episodes[numbers])

    def _checked(self, number: int, episode: Episode) -> Episode:
        if not isinstance(episode, Episode):
            raise InvalidParameter(f"entry {number} is a {type(episode).__name__}; expected an Episode.")
        if len(episode) == 0:
            raise InvalidParameter(f"episode {number} has no transitions; leave it out.")
        for name in ("observations", "actions"):
            if not _finite(getattr(episode, name)):
                raise InvalidParameter(f"the {name} of episode {number} are not all finite; leave it out or mend it.")
        if self._choices and are_choices(episode.actions):
            episode = replace(episode, actions=one_hot(episode.actions, self._choices))
        if self._require is not None:
            self._require(episode.observations, episode.actions, f"episode {number}")
        return episode


def _finite(values: Array) -> bool:
    return np.asarray(values).dtype.kind in "biu" or bool(np.isfinite(values).all())
