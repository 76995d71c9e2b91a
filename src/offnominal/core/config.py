"""Typed configuration: frozen dataclasses that convert to plain data and back."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.files import sha256_of


@dataclass(frozen=True)
class Config:
    """Base class of configurations. Fields are what a user sets, not values computed from it.

    Example:
        >>> @dataclass(frozen=True)
        ... class Speed(Config):
        ...     limit: float = 1.0
        ...     unit: str = "m/s"
        >>> Speed.from_dict({"limit": 2}).to_dict()
        {'limit': 2.0, 'unit': 'm/s'}
        >>> Speed.from_dict({"limmit": 2})
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: Speed has no field 'limmit'. Did you mean 'limit'? It has: limit, unit.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON and TOML."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the configuration of plain data; unknown fields and wrong types raise :class:`InvalidParameter`."""
        hints = _hints(typing.cast(type, cls))
        names = [field.name for field in dataclasses.fields(cls)]
        values: dict[str, Any] = {}
        for name, value in data.items():
            if name not in names:
                raise InvalidParameter(
                    f"{cls.__name__} has no field {name!r}.{did_you_mean(name, names)} It has: {', '.join(names)}."
                )
            values[name] = _typed(value, hints[name], f"{cls.__name__}.{name}")
        missing = [field.name for field in dataclasses.fields(cls) if _required(field) and field.name not in values]
        if missing:
            raise InvalidParameter(f"{cls.__name__} needs {', '.join(missing)}; give a value for each.")
        return cls(**values)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def digest(self) -> str:
        """Return a SHA-256 of the content, which is the same on every machine."""
        text = json.dumps({type(self).__name__: self.to_dict()}, sort_keys=True, separators=(",", ":"))
        return sha256_of(text)


@cache
def _hints(cls: type) -> dict[str, Any]:
    """Return the types of a class's fields; cached, because evaluating the annotations is slow."""
    return typing.get_type_hints(cls)


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _plain(value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    if isinstance(value, Config):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _typed(value: Any, hint: Any, where: str) -> Any:
    """Return the value as the annotated type, or raise an error that names the field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        tables = [option for option in arguments if isinstance(option, type) and issubclass(option, Config)]
        if len(tables) == 1 and isinstance(value, Mapping):
            return tables[0].from_dict(value)  # Its own error names the field.
        for option in arguments:
            try:
                return _typed(value, option, where)
            except InvalidParameter:
                continue
    elif origin is typing.Literal:
        if value in arguments:
            return value
    elif origin is dict and isinstance(value, Mapping):
        return {key: _typed(item, arguments[1], f"{where}[{key!r}]") for key, item in value.items()}
    elif origin is tuple and isinstance(value, list | tuple):
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_typed(item, arguments[0], where) for item in value)
        if len(arguments) == len(value):
            return tuple(_typed(item, kind, where) for item, kind in zip(value, arguments, strict=True))
    elif isinstance(hint, type):
        if issubclass(hint, Config) and isinstance(value, Mapping):
            return hint.from_dict(value)
        if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if isinstance(value, hint) and not (hint is int and isinstance(value, bool)):
            return value
    expected = hint.__name__ if isinstance(hint, type) else hint
    raise InvalidParameter(f"{where} is {value!r} ({type(value).__name__}); expected {expected}.")
