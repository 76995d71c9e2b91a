"""Studies of a comparison as data: which methods are searched on which tables or image sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.checks import number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.image_sets import image_set_entry
from offnominal.datasets.tables import table_entry
from offnominal.datasets.tables.own_tables import is_own_table, own_table_file
from offnominal.papers.comparison.cells import ImageCell, Leave, Sampler, SearchCell
from offnominal.papers.comparison.own_methods import is_own_method, own_methods, own_targets
from offnominal.papers.comparison.search_spaces import (
    CLASSICAL,
    CODED,
    NETWORKS,
    SECOND_STAGES,
    image_search_space_of,
    sharing,
    table_search_space_of,
)
from offnominal.studies.base import BaseStudy, Target
from offnominal.studies.scales import check_integers, check_names


@dataclass(frozen=True)
class SearchScale(Config):
    """Scale of a comparison on tables; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        tables: Names of tables.
        methods: Short names of methods.
        seeds: Random seeds of splits and fits.
        configurations: Number of configurations of each method.
        configurations_by_method: Number of configurations of methods that have more or fewer.
        limit_s: CPU seconds per cell after which no further configuration is fitted.
        fixed: Parameters that all configurations of a method share.
    """

    summary: str = ""
    tables: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    configurations: int | None = None
    configurations_by_method: dict[str, int] | None = None
    limit_s: float | None = None
    fixed: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True)
class SearchStudy(BaseStudy):
    """Methods whose parameters are searched on tables.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        tables: Names of tables; ``"mine.csv:label"`` is a file of your own and its column of labels.
        methods: Short names of methods, or ``"package.module:Class"`` of your own; see
            :mod:`~offnominal.papers.comparison.own_methods`.
        seeds: Random seeds of splits and fits.
        configurations: Number of configurations of each method, the same on all tables and seeds.
        configurations_by_method: Number of configurations of methods that have more or fewer.
        search: Random seed of the configurations.
        sampler: Whether configurations are drawn at random, the same on all tables, or proposed by Optuna per table.
        normalise: Scaling of columns.
        drop_identifiers: Whether to drop columns with row numbers.
        contamination: Fraction of anomalies among the training rows, which detectors take for normal.
        clustered: Fraction of the anomalies that are kept: a random one and those nearest to it; 1 for all.
        limit_s: CPU seconds per cell after which no further configuration is fitted.
        fixed: Parameters that all configurations of a method share.
        beside: Studies whose results the report shows beside those of this one, with nothing computed for them.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.

    Example:
        >>> study = SearchStudy("mine", tables=("iris",), methods=("knn", "lof"), seeds=(1,))
        >>> [cell.label for cell in study.cells()]
        ['iris/knn/1', 'iris/lof/1']
    """

    tables: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    configurations: int = 100
    search: int = 0
    sampler: Sampler = "random"
    normalise: Literal["train", "paper"] = "train"
    drop_identifiers: bool = True
    limit_s: float | None = None
    fixed: dict[str, dict[str, Any]] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    configurations_by_method: dict[str, int] = field(default_factory=dict)
    contamination: float = 0.0
    clustered: float = 1.0
    scales: dict[str, SearchScale] = field(default_factory=dict)
    kind: Literal["search"] = "search"

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        _check_filled(self, "tables", "methods", "seeds")
        check_integers(self, 1, "configurations", "configurations_by_method")
        check_integers(self, 0, "seeds", "search")
        number_in("contamination", self.contamination, 0.0, 1.0, open_high=True)
        number_in("clustered", self.clustered, 0.0, 1.0, open_low=True)
        if self.limit_s is not None and not self.limit_s > 0.0:
            raise InvalidParameter(f"limit_s is {self.limit_s!r}; expected a number of seconds above 0.")
        for table in self.tables:
            if is_own_table(table):
                own_table_file(table)
            else:
                table_entry(table)
        for method in (*self.methods, *self.fixed, *self.configurations_by_method):
            if is_own_method(method):
                own_methods.find(method)
            else:
                table_search_space_of(method)

    def targets(self) -> Iterator[Target]:
        """Yield the methods that are classes of the user."""
        yield from own_targets(self.methods)

    def cells(self) -> list[SearchCell]:
        """Return every cell: table by table, so that cells which share a table follow each other."""
        return [
            SearchCell(
                table=table,
                method=method,
                seed=seed,
                configurations=self.configurations_by_method.get(method, self.configurations),
                search=self.search,
                sampler=self.sampler,
                normalise=self.normalise,
                limit_s=self.limit_s,
                drop_identifiers=self.drop_identifiers,
                fixed=self.fixed.get(method, {}),
                contamination=self.contamination,
                clustered=self.clustered,
            )
            for table in self.tables
            for method in self.methods
            for seed in self.seeds
        ]


@dataclass(frozen=True)
class ImageScale(Config):
    """Scale of a comparison on images; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        sets: Names of image sets.
        methods: Short names of methods.
        classes: Indices of classes, in the order of first appearance.
        seeds: Random seeds of splits and fits.
        configurations: Number of configurations of methods without a network.
        networks: Number of trained networks of each method that has one.
        networks_by_method: Number of networks of methods that have more or fewer.
        n_second_stage: Number of configurations of a second stage on the codes of each network.
        machines: Number of support vector machines whose scores are averaged.
        machine_rows: Maximum number of training images of each machine.
        n_train: Maximum number of training images.
        n_test: Maximum number of validation images and of test images.
        fixed: Parameters that all configurations of a method share.
    """

    summary: str = ""
    sets: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    classes: tuple[int, ...] | None = None
    seeds: tuple[int, ...] | None = None
    configurations: int | None = None
    networks: int | None = None
    networks_by_method: dict[str, int] | None = None
    n_second_stage: int | None = None
    machines: int | None = None
    machine_rows: int | None = None
    n_train: int | None = None
    n_test: int | None = None
    fixed: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True)
class ImageStudy(BaseStudy):
    """Methods whose parameters are searched on image sets, with each class in turn.

    Args:
        name: Id in commands.
        title: Title of the report.
        summary: The question of the study, in one or two sentences.
        sets: Names of image sets.
        methods: Short names of methods.
        classes: Indices of classes, in the order of first appearance.
        seeds: Random seeds of splits and fits.
        leave: ``leave-one-out`` makes the class the anomaly, ``leave-one-in`` all others.
        configurations: Number of configurations of methods without a network, the same everywhere.
        networks: Number of trained networks of each method that has one. Every score of a network is
            evaluated.
        networks_by_method: Number of networks of methods that have more or fewer.
        n_second_stage: Number of configurations of a second stage on the codes of each network.
        machines: Number of support vector machines whose scores are averaged, each fitted on its own training images.
        machine_rows: Maximum number of training images of each machine; None divides all of them.
        search: Random seed of the configurations.
        n_train: Maximum number of training images; None for all.
        n_test: Maximum number of validation images and of test images; None for all.
        fixed: Parameters that all configurations of a method share; those of ``vae`` also apply where its codes are
            scored.
        scales: Smaller or larger versions by name.
        kind: Id of the study kind.

    Example:
        >>> study = ImageStudy("mine", sets=("mnist",), methods=("knn", "vae", "vaek"), classes=(0,))
        >>> [cell.label for cell in study.cells()]
        ['mnist/knn/0/1', 'mnist/vae+vaek/0/1']
    """

    sets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    classes: tuple[int, ...] = tuple(range(10))
    seeds: tuple[int, ...] = (1,)
    leave: Leave = "leave-one-out"
    configurations: int = 100
    networks: int = 100
    networks_by_method: dict[str, int] = field(default_factory=dict)
    n_second_stage: int = 10
    machines: int = 10
    machine_rows: int | None = None
    search: int = 0
    n_train: int | None = None
    n_test: int | None = None
    fixed: dict[str, dict[str, Any]] = field(default_factory=dict)
    scales: dict[str, ImageScale] = field(default_factory=dict)
    kind: Literal["image-search"] = "image-search"

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        _check_filled(self, "sets", "methods", "classes", "seeds")
        check_integers(self, 1, "configurations", "machine_rows", "n_train", "n_test")
        check_integers(self, 0, "seeds", "search", "networks", "networks_by_method", "n_second_stage", "machines")
        most = min(len(image_set_entry(each).classes) for each in self.sets)
        if not all(0 <= each < most for each in self.classes):
            raise InvalidParameter(f"study {self.name!r} has the classes {self.classes}; expected 0 to {most - 1}.")
        for method in (*self.methods, *self.fixed):
            image_search_space_of(method)
        for method in self.networks_by_method:
            if method not in NETWORKS:
                raise InvalidParameter(f"networks_by_method has {method!r}; choose among {', '.join(NETWORKS)}.")

    def available_cells(self) -> tuple[list[ImageCell], tuple[str, ...]]:
        """Return the cells of the image sets that are present, and the names of the others.

        If no image set is present, all cells are returned: running them downloads the sets or explains how to.
        """
        missing = tuple(each for each in self.sets if image_set_entry(each).presence != "present")
        if len(missing) == len(self.sets):
            return self.cells(), ()
        return [cell for cell in self.cells() if cell.images not in missing], missing

    def cells(self) -> list[ImageCell]:
        """Return every cell: set by set, class by class; methods that share networks are one."""
        return [
            self._cell(images, methods, class_index, seed)
            for images in self.sets
            for class_index in self.classes
            for methods in sharing(self.methods)
            for seed in self.seeds
        ]

    def _cell(self, images: str, methods: tuple[str, ...], class_index: int, seed: int) -> ImageCell:
        """Return a cell with the fields that its methods depend on, and defaults for the others."""
        machines = bool({"osvm", "vaeo"} & set(methods))
        return ImageCell(
            images=images,
            methods=methods,
            class_index=class_index,
            seed=seed,
            leave=self.leave,
            configurations=self._configurations_of(methods),
            n_second_stage=self.n_second_stage if set(SECOND_STAGES) & set(methods) else 0,
            machines=self.machines if machines else 0,
            machine_rows=self.machine_rows if machines else None,
            search=self.search,
            n_train=self.n_train,
            n_test=self.n_test,
            fixed=self.fixed.get(_network_of(methods), {}),
        )

    def _configurations_of(self, methods: tuple[str, ...]) -> int:
        """Return the number of configurations of methods that share their networks."""
        if methods[0] in CLASSICAL:
            return self.configurations
        return self.networks_by_method.get(_network_of(methods), self.networks)


def _network_of(methods: tuple[str, ...]) -> str:
    """Return the method whose network is trained for methods that share it."""
    return "vae" if methods[0] in CODED else methods[0]


def _check_filled(study: BaseStudy, *fields: str) -> None:
    """Raise an error if one of the fields of a study is empty."""
    for name in fields:
        if not getattr(study, name):
            raise InvalidParameter(f"study {study.name!r} has no {name}; name at least one.")
