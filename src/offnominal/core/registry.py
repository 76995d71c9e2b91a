"""Registries: ids of lazily imported objects, extensible by other packages through entry points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from inspect import isabstract, isclass
from typing import Any, Generic, TypeVar

from offnominal.core.capabilities import Need, Tag, check_capabilities
from offnominal.core.errors import InvalidParameter, ModuleNotAllowed, UnknownName, did_you_mean
from offnominal.core.imported_modules import OURS, attribute_of
from offnominal.core.printable import shown
from offnominal.core.public_calls import public

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spec:
    """Description of one registry entry, known without importing it.

    Args:
        id: Id of the entry.
        target: ``"package.module:attribute"``, imported on first use.
        summary: One line for listings.
        options: Default keyword arguments of the target.
        parts: Name of the option, if any, that lists the parts from which the entry is built. A part is an id of the
            registry, a pair of an id and options, or ``"package.module:Class"``.
        version: Raised by hand when the results of the entry change; part of the keys of results that use it.
        tags: What the object can do; the laws compare them with what it does.
        needs: What a detector needs besides vector episodes.
    """

    id: str
    target: str
    summary: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: str = ""
    version: int = 1
    tags: tuple[Tag, ...] = ()
    needs: tuple[Need, ...] = ()

    def __post_init__(self) -> None:
        check_capabilities(self.id, self.tags, self.needs)

    @property
    def implementation(self) -> str:
        """Path of the class that does the work: that of the only part if it is a class, otherwise the target."""
        part = self.options.get(self.parts)
        return part if isinstance(part, str) and ":" in part else self.target

    def load(self) -> Any:
        """Import the target; see :func:`~offnominal.core.imported_modules.attribute_of`."""
        return attribute_of(self.target)


class Registry(Generic[T]):
    """Ids of one kind of object.

    Other packages add entries with an entry point in the group ``offnominal.<kind>s``. Its value is a callable that
    takes this registry and registers its entries.

    Args:
        kind: Singular noun, such as ``"world"``.
        contract: Base class of this kind; needed to build classes that are not registered.
        catalogue: ``"package.module:function"`` of a function that takes this registry and registers the built-in
            entries; imported and called on first use.

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

    def __init__(self, kind: str, contract: type | None = None, *, catalogue: str = "") -> None:
        self.kind = kind
        self.contract = contract
        self.catalogue = catalogue
        self._specs: dict[str, Spec] = {}
        self._plugins_loaded = False

    @property
    def plural(self) -> str:
        """Plural of the kind, as in entry points and on the command line."""
        return self.kind[:-1] + "ies" if self.kind.endswith("y") else self.kind + "s"

    def register(self, spec: Spec) -> None:
        """Add an entry; raise :class:`InvalidParameter` if the id is already used for another one."""
        known = self._specs.get(spec.id)
        if known is not None and known != spec:
            raise InvalidParameter(
                f"{self.kind} {spec.id!r} is already registered for {known.target}; choose another id or a new version."
            )
        self._specs[spec.id] = spec

    def spec(self, id: str) -> Spec:
        """Return the entry of an id; raise :class:`UnknownName` with the nearest existing id if there is none."""
        self._load_plugins()
        if not isinstance(id, str):
            raise InvalidParameter(f"{self.kind} id {id!r} is a {type(id).__name__}; expected a string.")
        try:
            return self._specs[id]
        except KeyError:
            raise UnknownName(
                f"no {self.kind} named {id!r}.{did_you_mean(id, self._specs)} "
                f"`offnominal {self.plural.replace('_', '-')}` lists all {len(self._specs)}."
            ) from None

    def find(self, name: str, *, allow_modules: Collection[str] | None = None) -> Spec:
        """Return the entry of an id, or of a class that is not registered, without importing it.

        Args:
            name: An id, or ``"package.module:Class"``.
            allow_modules: For a name from a file: packages or modules that the file may import, besides this package
                and packages with one of its entry points. None for a name from code or from the command line.

        Raises:
            ModuleNotAllowed: The file names a class of another package.
        """
        if not isinstance(name, str) or ":" not in name or name in self:
            return self.spec(name)
        _check_target(name)
        if allow_modules is not None:
            check_allowed(name, allow_modules)
        return Spec(name, name)

    def load(self, name: str) -> Callable[..., T]:
        """Import the target of an id, or a class by ``"package.module:Class"``, which must satisfy the contract.

        A class that is not registered is checked before it is called. Check names from files with :meth:`find` first:
        importing a module runs its code.
        """
        spec = self.find(name)
        found: Callable[..., T] = self._target(spec)
        if spec.id not in self._specs:
            self._check_contract(name, found)
        return found

    def build(self, name: str, parameters: Mapping[str, Any] | None = None) -> T:
        """Return the object of an id or of ``"package.module:Class"``; see :meth:`load`.

        Args:
            name: Id or path of a class.
            parameters: Arguments of the constructor; they override the registered ones.
        """
        made = self.load(name)(**{**self.find(name).options, **(parameters or {})})
        if self.contract is not None and not isinstance(made, self.contract):
            raise InvalidParameter(f"{name!r} makes a {type(made).__name__}; expected a {self.contract.__name__}.")
        return made

    def _check_contract(self, name: str, found: object) -> None:
        contract = self.contract
        wanted = f"a subclass of {contract.__name__}" if contract else f"the id of a registered {self.kind}"
        if contract is None or not isinstance(found, type) or not issubclass(found, contract):
            given = f"the class {found.__name__}" if isinstance(found, type) else f"a {type(found).__name__}"
            raise InvalidParameter(f"{name!r} is {given}; expected {wanted}.")
        if isabstract(found):
            missing = ", ".join(sorted(vars(found)["__abstractmethods__"]))
            raise InvalidParameter(f"{name!r} is abstract: it lacks {missing}; name a class that has them.")

    def make(self, id: str, **options: Any) -> T:
        """Import an entry and call it with its default options, overridden by the given ones."""
        spec = self.spec(id)
        made: T = self._target(spec)(**{**spec.options, **options})
        return made

    def _target(self, spec: Spec) -> Any:
        """Import the target of an entry; calls of a class name their wrong arguments."""
        found = spec.load()
        return public(found, found.__module__) if isclass(found) else found

    def parts(self, id: str, options: Mapping[str, Any]) -> list[Spec]:
        """Return the entries from which an entry is built by id, recursively.

        Args:
            id: Id of the entry.
            options: Options given to it in addition to its own.

        Raises:
            InvalidParameter: A part is not a name, nor a pair of a name and options.
        """
        spec = self.spec(id)
        found: list[Spec] = []
        given = {**spec.options, **options}.get(spec.parts)
        if given is not None and not isinstance(given, str | list | tuple):
            raise InvalidParameter(f"{spec.parts} of {id!r} is {shown(given)}; expected a list of names.")
        for part in [given] if isinstance(given, str) else given or ():
            match [part, {}] if isinstance(part, str) else part:
                case [str(name), Mapping() as own]:
                    found += [self.find(name), *(self.parts(name, own) if name in self else ())]
                case _:
                    raise InvalidParameter(
                        f"{shown(part)} in {spec.parts} of {id!r} is no part; expected a name, or a pair of name and "
                        "parameters."
                    )
        return found

    def entries(self, name: str, options: Mapping[str, Any]) -> list[Spec]:
        """Return the entry of a name and those from which it is built; nothing is imported.

        Args:
            name: Id, or ``"package.module:Class"``.
            options: Options given to it.
        """
        return [self.find(name), *(self.parts(name, options) if name in self else ())]

    def names(self, name: str, options: Mapping[str, Any]) -> list[str]:
        """Return a name and those of the entries from which it is built; nothing is imported.

        Args:
            name: Id, or ``"package.module:Class"``.
            options: Options given to it.
        """
        return [name, *(spec.id for spec in self.parts(name, options))] if name in self else [name]

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
        if self.catalogue:
            Spec(self.kind, self.catalogue).load()(self)
        for entry in entry_points(group=f"offnominal.{self.plural}"):
            try:
                entry.load()(self)
            except Exception as error:
                warnings.warn(
                    f"{entry.name} ({entry.value}) could not register its {self.plural}: {error}", stacklevel=2
                )


