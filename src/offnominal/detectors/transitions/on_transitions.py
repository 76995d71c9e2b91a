"""Point detectors on the transitions of episodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, Literal

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors import rows as points
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.rows.estimator_adapter import EstimatorAdapter, OutlierEstimator
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.views import View, ViewName, ViewState

HELD_OUT = 0.1


class OnTransitions(Detector):
    """A point detector that scores every transition by a view of it, normalised by what is nominal.

    A point detector that stops learning when unseen rows say so is shown those of `validation`, or else those of a
    tenth of the episodes, which it does not learn from: steps of one episode are alike. A single episode is both.

    Args:
        row_detector: What scores a row.
        view: Which numbers make the row; see :class:`View`.
        window_length: Of the window, if that is the view.

    Example:
        >>> from offnominal.agents import expert
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 20)
        >>> detector = OnTransitions(points.NearestNeighbours(), view="transition").fit(episodes)
        >>> [len(scores) == len(episode) for scores, episode in zip(detector.score(episodes[:2]), episodes)]
        [True, True]
    """

    def __init__(
        self, row_detector: RowDetector, *, view: ViewName = "next_observation", window_length: int = 5
    ) -> None:
        self.row_detector = row_detector
        self.view = View(view, window_length)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.normaliser_ = Normaliser.of(self.view.of_episodes(episodes))
        if validation is None and self.row_detector.stops_early:
            episodes, validation = split_validation(episodes, seed)
        unseen = None if validation is None else self._rows(validation)
        self.row_detector.fit(self._rows(episodes), validation=unseen, seed=seed)

    def _rows(self, episodes: Sequence[Episode]) -> FloatArray:
        return self.normaliser_(self.view.of_episodes(episodes))

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self.row_detector.score(self._rows(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def _start(self, n: int) -> ViewState:
        return self.view.start(n, self.widths_[0])

    def _update(self, state: ViewState, step: Step) -> tuple[ViewState, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        view_state, rows = self.view.of_step(state, *flat)
        return view_state, self.row_detector.score(self.normaliser_(rows))

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments, those of the point detector among them."""
        view = {"view": self.view.name} | (
            {"window_length": self.view.window_length} if self.view.name == "window" else {}
        )
        return self.row_detector.get_params() | view

    def _state_dict(self) -> dict[str, Array]:
        own = {"mean": self.normaliser_.mean, "scale": self.normaliser_.scale}
        return own | {f"point.{name}": values for name, values in self.row_detector.state_dict().items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        width = self.view.width(*self.widths_)
        self.normaliser_ = Normaliser.restored(state, "mean", "scale", width)
        row_detector = copy(self.row_detector)
        row_detector.load_state_dict(state.part("point."))
        if row_detector.width_ != width:
            raise DamagedFile(
                f"the rows have {width} columns; {type(row_detector).__name__} has learned {row_detector.width_}."
            )
        self.row_detector = row_detector


class FromSettings(OnTransitions):
    """A point detector that is built from its settings, and scores every transition by a view of it.

    Args:
        view: Which numbers of a transition make a row; see :class:`View`.
        window_length: Of the window, if that is the view.
        settings: Those of the point detector.
    """

    def __init__(self, *, view: ViewName = "next_observation", window_length: int = 5, **settings: Any) -> None:
        super().__init__(self._point(**settings), view=view, window_length=window_length)

    @staticmethod
    @abstractmethod
    def _point(**settings: Any) -> RowDetector:
        """Return the point detector. Its class is named here, where the version of the code can see it."""


class KNN(OnTransitions):
    """The distance to the k-th nearest nominal transition; see :class:`~offnominal.detectors.rows.NearestNeighbours`.

    Args:
        n_neighbors: Which neighbour.
        view: See :class:`View`.
        window_length: Of the window.
    """

    def __init__(self, n_neighbors: int = 1, *, view: ViewName = "next_observation", window_length: int = 5) -> None:
        super().__init__(points.NearestNeighbours(n_neighbors), view=view, window_length=window_length)


class IsolationForest(OnTransitions):
    """Few random cuts isolate what is strange; see :class:`~offnominal.detectors.rows.IsolationForest`.

    Args:
        n_estimators: How many.
        max_samples: Rows each tree sees at most.
        bootstrap: Whether they are drawn with replacement.
        view: See :class:`View`.
        window_length: Of the window.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_samples: int = 256,
        bootstrap: bool = True,
        view: ViewName = "next_observation",
        window_length: int = 5,
    ) -> None:
        super().__init__(
            points.IsolationForest(n_estimators, max_samples=max_samples, bootstrap=bootstrap),
            view=view,
            window_length=window_length,
        )


class OneClassSVM(OnTransitions):
    """Outside a smooth border is strange; see :class:`~offnominal.detectors.rows.OneClassSVM`.

    Args:
        nu: Share of nominal transitions that may lie outside.
        gamma: Inverse squared width of the kernel.
        tol: At which the search stops.
        view: See :class:`View`.
        window_length: Of the window.
    """

    def __init__(
        self,
        nu: float = 0.5,
        *,
        gamma: float | Literal["auto", "scale"] = "auto",
        tol: float = 1e-3,
        view: ViewName = "next_observation",
        window_length: int = 5,
    ) -> None:
        super().__init__(points.OneClassSVM(nu, gamma=gamma, tol=tol), view=view, window_length=window_length)


class Mahalanobis(OnTransitions):
    """Far from the mean is strange, correlations considered; see :class:`~offnominal.detectors.rows.Mahalanobis`.

    Args:
        view: See :class:`View`.
        window_length: Of the window.
    """

    def __init__(self, *, view: ViewName = "next_observation", window_length: int = 5) -> None:
        super().__init__(points.Mahalanobis(), view=view, window_length=window_length)


def split_validation(episodes: Sequence[Episode], seed: int) -> tuple[Sequence[Episode], Sequence[Episode]]:
    """Return the episodes to learn from, and a tenth of them to stop by; a single one is both.

    Args:
        episodes: To divide.
        seed: Decides which.
    """
    if len(episodes) == 1:
        return episodes, episodes
    order = Stream.named(seed, 0, "validation").generator().permutation(len(episodes)).tolist()
    last = len(episodes) - max(1, round(HELD_OUT * len(episodes)))
    return [episodes[number] for number in order[:last]], [episodes[number] for number in order[last:]]


def on_transitions(
    estimator: RowDetector | OutlierEstimator, *, view: ViewName = "next_observation", window_length: int = 5
) -> OnTransitions:
    """Make a detector of a point detector, or of any outlier estimator of scikit-learn or PyOD.

    Args:
        estimator: What scores a row; see :class:`EstimatorAdapter` for what is refused.
        view: Which numbers of a transition make the row.
        window_length: Of the window, if that is the view.

    Example:
        >>> from sklearn.covariance import EllipticEnvelope
        >>> on_transitions(EllipticEnvelope(), view="transition").view.name
        'transition'
    """
    row_detector = estimator if isinstance(estimator, RowDetector) else EstimatorAdapter(estimator)
    return OnTransitions(row_detector, view=view, window_length=window_length)
