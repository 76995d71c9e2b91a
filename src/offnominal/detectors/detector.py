"""The contract of a detector: how strange is each transition?"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, overload

import numpy as np

from offnominal.core.checks import integer_in, numeric_array, shown
from offnominal.core.discrete_actions import are_discrete, n_discrete_actions, one_hot
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE, NominalReadings, all_valid, bounded, invalid_rows
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing
from offnominal.detectors.states import MOST_EPISODES, alike, chosen_rows, described, rows_of, with_rows

WIDEST = 10**9
"""Numbers that an observation or an action has, at most."""


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

    def invalid_rows(self) -> BoolArray:
        """Return which rows have a value that is not finite or beyond the limits for observations."""
        parts = (self.observation, self.action, self.next_observation)
        return np.asarray(np.logical_or.reduce([invalid_rows(part) for part in parts]))


class Detector(ABC):
    """Gives every transition a score. Higher is stranger.

    A constructor stores its arguments and nothing else; what :meth:`fit` learns ends in ``_``. Scoring changes nothing
    that was learned, looks at nothing that comes later, and treats every episode as if it were alone.

    A broken sensor is an anomaly, not an error. A transition with a reading that is not finite, or larger than
    :data:`~offnominal.detectors.observation_limits.MAX_READING`, has the score
    :data:`~offnominal.detectors.observation_limits.MAX_SCORE`. The algorithm sees the nominal mean of that channel
    instead, so that scores recover when the sensor does. No score is larger, and every score is finite.

    A subclass writes :meth:`_fit`, :meth:`_score` and :meth:`_update`, and :meth:`get_params`, :meth:`_state_dict` and
    :meth:`_load_state_dict` to be saved. If it remembers anything of an episode, it writes :meth:`_start` too.
    """

    pixel_observations: ClassVar[bool] = False
    """Whether observations are pictures, (3, H, W) of bytes. Such episodes are large, so they are taken one after the
    other and never all held at once."""

    default_world: ClassVar[str | None] = None
    """A world whose episodes it understands, if it does not understand those of any world."""

    raw_discrete_actions: ClassVar[bool] = False
    """Whether actions that are choices stay the numbers they are. Otherwise they come as a column for each choice."""

    readings_: NominalReadings = NominalReadings()

    def fit(self, episodes: Sequence[Episode], *, validation: Sequence[Episode] | None = None, seed: int = 0) -> Self:
        """Learn what is normal.

        Args:
            episodes: Nominal ones.
            validation: More of them, for detectors that stop learning when these say so.
            seed: Fixes everything that is random about learning.

        Raises:
            InvalidParameter: There is no episode, one without transitions, or a reading that is not valid.
        """
        seed = check_seed(seed)
        given = CheckedEpisodes(episodes)
        choices = 0 if self.raw_discrete_actions else n_discrete_actions(given)
        with all_or_nothing(self):
            first = CheckedEpisodes(given.episodes, choices=choices)[0]
            self.widths_ = widths(first)
            require = partial(_require_same_widths, first=first)
            training = self._taken(CheckedEpisodes(given.episodes, require, choices=choices))
            self.readings_ = NominalReadings() if self.pixel_observations else NominalReadings.of(training)
            held_out = (
                None if validation is None else self._taken(CheckedEpisodes(validation, require, choices=choices))
            )
            self._fit(training, held_out, seed)
        return self

    def _taken(self, episodes: CheckedEpisodes) -> Sequence[Episode]:
        return episodes if self.pixel_observations else list(episodes)

    @abstractmethod
    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        """Learn from checked episodes."""

    def score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return one array per episode with a score for each of its transitions.

        Every score is finite: that of a transition with an invalid reading is
        :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.
        """
        self._require_fitted()
        choices = 0 if self.raw_discrete_actions else self.widths_[1]
        checked = CheckedEpisodes(episodes, self._require_shapes, choices=choices, readings=self.readings_)
        with np.errstate(all="ignore"):
            scores = [bounded(each) for each in self._score(self._taken(checked))]
        for number, invalid in checked.invalid.items():
            scores[number] = np.where(invalid, MAX_SCORE, scores[number])
        return scores

    @abstractmethod
    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Score checked episodes."""

    def start(self, n: int = 1) -> Any:
        """Return the state before the first transition of n episodes."""
        self._require_fitted()
        return self._start(integer_in("n", n, 1, MOST_EPISODES))

    def _start(self, n: int) -> Any:
        """Return what is remembered of n episodes before their first transition; nothing unless a subclass says so."""
        return None

    def restart(self, state: Any, rows: Array) -> Any:
        """Return the state with some rows at the beginning of a new episode; the given state stays as it is.

        States are made of arrays with a row per episode, alone or in tuples; others bring a `_restart` of their own.

        Args:
            state: What :meth:`start` or :meth:`update` returned.
            rows: Numbers of the rows, or a truth value for each.
        """
        self._require_fitted()
        n = rows_of(state)
        self._require_state(state, 1 if n is None else n)
        return state if n is None else self._restart(state, chosen_rows(rows, n))

    def _restart(self, state: Any, rows: Array) -> Any:
        """Restart some rows, given by their numbers."""
        return with_rows(state, self.start(rows_of(state) or 1), rows)

    def update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Return the state after a transition of each episode, and its scores; the given state stays as it is.

        Every score is finite: that of a transition with an invalid reading is
        :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.

        Args:
            state: What :meth:`start` or the call before returned.
            step: The transition.
        """
        self._require_fitted()
        step = checked_step(step)
        if are_discrete(step.action) and not self.raw_discrete_actions:
            step = replace(step, action=one_hot(step.action, self.widths_[1]))
        self._require_shapes(step.observation, step.action, "the step")
        self._require_state(state, len(step))
        valid = all(map(all_valid, (step.observation, step.action, step.next_observation)))
        with np.errstate(all="ignore"):
            state, scores = self._update(state, step if valid else self._replaced(step))
        return state, bounded(scores) if valid else np.where(step.invalid_rows(), MAX_SCORE, bounded(scores))

    def _require_state(self, state: Any, n: int) -> None:
        """Raise :class:`InvalidParameter` unless a state is one of so many episodes."""
        fresh = self.start(n)
        if alike(state, fresh):
            return
        if (rows := rows_of(state)) not in (None, n):
            raise InvalidParameter(f"the state is that of {rows} episodes; the step is of {n}.")
        raise InvalidParameter(
            f"the state is {described(state)}; expected {described(fresh)}. Give what `start` or `update` returned."
        )

    def _replaced(self, step: Step) -> Step:
        """Return a step in which nominal readings stand in for invalid ones."""
        nominal = self.readings_
        return Step(
            nominal.observations(step.observation),
            nominal.actions(step.action),
            nominal.observations(step.next_observation),
        )

    @abstractmethod
    def _update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Score a checked transition."""

    @abstractmethod
    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments, as JSON can hold them."""

    def state_dict(self) -> dict[str, Array]:
        """Return everything that was learned, as arrays."""
        self._require_fitted()
        shared = {
            "widths": np.array(self.widths_, np.int64),
            "nominal.observation": self.readings_.observation.copy(),
            "nominal.action": self.readings_.action.copy(),
        }
        return shared | self._state_dict()

    def _state_dict(self) -> dict[str, Array]:
        """Return what this kind of detector has learned, as arrays."""
        return {}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Take back what :meth:`state` returned.

        Raises:
            DamagedFile: An array is missing, unknown, or not what this detector with these parameters learns. The
                detector stays as it was.
        """
        arrays = StateArrays(state, type(self).__name__)
        with all_or_nothing(self), arrays.damage_named():
            observation, action = arrays.integers("widths", (2,), low=0, high=WIDEST).tolist()
            self.widths_ = (observation, action)
            self.readings_ = NominalReadings(
                arrays.optional("nominal.observation", (observation,)), arrays.optional("nominal.action", (action,))
            )
            self._load_state_dict(arrays)
            arrays.require_all_taken()

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take back what :meth:`_state_dict` returned."""

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
    def _score_transitions(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        """Return the scores of n transitions; each is flat."""

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self._score_transitions(*transitions(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def _update(self, state: None, step: Step) -> tuple[None, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        return None, self._score_transitions(*flat)


def checked_step(step: Any) -> Step:
    """Return a step whose parts are arrays of numbers with a row per episode, or raise :class:`InvalidParameter`."""
    if not isinstance(step, Step):
        raise InvalidParameter(f"the step is {shown(step)}; expected a Step.")
    before = numeric_array("observations of the step", step.observation)
    action = numeric_array("actions of the step", step.action)
    after = numeric_array("next observations of the step", step.next_observation)
    if before.shape != after.shape or not after.shape or after.shape[:1] != action.shape[:1] or not len(after):
        raise InvalidParameter(
            f"the step has observations {before.shape}, actions {action.shape} and next observations {after.shape}; "
            "expected a row per episode in each, at least one."
        )
    if before is step.observation and action is step.action and after is step.next_observation:
        return step
    return Step(before, action, after)


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


def _require_same_widths(observations: Array, actions: Array, where: str, first: Episode) -> None:
    """Raise :class:`InvalidParameter` unless observations and actions are as wide as those of the first episode."""
    if (_width(observations), _width(actions)) != widths(first):
        raise InvalidParameter(
            f"{where} has observations of shape {observations.shape[1:]} and actions of shape {actions.shape[1:]}; "
            f"expected {first.observations.shape[1:]} and {first.actions.shape[1:]}, those of the first episode."
        )


class CheckedEpisodes(Sequence[Episode]):
    """Episodes with at least one transition, every reading valid.

    Each is checked when it is taken, so that episodes on disk are read when their turn comes.

    Args:
        episodes: A sequence of them, or a single one.
        require: Raises an error if observations and actions of the episode that is named are not what is needed.
        choices: How many columns to give to actions that are choices; 0 to leave them as they are.
        readings: What stands in for invalid readings; None if they are an error.

    Attributes:
        invalid: By number of the episode, of those taken so far: the transitions, (T,), with an invalid reading.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        require: Callable[[Array, Array, str], None] | None = None,
        *,
        choices: int = 0,
        readings: NominalReadings | None = None,
    ) -> None:
        self.episodes = _sequence(episodes)
        if not len(self.episodes):
            raise InvalidParameter("there are no episodes; give at least one.")
        self._require = require
        self._choices = choices
        self._readings = readings
        self.invalid: dict[int, BoolArray] = {}

    def __len__(self) -> int:
        return len(self.episodes)

    def __iter__(self) -> Iterator[Episode]:
        for number, episode in enumerate(self.episodes):
            yield self._checked(number, episode)

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> list[Episode]: ...
    def __getitem__(self, index: int | slice) -> Episode | list[Episode]:
        """Return an episode, or a list of some."""
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self._checked(number, self.episodes[number]) for number in numbers]
        return self._checked(numbers, self.episodes[numbers])

    def _checked(self, number: int, episode: Episode) -> Episode:
        if not isinstance(episode, Episode):
            raise InvalidParameter(f"entry {number} is a {type(episode).__name__}; expected an Episode.")
        if len(episode) == 0:
            raise InvalidParameter(f"episode {number} has no transitions; leave it out.")
        observations = numeric_array(f"observations of episode {number}", episode.observations)
        actions = numeric_array(f"actions of episode {number}", episode.actions)
        if self._choices and are_discrete(actions):
            actions = one_hot(actions, self._choices)
        if self._require is not None:
            self._require(observations, actions, f"episode {number}")
        if not (all_valid(observations) and all_valid(actions)):
            observations, actions = self._replaced(number, observations, actions)
        if observations is episode.observations and actions is episode.actions:
            return episode
        return replace(episode, observations=observations, actions=actions)

    def _replaced(self, number: int, observations: Array, actions: Array) -> tuple[Array, Array]:
        """Return readings with nominal ones for the invalid, and remember which transitions these belong to."""
        if self._readings is None:
            what = "actions" if all_valid(observations) else "observations"
            raise InvalidParameter(
                f"the {what} of episode {number} are not all finite, or absurdly large; leave it out or mend it."
            )
        broken = invalid_rows(observations)
        self.invalid[number] = broken[:-1] | broken[1:] | invalid_rows(actions)
        return self._readings.observations(observations), self._readings.actions(actions)


def _sequence(episodes: Any) -> Sequence[Episode]:
    """Return episodes as a sequence, also if it is one alone or comes one by one; its entries are not looked at."""
    if isinstance(episodes, Episode):
        return [episodes]
    if isinstance(episodes, Sequence) and not isinstance(episodes, str | bytes):
        return episodes
    if isinstance(episodes, Iterable) and not isinstance(episodes, str | bytes | Mapping):
        try:
            return list(episodes)
        except TypeError:
            pass
    raise InvalidParameter(f"the episodes are {shown(episodes)}; expected a sequence of them.")
