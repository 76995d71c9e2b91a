"""Two stages: the codes of a variational autoencoder, and a point detector that scores them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from offnominal.core.checks import positive_integer
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.deep.vae import VAE
from offnominal.detectors.points import NearestNeighbours, OneClassSVM, PointDetector


@dataclass(kw_only=True, eq=False)
class TwoStage(VAE):
    """Strange is a row whose mean code is strange to a point detector, fitted on the mean codes of normal rows.

    Scores: those of :class:`VAE`, and ``second``.
    """

    SCORES: ClassVar[tuple[str, ...]] = ("second", *VAE.SCORES)

    @abstractmethod
    def _second(self) -> PointDetector:
        """Return the point detector, not fitted yet."""

    def fit(self, rows: Array, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn the codes of rows, and then which codes are normal; see :meth:`DeepDetector.fit`."""
        super().fit(rows, validation=validation, seed=seed)
        self.second_ = self._second().fit(self.encode(rows), seed=seed)
        return self

    def scores(self, rows: Array, *, only: Sequence[str] | None = None) -> dict[str, FloatArray]:
        """Return all scores, or some of them; see :meth:`DeepDetector.scores`."""
        names = tuple(self.SCORES if only is None else map(self._named, only))
        found = super().scores(rows, only=[name for name in names if name != "second"])
        return found | ({"second": self.second_.score(self.encode(rows))} if "second" in names else {})

    def learned(self) -> dict[str, Array]:
        """Return what both stages learned."""
        return super().learned() | {f"second.{name}": values for name, values in self.second_.learned().items()}

    def restore(self, learned: Mapping[str, Array]) -> None:
        """Take back what :meth:`learned` returned."""
        second = {name: values for name, values in learned.items() if name.startswith("second.")}
        super().restore({name: values for name, values in learned.items() if name not in second})
        self.second_ = self._second()
        try:
            self.second_.restore({name.removeprefix("second."): values for name, values in second.items()})
        except KeyError as error:
            raise DamagedFile(
                f"these arrays are not what a {type(self).__name__} learns: {error} is missing."
            ) from None


@dataclass(kw_only=True, eq=False)
class VAEKNN(TwoStage):
    """Strange is a row whose code lies far from the codes of normal rows.

    Args:
        k: Which neighbour.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEKNN(latent=2, hidden=16, iterations=60, k=3).fit(rows).score(rows).shape
        (300,)
    """

    k: int = 5

    def _second(self) -> NearestNeighbours:
        return NearestNeighbours(positive_integer("k", self.k))


@dataclass(kw_only=True, eq=False)
class VAEOneClassSVM(TwoStage):
    """Strange is a row whose code lies outside a smooth border around the codes of normal rows.

    Args:
        nu: Share of the codes that may lie outside, at most.
        gamma: Inverse squared width of the kernel; see :class:`~offnominal.detectors.points.OneClassSVM`.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4))
        >>> VAEOneClassSVM(latent=2, hidden=16, iterations=60).fit(rows).score(rows).shape
        (300,)
    """

    nu: float = 0.5
    gamma: float | Literal["auto", "scale"] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._second()

    def _second(self) -> OneClassSVM:
        return OneClassSVM(self.nu, gamma=self.gamma)
