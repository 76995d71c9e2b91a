"""All public callables of the package: functions, constructors and methods, found by importing every package."""

import importlib
import inspect
import pkgutil
from dataclasses import dataclass, field
from functools import cache

import offnominal

NOT_CALLED = {
    "offnominal.cli.main": "reads the command line, which test_command_line.py attacks",
}


@dataclass(frozen=True)
class Target:
    """One public callable; for a method of instances, `owner` is its class."""

    name: str
    function: object = field(repr=False)
    owner: type | None = None

    @property
    def parameters(self):
        """Return the parameters that a caller gives; unknown names are refused by Python itself."""
        signed, skipped = self.function, int(self.owner is not None)
        if inspect.isclass(signed) and getattr(signed.__init__, "__module__", "").startswith("offnominal"):
            signed, skipped = signed.__init__, 1
        found = list(inspect.signature(signed).parameters.values())[skipped:]
        return [parameter for parameter in found if parameter.kind is not parameter.VAR_KEYWORD] + options(
            found, signed
        )


def options(parameters, function):
    """Return the parameters that an annotation names for further keywords: `**fields: Unpack[Fields]`."""
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD and "Unpack[" in str(parameter.annotation):
            fields = inspect.unwrap(function).__globals__[str(parameter.annotation)[7:-1]]
            return [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in fields.__annotations__
            ]
    return []


def packages():
    """Return the package and all packages below it."""
    below = [module.name for module in pkgutil.walk_packages(offnominal.__path__, "offnominal.") if module.ispkg]
    return [importlib.import_module(name) for name in ("offnominal", *below)]


@cache
def public_objects():
    """Return what all packages offer, by name."""
    return {
        f"{package.__name__}.{name}": getattr(package, name)
        for package in packages()
        for name in getattr(package, "__all__", ())
    }


@cache
def targets():
    """Return all public callables, each once: an inherited method belongs to the first class that has it."""
    found = {}
    for name, value in public_objects().items():
        if callable(value) and getattr(value, "__module__", "").startswith("offnominal"):
            for target in callables_of(name, value):
                found.setdefault(getattr(target.function, "__func__", target.function), target)
    return [target for target in found.values() if target.name not in NOT_CALLED]


def package_of(target):
    """Return the package below this one that offers a callable, or "offnominal"."""
    name = target.name.split(".")
    return name[1] if name[1][0].islower() and len(name) > 2 else "offnominal"


PART = 25
"""About as many callables are attacked by one process."""


def parts_of(package):
    """Return the callables of a package in parts. Neighbours, which take about equally long, are in different parts."""
    own = [target for target in targets() if package_of(target) == package]
    parts = -(-len(own) // PART)
    return [own[part::parts] for part in range(parts)]


def callables_of(name, value):
    """Return what can be called of a public object. Errors are raised, not called."""
    if not inspect.isclass(value):
        yield Target(name, value)
        return
    if issubclass(value, BaseException):
        return
    if not inspect.isabstract(value) and not getattr(value, "_is_protocol", False):
        yield Target(name, value)
    for method in dir(value):
        kind = inspect.getattr_static(value, method)
        function = getattr(kind, "__func__", kind)
        named = not method.startswith("_") or method == "__call__"
        if named and inspect.isfunction(function) and function.__module__.startswith("offnominal"):
            free = isinstance(kind, staticmethod | classmethod)
            yield Target(f"{name}.{method}", getattr(value, method), None if free else value)
