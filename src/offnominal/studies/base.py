"""Base classes of studies and cells: what the runner, the store and the command line need of every kind of study."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.registry import Registry
from offnominal.datasets.recipe import without
from offnominal.studies.scales import changes_of, scale_of

Target = tuple[Registry[Any], str]
"""A registry, and an id of it or ``"package.module:Class"``."""


@dataclass(frozen=True)
class BaseCell(Config, ABC):
    """One unit of a study: it is computed, stored, and fails on its own.

    A subclass is a frozen dataclass with a field `seed`. Its fields are everything that its result depends on, besides
    data and code.

    Args:
        modules: Modules that are imported before it is computed, because they register objects that it names.
    """

    modules: tuple[str, ...] = field(default=(), kw_only=True)

    if TYPE_CHECKING:

        @property
        def seed(self) -> int:
            """Random seed."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """Id of the study kind; a field or a class attribute."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Name in messages and in the manifest; unique within a study. Parts are separated by slashes."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Hash of what decides its data: cells with the same hash share their data."""

    @property
    def data_label(self) -> str:
        """Name of its data in progress messages."""
        return f"data of {self.label}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the modules if there are none."""
        return without(super().to_dict(), modules=[])

    def columns(self) -> Mapping[str, Any]:
        """Return the columns that every row of the result has, with their values."""
        return {}

    def targets(self) -> Iterator[Target]:
        """Yield the registered objects, or classes, that are imported to compute it."""
        return iter(())


@dataclass(frozen=True)
class BaseStudy(Config, ABC):
    """An experiment as data: it has a name and scales, and expands to cells.

    A subclass is a frozen dataclass with a field or class attribute `kind`.

    Args:
        name: Id in commands and in the name of the run's folder.
        title: Title of the report; the name if empty.
        summary: The question of the study, in one or two sentences.
        scales: Smaller or larger versions, by name. Each is a dataclass with a `summary` and with those fields of the
            study that it may change; None leaves a field unchanged.
        modules: Modules that every process of a run imports first, because they register objects that the study names.
    """

    name: str
    title: str = ""
    summary: str = ""
    scales: dict[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def kind(self) -> str:
        """Id of the study kind; a field or a class attribute."""

    def at(self, scale: str | None) -> Self:
        """Return the study at a scale, or unchanged if None."""
        return self if scale is None else self.replace(**changes_of(scale_of(self.name, self.scales, scale)))

    def on(self, data: str) -> Self:
        """Return the study on other data than its own, such as ``"released"``.

        Raises:
            InvalidParameter: It has its own data only.
        """
        raise InvalidParameter(f"study {self.name!r} has its own data only; leave out {shown(data)}.")

    @abstractmethod
    def cells(self) -> Sequence[BaseCell]:
        """Return every cell. Cells that share data follow each other."""

    def available_cells(self) -> tuple[Sequence[BaseCell], tuple[str, ...]]:
        """Return the cells whose data can be loaded, and the names of the data that are missing."""
        return self.cells(), ()

    def targets(self) -> Iterator[Target]:
        """Yield the registered objects, or classes, that its cells import."""
        return iter(())
