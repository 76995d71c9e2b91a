"""Registries: names to lazily loaded things, open to other packages through entry points."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spec:
    """What a registry knows of one entry without loading it.

    Args:
        id: The name users write.
        target: ``"package.module:attribute"``, imported on first use.
        summary: One line for listings.
        options: Keyword arguments given to the target by default.
    """

    id: str
    target: str
    summary: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Any:
        """Import the target, or raise :class:`UnknownName` if there is no such module or name in it."""
        module, _, attribute = self.target.partition(":")
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            raise UnknownName(f"there is no module {error.name!r} for {self.target!r}; is it installed?") from None
        if not hasattr(found, attribute):
            raise UnknownName(f"{module} has no {attribute!r}.{did_you_mean(attribute, dir(found))}")
        return getattr(found, attribute)


class Registry(Generic[T]):
    """Names of one kind of thing.

    Other packages add theirs by an entry point in the group ``offnominal.<kind>s`` whose value is a callable that
    takes this registry and registers what it has.

    Args:
        kind: Singular noun, such as ``"world"``.

    Example:
        >>> shapes: Registry[object] = Registry("shape")
        >>> shapes.register(Spec("Ring-v0", "fractions:Fraction", "a ring"))
        >>> shapes.make("Ring-v0", numerator=1, denominator=2)
        Fraction(1, 2)
        >>> shapes.spec("Rong")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no shape named 'Rong'. Did you mean 'Ring-v0'? `offnominal shapes` ...
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._specs: dict[str, Spec] = {}
        self._plugins_loaded = False

    @property
    def plural(self) -> str:
        """The kind in the plural, as used by entry points and the command line."""
        return self.kind[:-1] + "ies" if self.kind.endswith("y") else self.kind + "s"

    def register(self, spec: Spec) -> None:
        """Add an entry; the same id twice is an error."""
        known = self._specs.get(spec.id)
        if known is not None and known != spec:
            raise InvalidParameter(
                f"{self.kind} {spec.id!r} is already registered for {known.target}; choose another id or a new version."
            )
        self._specs[spec.id] = spec

    def spec(self, id: str) -> Spec:
        """Return what is known of an id, or raise :class:`UnknownName` with the nearest right one."""
        self._load_plugins()
        if not isinstance(id, str):
            raise InvalidParameter(f"{self.kind} id {id!r} is a {type(id).__name__}; expected a string.")
        try:
            return self._specs[id]
        except KeyError:
            raise UnknownName(
                f"no {self.kind} named {id!r}.{did_you_mean(id, self._specs)} "
                f"`offnominal {self.plural}` lists all {len(self._specs)}."
            ) from None

    def make(self, id: str, **options: Any) -> T:
        """Load an entry and call it with its own options overlaid by the given ones."""
        spec = self.spec(id)
        made: T = spec.load()(**{**spec.options, **options})
        return made

    def __iter__(self) -> Iterator[Spec]:
        self._load_plugins()
        return iter(sorted(self._specs.values(), key=lambda spec: spec.id))

    def __len__(self) -> int:
        self._load_plugins()
        return len(self._specs)

    def __contains__(self, id: object) -> bool:
        self._load_plugins()
        return id in self._specs

    def ids(self) -> list[str]:
        """Return all ids, sorted."""
        return [spec.id for spec in self]

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        self._plugins_loaded = True
        for entry in entry_points(group=f"offnominal.{self.plural}"):
            try:
                entry.load()(self)
            except Exception as error:
                warnings.warn(
                    f"{entry.name} ({entry.value}) could not register its {self.plural}: {error}", stacklevel=2
                )
