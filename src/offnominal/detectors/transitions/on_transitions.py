"""Row detectors on the transitions of episodes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, did_you_mean
from offnominal.core.registry import Registry
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.contributions import Contributions
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.normaliser import CONSTANT, Normaliser
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.rows.estimator_adapter import EstimatorAdapter, OutlierEstimator
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.views import View, ViewName, ViewState

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.torch_step import TorchStep

HELD_OUT = 0.1
_row_detectors: Registry[RowDetector] = Registry("row detector", RowDetector)


class OnTransitions(Detector):
    """A row detector that scores a view of every transition, normalised by the nominal mean and deviation.

    For a row detector with early stopping, validation rows come from the `validation` episodes. Without them, a tenth
    of the episodes is held out; whole episodes, because steps of one episode are alike. A single episode is used for
    both.

    Args:
        row_detector: Scores the rows.
        view: Which values of a transition are in a row; see :class:`View`.
        window_length: Length of the ``"window"`` view.
        constant_scale: Divisor of columns that are constant in the nominal data. With 1 they keep their raw unit; the
            public code of Anomaly-Gym divides them by 1e-6, so that any change of them is huge.

    Example:
        >>> from offnominal.agents import expert
        >>> from offnominal.detectors.rows import KNN
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 20)
        >>> detector = OnTransitions(KNN(), view="transition").fit(episodes)
        >>> [len(scores) == len(episode) for scores, episode in zip(detector.score(episodes[:2]), episodes)]
        [True, True]
    """

    def __init__(
        self,
        row_detector: RowDetector,
        *,
        view: ViewName = "next_observation",
        window_length: int = 5,
        constant_scale: float = 1.0,
    ) -> None:
        self.row_detector = row_detector
        self.constant_scale = number_in("constant_scale", constant_scale, CONSTANT, 1e6)
        self.view = View(view, window_length)

    @property
    def name(self) -> str:
        """Name of the row detector's class, or of this class if it is a subclass."""
        return type(self.row_detector if type(self) is OnTransitions else self).__name__

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.normaliser_ = Normaliser.of(self.view.of_episodes(episodes), constant_scale=self.constant_scale)
        if validation is None and self.row_detector.stops_early:
            episodes, validation = _hold_out(episodes, seed)
        held_out = None if validation is None else self._rows(validation)
        self.row_detector.fit(self._rows(episodes), validation=held_out, seed=seed)

    def _rows(self, episodes: Sequence[Episode]) -> FloatArray:
        return self.normaliser_(self.view.of_episodes(episodes))

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self.row_detector.score(self._rows(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def _contributions(self, episode: Episode) -> Contributions | None:
        terms = self.row_detector._contributions(self._rows([episode]))
        if terms is None:
            return None
        values = np.zeros((len(terms), sum(self.widths_)))
        for column, channel in enumerate(self.view.channels(*self.widths_)):
            values[:, channel] += terms[:, column]
        return Contributions.sums(values, self.widths_)

    def _start(self, n: int) -> ViewState:
        return self.view._start(n, self.widths_[0])

    def _update(self, state: ViewState, step: Step) -> tuple[ViewState, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        view_state, rows = self.view._of_step(state, *flat)
        score = self.row_detector.score_row if n == 1 else self.row_detector.score
        return view_state, score(self.normaliser_(rows))

    def _torch_update(self, state: ViewState, step: TorchStep) -> tuple[ViewState, Tensor]:
        import torch

        from offnominal.detectors.export.step import bounded, replaced

        state, rows = self.view.torch_of_step(state, step.observation, step.action, step.next_observation)
        valid_rows, broken = replaced(self.normaliser_.torch(rows), np.zeros(0))
        return state, torch.where(broken, MAX_SCORE, bounded(self.row_detector._torch_score(valid_rows).double()))

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the row detector and of the view."""
        view = {"view": self.view.name} | (
            {"window_length": self.view.window_length} if self.view.name == "window" else {}
        )
        scale = {} if self.constant_scale == 1.0 else {"constant_scale": self.constant_scale}
        return self.row_detector.get_params() | view | scale

    def _state_dict(self) -> dict[str, Array]:
        own = {"mean": self.normaliser_.mean, "scale": self.normaliser_.scale}
        return own | {f"point.{name}": values for name, values in self.row_detector.state_dict().items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        width = self.view.width(*self.widths_)
        self.normaliser_ = Normaliser.restored(state, "mean", "scale", width)
        row_detector = copy(self.row_detector)
        row_detector.load_state_dict(state.part("point."))
        if row_detector.width_ != width:
            raise DamagedFile(f"the rows have {width} columns; {self.name} was fitted with {row_detector.width_}.")
        self.row_detector = row_detector


def on_transitions(
    estimator: RowDetector | OutlierEstimator, *, view: ViewName = "next_observation", window_length: int = 5
) -> OnTransitions:
    """Return a detector of episodes from a row detector or from an outlier estimator of scikit-learn or PyOD.

    Args:
        estimator: Scores the rows; see :class:`EstimatorAdapter` for the requirements.
        view: Which values of a transition are in a row; see :class:`View`.
        window_length: Length of the ``"window"`` view.

    Example:
        >>> from sklearn.covariance import EllipticEnvelope
        >>> on_transitions(EllipticEnvelope(), view="transition").view.name
        'transition'
    """
    row_detector = estimator if isinstance(estimator, RowDetector) else EstimatorAdapter(estimator)
    return OnTransitions(row_detector, view=view, window_length=window_length)


def make_on_transitions(
    row_detector: str,
    *,
    view: ViewName = "next_observation",
    window_length: int = 5,
    constant_scale: float = 1.0,
    **parameters: Any,
) -> OnTransitions:
    """Return a detector of episodes from the class of a row detector; the target of registered row detectors.

    Args:
        row_detector: ``"package.module:Class"``, of this package or of one with an entry point of ours.
        view: Which values of a transition are in a row; see :class:`View`.
        window_length: Length of the ``"window"`` view.
        constant_scale: Divisor of constant columns.
        parameters: Parameters of the row detector.

    Raises:
        InvalidParameter: The row detector has no such parameter.

    Example:
        >>> make_on_transitions("offnominal.detectors.rows:LOF", n_neighbors=9, view="window").get_params()
        {'n_neighbors': 9, 'view': 'window', 'window_length': 5}
    """
    _row_detectors.find(row_detector, allow_modules=())
    made = _row_detectors.load(row_detector)
    _check_names(made, parameters)
    return OnTransitions(made(**parameters), view=view, window_length=window_length, constant_scale=constant_scale)


def _check_names(made: Callable[..., RowDetector], parameters: dict[str, Any]) -> None:
    known = [*inspect.signature(made).parameters, "view", "window_length", "constant_scale"]
    for name in parameters:
        if name not in known:
            raise InvalidParameter(
                f"{getattr(made, '__name__', made)} has no parameter {name!r}.{did_you_mean(name, known)} "
                f"It has {', '.join(known)}."
            )


def _hold_out(episodes: Sequence[Episode], seed: int) -> tuple[Sequence[Episode], Sequence[Episode]]:
    """Return training and validation episodes: a random tenth is held out; a single episode is both."""
    if len(episodes) == 1:
        return episodes, episodes
    order = Stream.named(seed, 0, "validation").generator().permutation(len(episodes)).tolist()
    last = len(episodes) - max(1, round(HELD_OUT * len(episodes)))
    return [episodes[number] for number in order[:last]], [episodes[number] for number in order[last:]]
