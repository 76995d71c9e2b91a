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
from offnominal.detectors import points
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.points.estimator import Estimator, Fittable
from offnominal.detectors.points.point import PointDetector
from offnominal.detectors.views import Past, View, ViewName

HELD_OUT = 0.1


class OnTransitions(Detector):
    """A point detector that scores every transition by a view of it, normalised by what is nominal.

    A point detector that stops learning when unseen rows say so is shown those of `validation`, or else those of a
    tenth of the episodes, which it does not learn from: steps of one episode are alike. A single episode is both.

    Args:
        point: What scores a row.
        view: Which numbers make the row; see :class:`View`.
        length: Of the window, if that is the view.

    Example:
        >>> from offnominal.agents import expert
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 20)
        >>> detector = OnTransitions(points.NearestNeighbours(), view="transition").fit(episodes)
        >>> [len(scores) == len(episode) for scores, episode in zip(detector.score(episodes[:2]), episodes)]
        [True, True]
    """

    def __init__(self, point: PointDetector, *, view: ViewName = "next_observation", length: int = 5) -> None:
        self.point = point
        self.view = View(view, length)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.normaliser_ = Normaliser.of(self.view.of_episodes(episodes))
        if validation is None and self.point.stops_early:
            episodes, validation = held_out(episodes, seed)
        unseen = None if validation is None else self._rows(validation)
        self.point.fit(self._rows(episodes), validation=unseen, seed=seed)

    def _rows(self, episodes: Sequence[Episode]) -> FloatArray:
        return self.normaliser_(self.view.of_episodes(episodes))

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        scores = self.point.score(self._rows(episodes))
        return np.split(scores, np.cumsum([len(episode) for episode in episodes])[:-1])

    def _start(self, n: int) -> Past:
        return self.view.start(n, self.widths_[0])

    def _update(self, state: Past, step: Step) -> tuple[Past, FloatArray]:
        n = len(step)
        flat = (np.asarray(part).reshape(n, -1) for part in (step.observation, step.action, step.next_observation))
        past, rows = self.view.of_step(state, *flat)
        return past, self.point.score(self.normaliser_(rows))

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments, those of the point detector among them."""
        view = {"view": self.view.name} | ({"length": self.view.length} if self.view.name == "window" else {})
        return self.point.parameters() | view

    def _learned(self) -> dict[str, Array]:
        own = {"mean": self.normaliser_.mean, "scale": self.normaliser_.scale}
        return own | {f"point.{name}": values for name, values in self.point.learned().items()}

    def _restore(self, learned: LearnedArrays) -> None:
        width = self.view.width(*self.widths_)
        self.normaliser_ = Normaliser.restored(learned, "mean", "scale", width)
        point = copy(self.point)
        point.restore(learned.part("point."))
        if point.width_ != width:
            raise DamagedFile(f"the rows have {width} columns; {type(point).__name__} has learned {point.width_}.")
        self.point = point


class FromSettings(OnTransitions):
    """A point detector that is built from its settings, and scores every transition by a view of it.

    Args:
        view: Which numbers of a transition make a row; see :class:`View`.
        length: Of the window, if that is the view.
        settings: Those of the point detector.
    """

    def __init__(self, *, view: ViewName = "next_observation", length: int = 5, **settings: Any) -> None:
        super().__init__(self._point(**settings), view=view, length=length)

    @staticmethod
    @abstractmethod
    def _point(**settings: Any) -> PointDetector:
        """Return the point detector. Its class is named here, where the version of the code can see it."""


class KNN(OnTransitions):
    """The distance to the k-th nearest nominal transition; see :class:`~offnominal.detectors.points.NearestNeighbours`.

    Args:
        k: Which neighbour.
        view: See :class:`View`.
        length: Of the window.
    """

    def __init__(self, k: int = 1, *, view: ViewName = "next_observation", length: int = 5) -> None:
        super().__init__(points.NearestNeighbours(k), view=view, length=length)


class IsolationForest(OnTransitions):
    """Few random cuts isolate what is strange; see :class:`~offnominal.detectors.points.IsolationForest`.

    Args:
        trees: How many.
        sample: Rows each tree sees at most.
        bootstrap: Whether they are drawn with replacement.
        view: See :class:`View`.
        length: Of the window.
    """

    def __init__(
        self,
        trees: int = 100,
        *,
        sample: int = 256,
        bootstrap: bool = True,
        view: ViewName = "next_observation",
        length: int = 5,
    ) -> None:
        super().__init__(points.IsolationForest(trees, sample=sample, bootstrap=bootstrap), view=view, length=length)


class OneClassSVM(OnTransitions):
    """Outside a smooth border is strange; see :class:`~offnominal.detectors.points.OneClassSVM`.

    Args:
        nu: Share of nominal transitions that may lie outside.
        gamma: Inverse squared width of the kernel.
        tolerance: At which the search stops.
        view: See :class:`View`.
        length: Of the window.
    """

    def __init__(
        self,
        nu: float = 0.5,
        *,
        gamma: float | Literal["auto", "scale"] = "auto",
        tolerance: float = 1e-3,
        view: ViewName = "next_observation",
        length: int = 5,
    ) -> None:
        super().__init__(points.OneClassSVM(nu, gamma=gamma, tolerance=tolerance), view=view, length=length)


class Mahalanobis(OnTransitions):
    """Far from the mean is strange, correlations considered; see :class:`~offnominal.detectors.points.Mahalanobis`.

    Args:
        view: See :class:`View`.
        length: Of the window.
    """

    def __init__(self, *, view: ViewName = "next_observation", length: int = 5) -> None:
        super().__init__(points.Mahalanobis(), view=view, length=length)


def held_out(episodes: Sequence[Episode], seed: int) -> tuple[Sequence[Episode], Sequence[Episode]]:
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
    estimator: PointDetector | Fittable, *, view: ViewName = "next_observation", length: int = 5
) -> OnTransitions:
    """Make a detector of a point detector, or of any outlier estimator of scikit-learn or PyOD.

    Args:
        estimator: What scores a row; see :class:`Estimator` for what is refused.
        view: Which numbers of a transition make the row.
        length: Of the window, if that is the view.

    Example:
        >>> from sklearn.covariance import EllipticEnvelope
        >>> on_transitions(EllipticEnvelope(), view="transition").view.name
        'transition'
    """
    point = estimator if isinstance(estimator, PointDetector) else Estimator(estimator)
    return OnTransitions(point, view=view, length=length)
