"""A comparison of detectors on images, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.image_sets import image_set_entry
from offnominal.papers.comparison.image_cell import ImageCell, Leave
from offnominal.papers.comparison.image_search_spaces import (
    CLASSICAL,
    CODED,
    SECOND_STAGES,
    image_search_space_of,
    sharing,
)
from offnominal.studies.base import BaseStudy
from offnominal.studies.scales import check_integers, check_names


@dataclass(frozen=True)
class ImageScale(Config):
    """How much of a comparison on images to run; what is None is as the study says.

    Args:
        summary: One line for listings.
        sets: Only these image sets.
        methods: Only these.
        classes: Only these, counted in the order in which they first appear.
        seeds: Of splits and fits.
        configurations: How many of methods without a network.
        networks: How many of each method with one.
        n_second_stage: Configurations of a second stage on the codes of each network.
        machines: Support vector machines whose mean score is taken.
        machine_rows: Training images of each machine at most.
        n_train: Training images at most.
        n_test: Images to choose by, and as many to judge by, at most.
        fixed: Parameters that every configuration of a method shares.
    """

    summary: str = ""
    sets: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    classes: tuple[int, ...] | None = None
    seeds: tuple[int, ...] | None = None
    configurations: int | None = None
    networks: int | None = None
    n_second_stage: int | None = None
    machines: int | None = None
    machine_rows: int | None = None
    n_train: int | None = None
    n_test: int | None = None
    fixed: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True)
class ImageStudy(BaseStudy):
    """Which methods are searched over on which image sets, each class in turn.

    Args:
        name: What commands call it.
        title: What people call it.
        summary: What it asks, in a sentence or two.
        sets: Names of image sets.
        methods: Short names of methods.
        classes: Which, counted in the order in which they first appear.
        seeds: Of splits and fits.
        leave: ``leave-one-out`` makes the class the anomaly, ``leave-one-in`` all others.
        configurations: How many of methods without a network; the same everywhere.
        networks: How many of each method with one. All scores of a network are tried.
        n_second_stage: Configurations of a second stage on the codes of each network.
        machines: Support vector machines whose mean score is taken, each fitted on its own training images.
        machine_rows: Training images of each machine at most; None shares out all of them.
        search: Seed of the configurations.
        n_train: Training images at most; None for all.
        n_test: Images to choose by, and as many to judge by, at most; None for all.
        fixed: Parameters that every configuration of a method shares; those of ``vae`` also hold where its codes are
            scored.
        scales: Smaller or larger versions by name.
        kind: Tells these studies from others in files.

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
        for what in ("sets", "methods", "classes", "seeds"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 1, "configurations", "machine_rows", "n_train", "n_test")
        check_integers(self, 0, "seeds", "search", "networks", "n_second_stage", "machines")
        most = min(len(image_set_entry(each).classes) for each in self.sets)
        if not all(0 <= each < most for each in self.classes):
            raise InvalidParameter(f"study {self.name!r} has the classes {self.classes}; expected 0 to {most - 1}.")
        for method in (*self.methods, *self.fixed):
            image_search_space_of(method)

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
        """Return a cell that knows no more than what its methods depend on."""
        machines = bool({"osvm", "vaeo"} & set(methods))
        return ImageCell(
            images=images,
            methods=methods,
            class_index=class_index,
            seed=seed,
            leave=self.leave,
            configurations=self.configurations if methods[0] in CLASSICAL else self.networks,
            n_second_stage=self.n_second_stage if set(SECOND_STAGES) & set(methods) else 0,
            machines=self.machines if machines else 0,
            machine_rows=self.machine_rows if machines else None,
            search=self.search,
            n_train=self.n_train,
            n_test=self.n_test,
            fixed=self.fixed.get("vae" if methods[0] in CODED else methods[0], {}),
        )
