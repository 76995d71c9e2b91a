"""Sum-product-transform network (Pevný et al., 2020)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.gaussians import LOG_2PI
from offnominal.detectors.rows.row_scores import MixtureScore
from offnominal.detectors.training import TrainingHistory

Sharing = Literal["none", "dense", "all"]
MAX_PARAMETERS = 100_000_000
"""Largest number of weights."""

MAX_MATRICES = 1_000_000
"""Largest number of weights of all paths with which a single row is scored without torch."""

SLIGHT = 0.01
CLUSTER_STEPS = 10


class AffineMaps(nn.Module):
    """Affine maps y = W x + b, with W = L U: L is lower triangular with a diagonal of ones, U upper triangular.

    Args:
        count: Number of maps.
        width: Number of columns.
    """

    lower: Tensor

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.corners = nn.Parameter(SLIGHT * torch.randn(count, width, width))
        self.log_diagonal = nn.Parameter(torch.rand(count, width).clamp_min(SLIGHT).log())
        self.offset = nn.Parameter(SLIGHT * torch.randn(count, width))
        self.register_buffer("lower", torch.ones(width, width).tril(-1), persistent=False)

    def matrices(self) -> Tensor:
        """Return (count, width, width)."""
        ones = torch.eye(self.lower.shape[0], device=self.lower.device)
        lower, upper = self.corners * self.lower + ones, self.corners * self.lower.t()
        return lower @ (upper + torch.diag_embed(self.log_diagonal.exp()))

    @torch.no_grad()
    def centre(self, centres: Tensor, deviation: Tensor) -> None:
        """Map every centre (count, width) to the origin, and a deviation (width,) to one."""
        self.log_diagonal.copy_(-deviation.clamp_min(SLIGHT).log().expand_as(self.log_diagonal))
        self.offset.copy_(-torch.einsum("kcd,kd->kc", self.matrices(), centres))

    def log_volume(self) -> Tensor:
        """Return the log-determinant of every map."""
        return self.log_diagonal.sum(1)


def cluster_centres(rows: Tensor, count: int, random: RandomNumbers) -> Tensor:
    """Return the means (count, width) of clusters of rows, by some steps of k-means from k-means++."""
    centres = rows[random.permutation(len(rows), rows.device)[:1]]
    while len(centres) < count:
        squared = torch.cdist(rows, centres).amin(1).square().cumsum(0)
        drawn = random.uniform(1) * squared[-1]
        centres = torch.cat([centres, rows[torch.searchsorted(squared, drawn).clamp_max(len(rows) - 1)]])
    for _ in range(CLUSTER_STEPS):
        members = functional.one_hot(torch.cdist(rows, centres).argmin(1), count).T.to(rows)
        sizes = members.sum(1, keepdim=True)
        centres = torch.where(sizes > 0, members @ rows / sizes.clamp_min(1.0), centres)
    return centres


class SumProductTree(nn.Module):
    """Nested mixtures of affine maps of standard normal variables. Every path through the tree is a Gaussian.

    Args:
        width: Number of columns.
        n_components: Number of maps of a mixture.
        layers: Number of mixtures on a path.
        sharing: ``"none"``: every map has its own mixture; ``"dense"``: mixtures of one depth share
            their maps but not their weights; ``"all"``: they share both.
        first: Whether there is a map before the first mixture.
    """

    def __init__(self, width: int, n_components: int, layers: int, sharing: Sharing, *, first: bool) -> None:
        super().__init__()
        self.width, self.n_components = width, n_components
        self.first = AffineMaps(1, width) if first else None
        above = [n_components**depth for depth in range(layers)]
        maps = [n_components * (mixtures if sharing == "none" else 1) for mixtures in above]
        self.maps = nn.ModuleList(AffineMaps(count, width) for count in maps)
        weights = [torch.ones(1 if sharing == "all" else mixtures, n_components) for mixtures in above]
        self.weights = nn.ParameterList(nn.Parameter(each) for each in weights)

    def forward(self, rows: Tensor) -> Tensor:
        """Return the log-density of every row."""
        ends, constant = self.carried(rows)
        return torch.logsumexp(constant - 0.5 * (ends * ends + LOG_2PI).sum(-1), 1)

    @torch.no_grad()
    def place(self, rows: Tensor, random: RandomNumbers) -> None:
        """Centre the first map on the rows, and the maps of every mixture on clusters of the rows.

        Maps that are nearly equal have nearly equal gradients, and would stay the same Gaussian.
        """
        if self.first is not None:
            self.first.centre(rows.mean(0, keepdim=True), rows.std(0, unbiased=False))
            rows = rows @ self.first.matrices()[0].T + self.first.offset
        for maps in self.maps:
            assert isinstance(maps, AffineMaps)
            centres = cluster_centres(rows, self.n_components, random)
            residuals = rows - centres[torch.cdist(rows, centres).argmin(1)]
            deviation = residuals.square().mean(0).sqrt().clamp_min(SLIGHT)
            maps.centre(centres.repeat(len(maps.offset) // len(centres), 1), deviation)
            rows = residuals / deviation

    def carried(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return each row mapped by every path, (n, paths, width), and log-determinant plus log-weight."""
        ends, constant = rows[:, None], torch.zeros(1, device=rows.device)
        if self.first is not None:
            ends = (rows @ self.first.matrices()[0].T + self.first.offset)[:, None]
            constant = self.first.log_volume()
        for maps, logits in zip(self.maps, self.weights, strict=True):
            assert isinstance(maps, AffineMaps)
            own = len(maps.offset) > self.n_components
            paths = ends.shape[1]
            matrices = maps.matrices()
            if own:
                carried = torch.einsum("npd,pked->npke", ends, matrices.view(paths, -1, *matrices.shape[1:]))
            else:
                carried = torch.einsum("npd,ked->npke", ends, matrices)
            ends = (carried + maps.offset.view(paths if own else 1, -1, rows.shape[1])).flatten(1, 2)
            chosen = torch.log_softmax(logits, 1) + maps.log_volume().view(paths if own else 1, -1)
            constant = (constant[:, None] + chosen).flatten()
        return ends, constant


