"""Support vector machines: distances are computed once, kernels once for every nu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.kernels import Kernel, inner_products, kernel_of, similarities
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped
from offnominal.papers.comparison.search.search_space import Configuration

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
