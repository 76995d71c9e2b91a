"""One-class support vector machines: distances are computed once, kernels once for every nu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.device import choose_device
from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.kernels import Kernel, inner_products, kernel_of, similarities
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped
from offnominal.papers.comparison.search_spaces import Configuration

LARGEST = 6000
"""Training points up to which whole kernels are kept: three matrices of so many rows and columns."""

one_class_svm = partial(OneClassSVM, max_iter=100_000)
"""One-class SVM with a limit for steep polynomial kernels."""


class KernelSVMRunner(ConfigurationRunner):
    """One-class support vector machines.

    Scores agree with single fits to about 1e-12 of their range: a kernel computed beforehand may differ from
    scikit-learn's own in its last bit.
    """

    def __init__(self, name: str = "osvm") -> None:
        super().__init__(name, one_class_svm)

    def groups(self, valid: Group) -> list[Group]:
        """Part by kernel."""
        return grouped(valid, "kernel", "gamma", "degree", "coef0")

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Compute products of all points with the training points, once for each kind of kernel."""
        if len(split.train) > LARGEST:
            return {}
        found: dict[bool, list[FloatArray]] = {}
        for kernel in {each.get("kernel", "rbf") for each in configurations}:
            if (kernel == "rbf") in found:
                continue
            points = split.train.points
            with timer.fit():
                own = inner_products(points, points, kernel)
            with timer.score():
                others = [inner_products(part.points, points, kernel) for part in (split.validation, split.test)]
            found[kernel == "rbf"] = [own, *others]
        return found

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Compute one kernel and fit it with each nu."""
        each = self.make(**configurations[0]).get_params()
        if not shared or isinstance(each["gamma"], str):
            return super().run_group(configurations, shared, split, seed, timer)
        kernel: Kernel = each["kernel"]
        shape = (each["gamma"], each["degree"], each["coef0"])
        own, *others = shared[kernel == "rbf"]
        with timer.fit():
            whole = kernel_of(own, kernel, *shape)
        return [self._solve(each, whole, others, kernel, shape, timer) for each in configurations]

    def _solve(
        self,
        configuration: Configuration,
        whole: FloatArray,
        others: Sequence[FloatArray],
        kernel: Kernel,
        shape: tuple[float, int, float],
        timer: FitTimer,
    ) -> Scores:
        with timer.fit():
            machine = one_class_svm(**configuration).solve(whole, kernel="precomputed")
        weights = np.ascontiguousarray(machine.dual_coef_[0])
        with timer.score():
            first, second = (
                -similarities(np.ascontiguousarray(products[:, machine.support_]), weights, kernel, *shape)
                for products in others
            )
        return first, second


CHUNK = 4096
"""Rows whose kernel is computed at a time."""


class SlicedSVMRunner(ConfigurationRunner):
    """One-class support vector machines on consecutive slices of the training rows; scores are means over machines.

    This is how the paper fits them on images: a machine takes time that grows with the square of its rows. Products of
    rows are computed once per machine, kernels once for every nu.

    Args:
        name: Name of the method.
        machines: Number of machines.
        rows: Of each machine at most; None shares out all training rows.
    """

    def __init__(self, name: str, machines: int = 10, rows: int | None = None) -> None:
        super().__init__(name, one_class_svm)
        self.machines = positive_integer("machines", machines)
        self.rows = None if rows is None else positive_integer("rows", rows)

    def slices(self, n: int) -> Iterator[slice]:
        """Yield the training rows of each machine; a few are left over where n is no multiple of the machines.

        Example:
            >>> list(SlicedSVMRunner("osvm", 2).slices(7)), list(SlicedSVMRunner("osvm", 2, rows=2).slices(7))
            ([slice(0, 3, None), slice(3, 6, None)], [slice(0, 2, None), slice(3, 5, None)])
        """
        share = max(1, n // self.machines)
        for number in range(min(self.machines, n)):
            yield slice(number * share, number * share + min(share, self.rows or share))

    def groups(self, valid: Group) -> list[Group]:
        """Take all at once."""
        return [valid] if valid else []

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Fit every configuration on one slice after the other."""
        points, parts = split.train.points, (split.validation.points, split.test.points)
        totals = [[np.zeros(len(part)) for part in parts] for _ in configurations]
        slices = list(self.slices(len(points)))
        for rows in slices:
            with timer.score():
                machine = BatchedSVM(points[rows], parts)
            for group in grouped(list(enumerate(configurations)), "kernel", "gamma", "degree", "coef0"):
                with timer.fit():
                    weights = machine.fit([each for _, each in group])
                with timer.score():
                    scores = machine.scores(group[0][1], weights)
                for column, (place, _) in enumerate(group):
                    for part, found in enumerate(scores):
                        totals[place][part] += found[:, column] / len(slices)
        return [(first, second) for first, second in totals]


class BatchedSVM:
    """Support vector machines on the same rows, in double precision, on a GPU if there is one.

    Products with the rows to score are computed once and kept.

    Args:
        points: (n, d) to learn from.
        parts: Tables of rows to score.
    """

    def __init__(self, points: FloatArray, parts: Sequence[FloatArray]) -> None:
        import torch

        place = choose_device("auto")
        given = [torch.from_numpy(np.ascontiguousarray(rows, np.float64)).to(place) for rows in (points, *parts)]
        self.squares = [rows.square().sum(dim=1) for rows in given]
        self.products = [rows @ given[0].T for rows in given]

    def fit(self, configurations: Sequence[Configuration]) -> FloatArray:
        """Return the weight of every row, a column per configuration; these share a kernel."""
        whole = self._kernel(self.products[0], self.squares[0], configurations[0]).cpu().numpy()
        weights = np.zeros((len(whole), len(configurations)))
        for column, configuration in enumerate(configurations):
            machine = one_class_svm(**configuration).solve(whole, kernel="precomputed")
            weights[machine.support_, column] = machine.dual_coef_[0]
        return weights

    def scores(self, configuration: Configuration, weights: FloatArray) -> list[FloatArray]:
        """Return minus the weighted similarity of each row of each part, a column per column of weights."""
        import torch

        given = torch.from_numpy(weights).to(self.products[0].device)
        found = []
        for products, squares in zip(self.products[1:], self.squares[1:], strict=True):
            pieces = zip(torch.split(products, CHUNK), torch.split(squares, CHUNK), strict=True)
            found.append(torch.cat([-(self._kernel(*piece, configuration) @ given) for piece in pieces]).cpu().numpy())
        return found

    def _kernel(self, products: Any, squares: Any, configuration: Configuration) -> Any:
        """Return the similarities of rows and points from their products."""
        each = one_class_svm(**configuration).get_params()
        if each["kernel"] == "rbf":
            apart = squares[:, None] + self.squares[0] - 2.0 * products
            return apart.clamp_min_(0.0).mul_(-each["gamma"]).exp_()
        inner = products * each["gamma"] + each["coef0"]
        return inner.tanh_() if each["kernel"] == "sigmoid" else inner ** each["degree"]
