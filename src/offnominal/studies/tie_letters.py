"""Letters for ties in a leaderboard."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from string import ascii_lowercase


def tie_letters(order: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return letters by name; two names share a letter exactly if they are tied.

    The compact letter display of Piepho (2004): start with one group of all, and part it at every difference.

    Args:
        order: Names, best first; the best gets the letter a.
        different: Pairs with a significant difference.

    Example:
        >>> tie_letters(["A", "B", "C"], [("A", "C")])
        {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    groups: list[frozenset[str]] = [frozenset(order)]
    for one, other in different:
        parted: list[frozenset[str]] = []
        for group in groups:
            parted += [group - {one}, group - {other}] if {one, other} <= group else [group]
        groups = _largest(parted)
    place = {name: number for number, name in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(number) for number, group in enumerate(groups) if name in group) for name in order}


def _largest(groups: Collection[frozenset[str]]) -> list[frozenset[str]]:
    """Return the groups that are not part of another."""
    distinct = dict.fromkeys(groups)
    return [group for group in distinct if not any(group < other for other in distinct)]


def _letter(number: int) -> str:
    return ascii_lowercase[number] if number < len(ascii_lowercase) else f"({number + 1})"
