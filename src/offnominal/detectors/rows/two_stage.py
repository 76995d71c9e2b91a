"""Two stages: the codes of a variational autoencoder, and a point detector that scores them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.rows import NearestNeighbours, OneClassSVM, RowDetector
from offnominal.detectors.rows.vae import VAE
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class TwoStage(VAE):
    """Strange is a row whose mean code is strange to a point detector, fitted on the mean codes of normal rows.

    Scores: those of :class:`VAE`, and ``second``.
    """

    SCORES: ClassVar[tuple[str, ...]] = ("second", *VAE.SCORES)

    @abstractmethod
    def _second(self) -> RowDetector:
        """Return the point detector, not fitted yet."""

    def fit(self, rows: Array, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn the codes of rows, and then which codes are normal; see :meth:`DeepRowDetector.fit`."""
        super().fit(rows, validation=validation, seed=seed)
        self.second_ = self._second().fit(self.encode(rows), seed=seed)
        return self

    def scores(self, rows: Array, *, only: Sequence[str] | None = None) -> dict[str, FloatArray]:
        """Return all scores, or some of them; see :meth:`DeepRowDetector.scores`."""
        self._require_fitted()
        names = tuple(self.SCORES if only is None else map(self._named, only))
        found = super().scores(rows, only=[name for name in names if name != "second"])
        if "second" in names:
            given, broken = self._readable(rows)
            second = self.second_.score(self.encode(given))
            found["second"] = second if broken is None else np.where(broken, MAX_SCORE, second)
        return found

    def _state_dict(self) -> dict[str, Array]:
        return super()._state_dict() | {f"second.{name}": values for name, values in self.second_.state_dict().items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        second = state.part("second.")
        super()._load_state_dict(state)
        self.second_ = self._second()
        self.second_.load_state_dict(second)
        width = self.encode(np.zeros((1, *self.shape_))).shape[1]
        if self.second_.width_ != width:
            raise DamagedFile(f"a code has {width} numbers; the second stage has learned from {self.second_.width_}.")


@dataclass(kw_only=True, eq=False)
class VAEKNN(TwoStage):
    """Strange is a row whose code lies far from the codes of normal rows.

    Args:
        n_neighbors: Which neighbour.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEKNN(latent=2, hidden=16, max_iter=60, n_neighbors=3).fit(rows).score(rows).shape
        (300,)
    """

    n_neighbors: int = 5

    def _second(self) -> NearestNeighbours:
        return NearestNeighbours(positive_integer("n_neighbors", self.n_neighbors))


@dataclass(kw_only=True, eq=False)
class VAEOneClassSVM(TwoStage):
    """Strange is a row whose code lies outside a smooth border around the codes of normal rows.

    Args:
        nu: Share of the codes that may lie outside, at most.
        gamma: Inverse squared width of the kernel; see :class:`~offnominal.detectors.rows.OneClassSVM`.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEOneClassSVM(latent=2, hidden=16, max_iter=60).fit(rows).score(rows).shape
        (300,)
    """

    nu: float = 0.5
    gamma: float | Literal["auto", "scale"] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._second()

    def _second(self) -> OneClassSVM:
        return OneClassSVM(self.nu, gamma=self.gamma)
