"""Groups of commands: their panels in the help, and names of values that fit a terminal of 80 columns."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ArgumentInfo, OptionInfo

EXPLORE: Final = "Explore"
DATA: Final = "Data"
RUN: Final = "Run"
CHECK: Final = "Check"
SERVE: Final = "Serve"

Function = TypeVar("Function", bound=Callable[..., Any])
VALUES = {bool: "", int: "N", float: "X", str: "TEXT"}


class App(typer.Typer):
    """A group of commands of this program.

    Args:
        panel: Panel of its commands in the help of the program; empty for the default one.
        options: Options of :class:`typer.Typer`.
    """

    def __init__(self, panel: str = "", **options: Any) -> None:
        super().__init__(cls=Group, rich_markup_mode="rich", **options)
        self.panel = panel

    def command(self, name: str | None = None, **options: Any) -> Callable[[Function], Function]:
        """Return a decorator that adds a command.

        Args:
            name: Name of the command; the name of the function if None.
            options: Options of :meth:`typer.Typer.command`.
        """
        add = super().command(name, cls=Command, rich_help_panel=self.panel or None, **options)

        def decorate(function: Function) -> Function:
            _name_values(function)
            return add(function)

        return decorate


class Command(TyperCommand):
    """A command whose flags show no value in the help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_flag_values(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose flags show no value in the help."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _without_flag_values(super().get_params(ctx))


def _without_flag_values(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if each.metavar is None and getattr(each, "is_flag", False):
            each.metavar = ""
    return parameters


def _name_values(function: Callable[..., Any]) -> None:
    """Name the values of arguments and options that have no name for them, by their types."""
    hints = get_type_hints(function, include_extras=True)
    for name in inspect.signature(function).parameters:
        kind, *about = get_args(hints[name]) or (hints[name],)
        for each in about:
            if isinstance(each, ArgumentInfo) and each.metavar is None:
                each.metavar = name.strip("_").upper()
            elif isinstance(each, OptionInfo) and each.metavar is None:
                each.metavar = _value_name(kind, each)
    # typer reads the annotations again; as text they would be evaluated to new, nameless objects.
    function.__annotations__ = hints


def _value_name(kind: Any, option: OptionInfo) -> str | None:
    """Return the name of a value by its type; None for the default of typer."""
    if isinstance(kind, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(each.value for each in kind)
    if kind is Path:
        return "FOLDER" if not option.file_okay else "FILE" if not option.dir_okay else "PATH"
    return VALUES.get(kind)
