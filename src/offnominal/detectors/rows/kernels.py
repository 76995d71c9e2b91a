"""Kernels of the one-class support vector machine, summed in a fixed order."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray

Kernel = Literal["rbf", "sigmoid", "poly"]
KERNELS: tuple[Kernel, ...] = ("rbf", "sigmoid", "poly")


def inner_products(rows: FloatArray, vectors: FloatArray, kernel: Kernel) -> FloatArray:
    """Return the argument of the kernel: (rows, vectors) squared distances for ``rbf``, else scalar products."""
    return _products(rows, vectors, kernel == "rbf")


def kernel_of(products: FloatArray, kernel: Kernel, gamma: float, degree: int = 3, coef0: float = 0.0) -> FloatArray:
    """Return the kernel matrix from :func:`inner_products`."""
    out = np.empty_like(products)
    _apply(products, KERNELS.index(kernel), gamma, coef0, degree, out)
    return out


def similarities(
    products: FloatArray, weights: FloatArray, kernel: Kernel, gamma: float, degree: int = 3, coef0: float = 0.0
) -> FloatArray:
    """Return the weighted sum of the kernel over the vectors for each row, from :func:`inner_products`."""
    return _weigh(products, weights, KERNELS.index(kernel), gamma, coef0, degree)


@compiled
def rbf_similarities(rows: FloatArray, vectors: FloatArray, weights: FloatArray, gamma: float) -> FloatArray:
    """Return the same as :func:`similarities` for ``rbf``, without keeping the distances."""
    total = np.zeros(rows.shape[0])
    for i in range(rows.shape[0]):
        for j in range(vectors.shape[0]):
            distance = 0.0
            for c in range(rows.shape[1]):
                difference = rows[i, c] - vectors[j, c]
                distance += difference * difference
            total[i] += weights[j] * math.exp(-gamma * distance)
    return total


@compiled
def squared_distances(row: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the squared distances of one row from vectors, which are given as (columns, vectors)."""
    total = np.zeros(columns.shape[1])
    for c in range(len(row)):
        x, column = row[c], columns[c]
        for j in range(len(total)):
            difference = x - column[j]
            total[j] += difference * difference
    return total


@compiled
def _products(rows: FloatArray, vectors: FloatArray, distances: bool) -> FloatArray:
    """One sum per pair in a fixed order: a matrix product would round differently in batches of different size."""
    columns = np.ascontiguousarray(vectors.T)
    out = np.zeros((rows.shape[0], vectors.shape[0]))
    for i in range(rows.shape[0]):
        total = out[i]
        for c in range(rows.shape[1]):
            x, column = rows[i, c], columns[c]
            if distances:
                for j in range(len(total)):
                    difference = x - column[j]
                    total[j] += difference * difference
            else:
                for j in range(len(total)):
                    total[j] += x * column[j]
    return out


@compiled
def _kernel(product: float, kernel: int, gamma: float, coef0: float, degree: int) -> float:
    if kernel == 0:
        return math.exp(-gamma * product)
    if kernel == 1:
        return math.tanh(gamma * product + coef0)
    base, power = gamma * product + coef0, 1.0
    for _ in range(degree):
        power *= base
    return power


@compiled
def _apply(products: FloatArray, kernel: int, gamma: float, coef0: float, degree: int, out: FloatArray) -> None:
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            out[i, j] = _kernel(products[i, j], kernel, gamma, coef0, degree)


@compiled
def _weigh(
    products: FloatArray, weights: FloatArray, kernel: int, gamma: float, coef0: float, degree: int
) -> FloatArray:
    total = np.zeros(products.shape[0])
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            total[i] += weights[j] * _kernel(products[i, j], kernel, gamma, coef0, degree)
    return total
