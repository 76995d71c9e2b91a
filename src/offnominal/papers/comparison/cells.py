"""Cells of a comparison: one search of parameters on one table or on one class of one image set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.datasets.recipe import without
from offnominal.papers.comparison.own_methods import own_targets
from offnominal.studies.base import BaseCell, Target

Sampler = Literal["random", "optuna"]
Leave = Literal["leave-one-out", "leave-one-in"]


@dataclass(frozen=True)
class SearchCell(BaseCell):
    """Many configurations of one method, fitted on one split of one table.

    Configurations do not depend on the seed. Random configurations do not depend on the table either.

    Args:
        table: Name of the table, or the file and the column of labels of your own, ``"mine.csv:label"``.
        method: Short name of the method, as in the paper's tables, or ``"package.module:Class"``.
        seed: Random seed of the split and of every fit.
        configurations: Number of configurations.
        search: Random seed of the configurations.
        sampler: Whether configurations are drawn at random or proposed by Optuna.
        normalise: Scaling of columns; see :func:`~offnominal.datasets.tables.split_table`.
        limit_s: CPU seconds after which no further configuration is fitted.
        drop_identifiers: Whether to drop columns with row numbers.
        fixed: Parameters that all configurations share, such as fewer iterations.
        contamination: Fraction of anomalies among the training rows.
        clustered: Fraction of the anomalies that are kept, a random one and those nearest to it; see
            :func:`~offnominal.papers.comparison.clustered_anomalies.clustered_anomalies`.
        kind: Id of the study kind.

    Example:
        >>> SearchCell("iris", "knn", 1).label
        'iris/knn/1'
    """

    table: str
    method: str
    seed: int
    configurations: int = 100
    search: int = 0
    sampler: Sampler = "random"
    normalise: Literal["train", "paper"] = "train"
    limit_s: float | None = None
    drop_identifiers: bool = True
    fixed: dict[str, Any] = field(default_factory=dict)
    contamination: float = 0.0
    clustered: float = 1.0
    kind: Literal["search"] = "search"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the contamination and the clusters if there are none."""
        return without(super().to_dict(), contamination=0.0, clustered=1.0)

    @property
    def label(self) -> str:
        """Table, method and seed."""
        return f"{self.table}/{self.method}/{self.seed}"

    @property
    def source(self) -> str:
        """Hash of the name of the table and of the columns that are dropped."""
        text = json.dumps([self.table, self.drop_identifiers])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its table in progress messages."""
        return f"table {self.table}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row; the table is stored as the world."""
        return {"world": self.table, "policy": "", "name": self.method}

    def targets(self) -> Iterator[Target]:
        """Yield the method if it is a class of the user."""
        yield from own_targets([self.method])


@dataclass(frozen=True)
class ImageCell(BaseCell):
    """Many configurations of one method, or of several on the same networks, fitted on one split of one image set.

    Args:
        images: Name of the image set.
        methods: Short names of the methods.
        class_index: Index of the class, in the order of first appearance.
        seed: Random seed of the split and of every fit.
        leave: ``leave-one-out`` makes this class the anomaly, ``leave-one-in`` all others.
        configurations: Number of configurations; for networks, the number of trainings. Every score of a network is
            evaluated.
        n_second_stage: Number of configurations of a second stage on the codes of each network.
        machines: Number of support vector machines whose scores are averaged, each fitted on its own training images.
        machine_rows: Maximum number of training images of each machine; None divides all of them.
        search: Random seed of the configurations.
        n_train: Maximum number of training images; None for all.
        n_test: Maximum number of validation images and of test images; None for all.
        fixed: Parameters that all configurations share, such as fewer iterations.
        kind: Id of the study kind.

    Example:
        >>> ImageCell("mnist", ("vae", "vaek"), 3).label
        'mnist/vae+vaek/3/1'
    """

    images: str
    methods: tuple[str, ...]
    class_index: int
    seed: int = 1
    leave: Leave = "leave-one-out"
    configurations: int = 100
    n_second_stage: int = 0
    machines: int = 0
    machine_rows: int | None = None
    search: int = 0
    n_train: int | None = None
    n_test: int | None = None
    fixed: dict[str, Any] = field(default_factory=dict)
    kind: Literal["image-search"] = "image-search"

    @property
    def label(self) -> str:
        """Image set, methods, class and seed."""
        return f"{self.images}/{'+'.join(self.methods)}/{self.class_index}/{self.seed}"

    @property
    def source(self) -> str:
        """Hash of the name of the image set."""
        return hashlib.sha256(json.dumps(["images", self.images]).encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its image set in progress messages."""
        return f"images {self.images}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row; the image set is stored as the world."""
        return {"world": self.images, "policy": "", "name": "+".join(self.methods)}