def _check_target(target: str) -> None:
    module, _, attribute = target.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise InvalidParameter(f"{target!r} is not the path of a class; expected 'package.module:Class'.")


def check_allowed(target: str, allow_modules: Collection[str]) -> None:
    """Raise if a file names a target outside this package, packages with its entry points, and allowed ones.

    Args:
        target: A module, or ``"package.module:attribute"``.
        allow_modules: Packages or modules that the file may import.

    Raises:
        ModuleNotAllowed: The target belongs to another package.
    """
    module = target.partition(":")[0]
    package = module.partition(".")[0]
    allowed = [allow_modules] if isinstance(allow_modules, str) else [*allow_modules]
    # To list the packages takes long, so ours is compared first.
    if package == OURS or any(f"{module}.".startswith(f"{name}.") for name in allowed):
        return
    if package in _registered_packages():
        return
    raise ModuleNotAllowed(
        f"{target!r} belongs to the package {package!r}, which is not registered. A file cannot choose code to run: "
        f"if you trust this package, allow it with `--allow-module {package}` or, in Python, "
        f"`allow_modules=[{package!r}]`."
    )


def _registered_packages() -> set[str]:
    """Return this package and all packages with one of its entry points, which a registry imports anyway."""
    every = entry_points()
    ours = (entry for group in every.groups if group.startswith(f"{OURS}.") for entry in every.select(group=group))
    return {OURS, *(entry.module.partition(".")[0] for entry in ours)}
