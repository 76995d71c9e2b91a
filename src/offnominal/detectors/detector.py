"""The contract of a detector: an anomaly score for each transition."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from offnominal.core.checks import integer_in, numeric_array, one_of
from offnominal.core.discrete_actions import are_discrete, n_discrete_actions, one_hot
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, UnsupportedExport
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.checked_episodes import CheckedEpisodes, require_same_widths, width, widths
from offnominal.detectors.contributions import Contributions, invalid_channels, named_channels, with_largest_scores
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.observation_limits import MAX_SCORE, NominalReadings, all_valid, bounded, invalid_rows
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing
from offnominal.detectors.states import MOST_EPISODES, alike, chosen_rows, described, rows_of, with_rows

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.diagnosis import Explanation, FaultLibrary, NominalReference
    from offnominal.detectors.export.exported_model import ExportedModel
    from offnominal.detectors.torch_step import TorchStep

WIDEST = 10**9
"""Largest number of values in an observation or an action."""


@dataclass(frozen=True, slots=True)
class Step:
    """One transition of each of n episodes that run at the same time.

    Args:
        observation: (n, ...) observations before the transition.
        action: (n, ...) commanded actions.
        next_observation: (n, ...) observations after the transition.
    """

    observation: Array
    action: Array
    next_observation: Array

    def __len__(self) -> int:
        return len(self.next_observation)

    def invalid_rows(self) -> BoolArray:
        """Return which rows have a value that is not finite or larger than the limit for readings."""
        parts = (self.observation, self.action, self.next_observation)
        return np.asarray(np.logical_or.reduce([invalid_rows(part) for part in parts]))


class Detector(LearnedState):
    """Gives every transition an anomaly score. Higher is more anomalous.

    A constructor only stores its arguments; attributes that :meth:`fit` learns end in ``_``. Scoring changes no learned
    attribute and uses no later transition, and the scores of an episode do not depend on other episodes.

    A broken sensor is an anomaly, not an error. A transition with a reading that is not finite, or larger than
    :data:`~offnominal.detectors.observation_limits.MAX_READING`, has the score
    :data:`~offnominal.detectors.observation_limits.MAX_SCORE`. The algorithm gets the nominal mean of that channel
    instead, so that scores recover when the sensor does. Every score is finite, and none is larger.

    A subclass implements :meth:`_fit`, :meth:`_score` and :meth:`_update`, and :meth:`get_params`, :meth:`_state_dict`
    and :meth:`_load_state_dict` to be saved. A subclass with memory also implements :meth:`_start`.
    """

    LEARNED: ClassVar[str] = "widths_"

    pixel_observations: ClassVar[bool] = False
    """Whether observations are images, (3, H, W) of bytes. Such episodes are large, so only one is in memory at a
    time."""

    default_world: ClassVar[str | None] = None
    """A world whose episodes it accepts, if it does not accept those of every world."""

    raw_discrete_actions: ClassVar[bool] = False
    """Whether discrete actions stay integers. Otherwise they are one-hot encoded."""

    export_tolerance: ClassVar[float] = 1e-5
    """Largest difference between a score of the file of :meth:`export` and that of :meth:`update`, relative to scores
    above 1."""

    readings_: NominalReadings = NominalReadings()

    def fit(self, episodes: Sequence[Episode], *, validation: Sequence[Episode] | None = None, seed: int = 0) -> Self:
        """Learn from nominal episodes.

        Args:
            episodes: Nominal episodes to train on.
            validation: Other nominal episodes, for detectors with early stopping.
            seed: Of all random numbers of the training.

        Raises:
            InvalidParameter: There is no episode, an episode has no transitions, or a reading is invalid.

        Warns:
            FaultyTrainingData: Some episodes have active labels.
        """
        seed = check_seed(seed)
        given = CheckedEpisodes(episodes)
        n_actions = 0 if self.raw_discrete_actions else n_discrete_actions(given)
        with all_or_nothing(self):
            first = CheckedEpisodes(given.episodes, n_actions=n_actions)[0]
            self.widths_ = widths(first)
            require = partial(require_same_widths, first=first)
            checked = CheckedEpisodes(given.episodes, require, n_actions=n_actions)
            training = self._taken(checked)
            self.readings_ = NominalReadings() if self.pixel_observations else NominalReadings.of(training)
            held_out = (
                None if validation is None else self._taken(CheckedEpisodes(validation, require, n_actions=n_actions))
            )
            self._fit(training, held_out, seed)
        checked.warn_of_faults(self.name)
        return self

    def _taken(self, episodes: CheckedEpisodes) -> Sequence[Episode]:
        return episodes if self.pixel_observations else list(episodes)

    @abstractmethod
    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        """Learn from checked episodes."""

    def score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return one array per episode with the score of each of its transitions.

        Every score is finite: the score of a transition with an invalid reading is
        :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.
        """
        self._require_fitted()
        checked = self._checked_episodes(episodes)
        with np.errstate(all="ignore"):
            scores = [bounded(each) for each in self._score(self._taken(checked))]
        for number, invalid in checked.invalid.items():
            scores[number] = np.where(invalid, MAX_SCORE, scores[number])
        return scores

    def _checked_episodes(self, episodes: Sequence[Episode]) -> CheckedEpisodes:
        """Return episodes for scoring, with nominal readings in place of invalid ones."""
        n_actions = 0 if self.raw_discrete_actions else self.widths_[1]
        return CheckedEpisodes(episodes, self._require_shapes, n_actions=n_actions, readings=self.readings_)

    @abstractmethod
    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Score checked episodes."""

    def explain(
        self,
        episode: Episode,
        *,
        method: Literal["auto", "occlusion", "shapley"] = "auto",
        names: Sequence[str] | None = None,
        nominal: NominalReference | Sequence[Episode] | None = None,
        library: FaultLibrary | None = None,
    ) -> Explanation:
        """Return what each channel contributes to the scores of an episode, since when, and which known fault it is.

        Many scores are a sum over channels, such as prediction errors; their terms are the contributions. Otherwise
        channels are replaced by their nominal mean, and the decrease of the score is the contribution.

        Args:
            episode: The episode.
            method: ``"auto"`` for the terms of the detector's own formula, or occlusion where there are none;
                ``"occlusion"``; or ``"shapley"``. See :data:`~offnominal.detectors.contributions.Method`.
            names: Names of the observation channels, then of the action channels.
            nominal: Nominal episodes that the detector was not fitted to, at least 19, or a
                :class:`~offnominal.detectors.diagnosis.NominalReference` of them, which is faster for several
                episodes. The explanation then has an estimated onset, or says that no change was found.
            library: Known faults, recorded with the same detector. It needs `nominal`.

        Raises:
            InvalidParameter: The observations are images, the names are not as many as the channels, or there are too
                few nominal episodes.
        """
        from offnominal.detectors.diagnosis import Explanation, NominalReference

        one_of("method", method, ("auto", "occlusion", "shapley"))
        if not isinstance(episode, Episode):
            raise InvalidParameter(f"the episode is {shown(episode)}; expected one Episode.")
        (scores,) = self.score([episode])
        if self.pixel_observations:
            raise InvalidParameter(
                f"{self.name} scores images; explain returns contributions of channels of vector observations."
            )
        found = self._contributions_of(self._checked_episodes([episode])[0], method)
        explanation = Explanation(
            self.name,
            scores,
            with_largest_scores(found.values, scores, invalid_channels(episode, found)),
            named_channels(found.channels, names),
            found.n_observations,
            found.method,
            np.zeros(len(scores)) if found.baseline is None else found.baseline,
        )
        if nominal is not None and not isinstance(nominal, NominalReference):
            nominal = NominalReference([self.explain(each, method=method, names=names) for each in nominal])
        return explanation.compared(nominal, library)

    def _contributions_of(self, episode: Episode, method: str) -> Contributions:
        """Return the contributions to the scores of a checked episode, by a method."""
        from offnominal.detectors.diagnosis.occlusion import occlusion, shapley

        with np.errstate(all="ignore"):
            own = self._contributions(episode) if method == "auto" else None
        if own is not None:
            return own
        estimate = shapley if method == "shapley" else occlusion
        return estimate(self.score, episode, self.readings_)

    def _contributions(self, episode: Episode) -> Contributions | None:
        """Return the terms of the scores of a checked episode by channel; None if the score has no such terms."""
        return None

    def start(self, n: int = 1) -> Any:
        """Return the state before the first transition of n episodes."""
        self._require_fitted()
        return self._start(integer_in("n", n, 1, MOST_EPISODES))

    def _start(self, n: int) -> Any:
        """Return the state of n episodes before their first transition; None for a detector without memory."""
        return None

    def restart(self, state: Any, rows: Array) -> Any:
        """Return the state with some rows reset to the beginning of an episode; the given state is not changed.

        A state is an array with a row per episode, or a tuple of such arrays. A detector with another state overrides
        `_restart`.

        Args:
            state: Result of :meth:`start` or :meth:`update`.
            rows: Indices of the rows, or a boolean mask.
        """
        self._require_fitted()
        n = rows_of(state)
        self._require_state(state, 1 if n is None else n)
        return state if n is None else self._restart(state, chosen_rows(rows, n))

    def _restart(self, state: Any, rows: Array) -> Any:
        """Reset rows, given by their indices."""
        return with_rows(state, self.start(rows_of(state) or 1), rows)

    def update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Return the state after a transition of each episode, and the scores; the given state is not changed.

        Every score is finite: the score of a transition with an invalid reading is
        :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.

        Args:
            state: Result of :meth:`start` or of the previous call.
            step: The transition.
        """
        self._require_fitted()
        step = checked_step(step)
        if step.action.ndim == 1 and not self.raw_discrete_actions and are_discrete(step.action):
            step = replace(step, action=one_hot(step.action, self.widths_[1]))
        self._require_shapes(step.observation, step.action, "the step")
        self._require_state(state, len(step))
        valid = all(map(all_valid, (step.observation, step.action, step.next_observation)))
        with np.errstate(all="ignore"):
            state, scores = self._update(state, step if valid else self._replaced(step))
        return state, bounded(scores) if valid else np.where(step.invalid_rows(), MAX_SCORE, bounded(scores))

    def _require_state(self, state: Any, n: int) -> None:
        """Raise :class:`InvalidParameter` unless a state is that of n episodes."""
        fresh = self.start(n)
        if alike(state, fresh):
            return
        if (rows := rows_of(state)) not in (None, n):
            raise InvalidParameter(f"the state is that of {rows} episodes; the step is of {n}.")
        raise InvalidParameter(
            f"the state is {described(state)}; expected {described(fresh)}. Pass the result of `start` or `update`."
        )

    def _replaced(self, step: Step) -> Step:
        """Return a step with nominal readings in place of invalid ones."""
        nominal = self.readings_
        return Step(
            nominal.observations(step.observation),
            nominal.actions(step.action),
            nominal.observations(step.next_observation),
        )

    @abstractmethod
    def _update(self, state: Any, step: Step) -> tuple[Any, FloatArray]:
        """Score a checked transition."""

    def export(
        self,
        path: Path | str,
        *,
        alarm: Any = None,
        n: int = 1,
        discrete_actions: bool = False,
        observation_names: Sequence[str] | None = None,
        episodes: Sequence[Episode] | None = None,
    ) -> ExportedModel:
        """Write the fitted detector as an ONNX file for runtimes without this package; needs ``offnominal[onnx]``.

        The file computes one step: from ``observation``, ``action``, ``next_observation`` and the state (zeros before
        the first step of an episode) to ``score``, ``alarm`` if one is given, and the next state. Its scores are those
        of :meth:`update` within :attr:`export_tolerance`. Before it is written, episodes are replayed by onnxruntime,
        step by step; a file with other scores or alarms is not written.

        Args:
            path: The file; it is written atomically.
            alarm: A fitted alarm, or a number as the threshold of the score; None for no alarm.
            n: Number of episodes that run at the same time.
            discrete_actions: Whether an action is an integer; otherwise (n, width) values, one-hot if discrete.
            observation_names: Name of each value of an observation, stored in the file.
            episodes: Episodes to replay, such as those that the alarm was fitted to. Their first scores become part of
                the file, for ``offnominal verify``. None replays the mean nominal readings alone.

        Raises:
            UnsupportedExport: The detector or the alarm cannot be written, or the file has other scores; the message
                says why.
        """
        from offnominal.detectors.export import load_exporter

        return load_exporter()(
            self,
            path,
            alarm=alarm,
            n=n,
            discrete_actions=discrete_actions,
            observation_names=observation_names,
            episodes=episodes,
        )

    def save(self, path: Path | str) -> None:
        """Write the fitted detector as ``path.safetensors`` and ``path.json``; nothing is pickled.

        :func:`~offnominal.detectors.files.load_detector` reads them.

        Args:
            path: Path without extension.

        Raises:
            NotFitted: It was not fitted.
            InvalidParameter: Its class is not registered, so that it could not be loaded again.
        """
        from offnominal.detectors.files import save_detector

        save_detector(path, self)

    def _torch_update(self, state: Any, step: TorchStep) -> tuple[Any, Tensor]:
        """Score a checked transition by torch operators, which :meth:`export` records; see :meth:`_update`."""
        raise UnsupportedExport(f"{self.name} has no ONNX form: it does not implement `_torch_update`.")

    @abstractmethod
    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as values that JSON can represent."""

    def _shared_state(self) -> dict[str, Array]:
        return {
            "widths": np.array(self.widths_, np.int64),
            "nominal.observation": self.readings_.observation.copy(),
            "nominal.action": self.readings_.action.copy(),
        }

    def _load_shared_state(self, state: StateArrays) -> None:
        observation, action = state.integers("widths", (2,), low=0, high=WIDEST).tolist()
        self.widths_ = (observation, action)
        self.readings_ = NominalReadings(
            state.optional("nominal.observation", (observation,)), state.optional("nominal.action", (action,))
        )

    def _state_dict(self) -> dict[str, Array]:
        """Return the learned parameters of this class as arrays."""
        return {}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Restore the result of :meth:`_state_dict`."""

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        """Raise :class:`InvalidParameter` unless the shapes are those of the training episodes."""
        found = width(observations), width(actions)
        if found != self.widths_:
            raise InvalidParameter(
                f"{where} has observations of width {found[0]} and actions of width {found[1]}; "
                f"{self.name} was fitted with {self.widths_[0]} and {self.widths_[1]}."
            )


class TransitionDetector(Detector):
    """A detector without memory: the score of a transition depends only on this transition."""

    @abstractmethod
    def _score_transitions(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        """Return the scores of n transitions, given as (n, width) arrays."""

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self._score_transitions(*transitions(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def _update(self, state: None, step: Step) -> tuple[None, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        return None, self._score_transitions(*flat)


def checked_step(step: Any) -> Step:
    """Return a step with numeric arrays that have a row per episode, or raise :class:`InvalidParameter`."""
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
    """Return observations, actions and next observations of all transitions, concatenated, as (n, width) arrays."""
    observations = np.concatenate([episode.observations[:-1].reshape(len(episode), -1) for episode in episodes])
    actions = np.concatenate([episode.actions.reshape(len(episode), -1) for episode in episodes])
    after = np.concatenate([episode.observations[1:].reshape(len(episode), -1) for episode in episodes])
    return observations, actions, after
