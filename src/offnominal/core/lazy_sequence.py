"""Sequences whose items are read or made when they are used."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """Base class: a subclass has a length and makes single items.

    Example:
        >>> class Squares(LazySequence[int]):
        ...     def __len__(self) -> int:
        ...         return 4
        ...
        ...     def _item(self, number: int) -> int:
        ...         return number**2
        >>> Squares()[-1], Squares()[1:3], list(Squares())
        (9, [1, 4], [0, 1, 4, 9])
    """

    @abstractmethod
    def _item(self, number: int) -> T:
        """Return the item of a number from 0 on."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        """Return an item, or a list of some."""
        numbers = range(len(self))[index]
        return [self._item(number) for number in numbers] if isinstance(numbers, range) else self._item(numbers)

    def __iter__(self) -> Iterator[T]:
        return map(self._item, range(len(self)))
