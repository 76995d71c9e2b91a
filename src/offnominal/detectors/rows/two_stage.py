"""Two stages: a variational autoencoder, and a row detector on its codes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from torch import Tensor

from offnominal.core.checks import positive_integer
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.rows.deep_rows import MAX_VALUE
from offnominal.detectors.rows.kernels import Kernel
from offnominal.detectors.rows.knn import KNN, Distance
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.rows.row_scores import MeanCode
from offnominal.detectors.rows.vae import VAE
from offnominal.detectors.state_arrays import StateArrays

MAX_ITER = 100_000
"""Iterations of the solver of support vectors: a steep ``poly`` kernel never reaches the tolerance."""


@dataclass(kw_only=True, eq=False)
class TwoStage(VAE):
    """A row detector on the mean codes of a variational autoencoder.

    Scores: those of :class:`VAE`, and ``second``, the score of the row detector.
    """

    SCORES: ClassVar[tuple[str, ...]] = ("second", *VAE.SCORES)

    @abstractmethod
    def _second(self) -> RowDetector:
        """Return the row detector, not fitted."""

    def fit(self, X: Array, y: Any = None, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Train the autoencoder, then fit the row detector on its codes; see :meth:`DeepRowDetector.fit`."""
        super().fit(X, validation=validation, seed=seed)
        self.second_ = self._second().fit(self.encode(X), seed=seed)
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

    def _row_score(self) -> MeanCode:
        return MeanCode(DenseLayers.of(self._coder().encoder))

    def _score_row(self, row: FloatArray) -> FloatArray:
        second = self.row_score_ is not None and self.score_name == self.SCORES[0]
        return self.second_.score_row(super()._score_row(row)) if second else self.score(row)

    def _torch_score(self, rows: Tensor) -> Tensor:
        if self.score_name != "second":
            return super()._torch_score(rows)
        codes = self._coder().encoder(rows.clamp(-MAX_VALUE, MAX_VALUE).float())[0]
        return self.second_._torch_score(codes.double())

    def _state_dict(self) -> dict[str, Array]:
        return super()._state_dict() | {f"second.{name}": values for name, values in self.second_.state_dict().items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        second = state.part("second.")
        super()._load_state_dict(state)
        self.second_ = self._second()
        self.second_.load_state_dict(second)
        width = self.encode(np.zeros((1, *self.shape_))).shape[1]
        if self.second_.width_ != width:
            raise DamagedFile(f"a code has {width} numbers; the second stage was fitted with {self.second_.width_}.")


@dataclass(kw_only=True, eq=False)
class VAEKNN(TwoStage):
    """Distance of a code to the nearest codes of nominal rows.

    Args:
        n_neighbors: Number of neighbours.
        distance: Distance to the neighbours; see :class:`~offnominal.detectors.rows.KNN`.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEKNN(latent=2, hidden=16, max_iter=60, n_neighbors=3).fit(rows).score(rows).shape
        (300,)
    """

    n_neighbors: int = 5
    distance: Distance = "kappa"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._second()

    def _second(self) -> KNN:
        return KNN(positive_integer("n_neighbors", self.n_neighbors), distance=self.distance)


@dataclass(kw_only=True, eq=False)
class VAEOneClassSVM(TwoStage):
    """One-class support vector machine on the codes of nominal rows.

    Args:
        nu: Upper bound on the fraction of codes outside the boundary.
        gamma: Scale of the kernel; see :class:`~offnominal.detectors.rows.OneClassSVM`.
        kernel: ``"rbf"``, ``"poly"`` or ``"sigmoid"``.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEOneClassSVM(latent=2, hidden=16, max_iter=60).fit(rows).score(rows).shape
        (300,)
    """

    nu: float = 0.5
    gamma: float | Literal["auto", "scale"] = "auto"
    kernel: Kernel = "rbf"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._second()

    def _second(self) -> OneClassSVM:
        return OneClassSVM(nu=self.nu, gamma=self.gamma, kernel=self.kernel, max_iter=MAX_ITER)
