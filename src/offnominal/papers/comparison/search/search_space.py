"""Search spaces of methods, and random configurations from them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.streams import Stream

PACKAGE = "offnominal.papers.comparison.search"
TRIES = 100
Configuration = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The values that a method's parameters may take.

    Attributes:
        name: Name of the method, as in the paper's tables.
        title: For people.
        grid: Values by parameter, each set to be drawn from by itself.
        fixed: Parameters that every configuration shares.
        detector: Where the detector is, ``module:class``; empty if the study brings its own.
        runner: Where the family is that tries its configurations.

    Example:
        >>> space = SearchSpace("mine", "Mine", {"n_neighbors": (1, 3, 5), "distance": ("near", "far")})
        >>> space.size, next(space.all())
        (6, {'n_neighbors': 1, 'distance': 'near'})
    """

    name: str
    title: str
    grid: Mapping[str, tuple[Any, ...]]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    detector: str = ""
    runner: str = "offnominal.papers.comparison.runners.runner:ConfigurationRunner"

    def __post_init__(self) -> None:
        for parameter, values in self.grid.items():
            if not values or len(set(values)) < len(values):
                raise InvalidParameter(
                    f"{self.name}: {parameter} has the values {values}; expected some, all different."
                )

    @property
    def size(self) -> int:
        """Number of configurations."""
        return math.prod(len(values) for values in self.grid.values())

    def all(self) -> Iterator[Configuration]:
        """Go through all configurations, in order."""
        names = list(self.grid)
        for values in product(*(self.grid[name] for name in names)):
            yield dict(zip(names, values, strict=True)) | dict(self.fixed)


def space_names() -> tuple[str, ...]:
    """Return the names of the methods whose spaces we ship.

    Example:
        >>> space_names()[:4]
        ('aae', 'abod', 'avae', 'dsvd')
    """
    return tuple(_spaces())


def search_space_of(name: str) -> SearchSpace:
    """Return the published space of a method.

    Example:
        >>> search_space_of("knn").size
        153
    """
    spaces = _spaces()
    if name not in spaces:
        raise UnknownName(f"no search space named {name!r}.{did_you_mean(name, spaces)} There are {', '.join(spaces)}.")
    return spaces[name]


def sample_configurations(
    space: SearchSpace, n: int = 100, seed: int = 0, *, accept: Callable[[Configuration], bool] | None = None
) -> list[Configuration]:
    """Draw configurations: each parameter by itself and uniformly, no configuration twice.

    The same seed gives the same on every machine, and the first of many are those of few. All configurations, in order,
    if there are no more than are wanted.

    Args:
        space: To draw from.
        n: Number of configurations.
        seed: Random seed.
        accept: Whether a configuration makes sense; others are drawn again.

    Raises:
        InvalidParameter: Almost nothing that is drawn is accepted.

    Example:
        >>> sample_configurations(search_space_of("knn"), 2, seed=1)
        [{'distance': 'kappa', 'n_neighbors': 51}, {'distance': 'delta', 'n_neighbors': 95}]
    """
    positive_integer("n", n)
    if space.size <= n:
        return [each for each in space.all() if accept is None or accept(each)]
    stream = Stream.named(seed, 0, f"space/{space.name}")
    names = list(space.grid)
    drawn: dict[tuple[Any, ...], Configuration] = {}
    for step in range(TRIES * n):
        chances = stream.uniform(len(names), step=step).tolist()
        values = tuple(space.grid[name][int(u * len(space.grid[name]))] for name, u in zip(names, chances, strict=True))
        configuration = dict(zip(names, values, strict=True)) | dict(space.fixed)
        if values not in drawn and (accept is None or accept(configuration)):
            drawn[values] = configuration
            if len(drawn) == n:
                return list(drawn.values())
    raise InvalidParameter(
        f"{space.name}: only {len(drawn)} of {n} configurations were accepted in {TRIES * n} draws; ask for fewer."
    )


@cache
def _spaces() -> dict[str, SearchSpace]:
    text = files(PACKAGE).joinpath("spaces.toml").read_text(encoding="utf-8")
    return {name: _space(name, facts) for name, facts in sorted(tomllib.loads(text).items())}


def _space(name: str, facts: dict[str, Any]) -> SearchSpace:
    given = _shared()[facts["shared"]] if "shared" in facts else facts["grid"]
    grid = {parameter: _values(values) for parameter, values in given.items()}
    return SearchSpace(name, facts["title"], grid, facts.get("fixed", {}), facts["detector"], facts["runner"])


@cache
def _shared() -> dict[str, dict[str, Any]]:
    """Return the spaces of the deep detectors, which lie beside them."""
    return tomllib.loads(files("offnominal.detectors.rows").joinpath("spaces.toml").read_text(encoding="utf-8"))


def _values(given: Any) -> tuple[Any, ...]:
    if isinstance(given, list):
        return tuple(given)
    first, step = given["from"], given["step"]
    count = round((given["to"] - first) / step) + 1
    steps = [first + k * step for k in range(count)]
    if "power" in given:
        return tuple(round(float(given["power"]) ** each, given["digits"]) for each in steps)
    return tuple(each if isinstance(each, int) else round(each, 10) for each in steps)