@dataclass(kw_only=True, eq=False)
class SPTN(DeepRowDetector):
    """Negative log-density of a tree of mixtures of affine maps of standard normal variables.

    Such a tree is a mixture of Gaussians with full covariances, whose parameters are shared along the branches;
    :meth:`mixture` returns it. Before training the maps of a mixture are centred on clusters of the
    training rows.

    Args:
        n_components: Number of maps of a mixture.
        layers: Number of mixtures on every path; there are ``n_components ** layers`` Gaussians.
        sharing: Sharing between branches: ``"none"``, ``"dense"`` (maps) or ``"all"`` (maps and weights).
        first_dense: Whether there is a map before the first mixture.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> sptn = SPTN(n_components=2, layers=1, learning_rate=1e-2, max_iter=300).fit(rows)
        >>> near, far = sptn.score(np.array([[0.0, 0.0], [5.0, -5.0]]))
        >>> bool(near < far), [part.shape for part in sptn.mixture()]
        (True, [(2,), (2, 2), (2, 2, 2)])
    """

    SCORES: ClassVar[tuple[str, ...]] = ("density",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    replayable: ClassVar[bool] = True

    validate_every: int = 10
    patience: int = 20
    n_components: int = 4
    layers: int = 1
    sharing: Sharing = "dense"
    first_dense: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sharing not in ("none", "dense", "all"):
            raise InvalidParameter(f"sharing is {self.sharing!r}; choose none, dense or all.")

    def _network(self, shape: Shape) -> SumProductTree:
        paths = self.n_components**self.layers
        if paths * shape[0] ** 2 > MAX_PARAMETERS:
            raise InvalidParameter(
                f"{paths} Gaussians of {shape[0]} columns need {paths * shape[0] ** 2:.3g} numbers; choose fewer "
                "components or layers."
            )
        return SumProductTree(shape[0], self.n_components, self.layers, self.sharing, first=self.first_dense)

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self.network_
        assert isinstance(network, SumProductTree)
        network.place(rows, random)
        descent = FlatOptimizer([network], self.learning_rate)
        return self._descend(descent, lambda some, _: -network(some).mean(), rows, validation, random)

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"density": torch.cat([-self.network_(part) for part in torch.split(rows, 256)])}

    def _row_score(self) -> MixtureScore | None:
        assert isinstance(self.network_, SumProductTree)
        if self.n_components**self.layers * self.network_.width**2 > MAX_MATRICES:
            return None
        offsets, matrices, constants = self._paths()
        width = self.network_.width
        joined = matrices.permute(2, 0, 1).reshape(width, -1)
        return MixtureScore(*(part.cpu().numpy() for part in (joined.contiguous(), offsets, constants)))

    @torch.no_grad()
    def _paths(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the offset and the matrix of every path, and its log-determinant plus log-weight."""
        assert isinstance(self.network_, SumProductTree)
        network, width = copy.deepcopy(self.network_).double(), self.network_.width
        # The images of the origin and of the unit vectors give the map of a path.
        corners = torch.cat([torch.zeros(1, width), torch.eye(width)]).to(network.weights[0])
        ends, constants = network.carried(corners)
        return ends[0], (ends[1:] - ends[0]).permute(1, 2, 0), constants

    def mixture(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights, means and covariances of the Gaussians that the tree is a mixture of."""
        self._require_fitted()
        offset, matrix, constant = self._paths()
        with torch.no_grad():
            weight = constant - torch.linalg.slogdet(matrix).logabsdet
            means = -torch.linalg.solve(matrix, offset[..., None]).squeeze(-1)
            covariances = torch.linalg.inv(matrix.transpose(1, 2) @ matrix)
        parts = (weight.exp(), means, covariances)
        return tuple(part.cpu().numpy() for part in parts)
