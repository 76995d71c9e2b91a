"""Search spaces of methods on tables and on images, random configurations from them, and defaults without a search."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.own_methods import is_own_method, own_grid, own_title

PACKAGE = "offnominal.papers.comparison"
OWN_RUNNER = f"{PACKAGE}.runners.own_runner:OwnRunner"
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
        ('aae', 'abod', 'avae', 'copod')
    """
    return tuple(_spaces())


def search_space_of(name: str) -> SearchSpace:
    """Return the published space of a method, or that of a class of the user; see :mod:`.own_methods`.

    Example:
        >>> search_space_of("knn").size
        153
        >>> search_space_of("offnominal.detectors.rows.mahalanobis:Mahalanobis").size
        1
    """
    if is_own_method(name):
        return SearchSpace(name, own_title(name), own_grid(name), detector=name, runner=OWN_RUNNER)
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


NETWORKS = {
    "aae": "AAE-images",
    "dsvd": "DeepSVDD-images",
    "dsvp": "DeepSVDD-images",
    "fano": "FAnoGAN-images",
    "fmgn": "FMGAN-images",
    "gano": "GANomaly-images",
    "skip": "SkipGANomaly-images",
    "vae": "VAE-images",
    "wae": "WAE-images",
}
"""Methods that train a network, with their space beside the detectors."""
IMAGES_ONLY = ("fano", "skip")
"""Methods without a form for tables."""
WITHOUT_EFFECT = {"dsvp": ("learning_rate", "nu", "objective")}
"""Parameters of a space that a method does not use."""
SECOND_STAGES = {"vaek": "knn", "vaeo": "osvm"}
"""Methods that score the codes of a variational autoencoder, with the method of the second stage; on tables, too."""
CLASSICAL = ("knn", "osvm")
CODED = ("vae", *SECOND_STAGES)
"""Methods that share their networks."""


def image_methods() -> tuple[str, ...]:
    """Return the methods that are compared on images.

    Example:
        >>> image_methods()
        ('aae', 'dsvd', 'dsvp', 'fano', 'fmgn', 'gano', 'knn', 'osvm', 'skip', 'vae', 'vaek', 'vaeo', 'wae')
    """
    return tuple(sorted((*CLASSICAL, *NETWORKS, *SECOND_STAGES)))


def table_search_space_of(name: str) -> SearchSpace:
    """Return the published space of a method on tables.

    Example:
        >>> table_search_space_of("knn").size
        153
    """
    if name in IMAGES_ONLY:
        raise UnknownName(f"{name!r} is for images alone; study comparison-images has it.")
    return search_space_of(name)


def image_search_space_of(method: str) -> tuple[SearchSpace, tuple[str, ...]]:
    """Return the space of a method on images, and the scores that one fit of it gives; none are named if it has one.

    Of a second stage it is the space of that stage alone.

    Example:
        >>> space, scores = image_search_space_of("vae")
        >>> sorted(space.grid), scores
        (['activation', 'batch_size', 'channels', ...], ('sampled', 'mean', 'elbo', 'latent'))
    """
    if method not in image_methods():
        known = image_methods()
        raise UnknownName(
            f"{method!r} is not compared on images.{did_you_mean(method, known)} There are {', '.join(known)}."
        )
    if method not in NETWORKS:
        return search_space_of(SECOND_STAGES.get(method, method)), ()
    unused = WITHOUT_EFFECT.get(method, ())
    grid = {name: tuple(values) for name, values in _shared()[NETWORKS[method]].items() if name not in unused}
    scores = tuple(str(name) for name in grid.pop("score_name", ()))
    base = search_space_of(method)
    return SearchSpace(f"{method}-images", base.title, grid, {}, base.detector, base.runner), scores


def sharing(methods: Sequence[str]) -> list[tuple[str, ...]]:
    """Group methods that share their networks; others are in groups of one.

    Example:
        >>> sharing(["knn", "vaek", "aae", "vae"])
        [('knn',), ('vaek', 'vae'), ('aae',)]
    """
    coded = tuple(method for method in methods if method in CODED)
    groups = [coded if method in CODED else (method,) for method in methods]
    return list(dict.fromkeys(groups))


PAIRED = 1000
"""Training points whose distances are looked at."""
OF_THEIR_OWN: dict[str, Configuration] = {
    "copod": {"combine": "means"},
    "dtec": {
        "batch_size": 64,
        "bins": 7,
        "diffusion_steps": 400,
        "dropout": 0.5,
        "hidden": 256,
        "learning_rate": 1e-4,
        "weight_decay": 5e-4,
    },
    "dtnp": {"n_neighbors": 5},
    "ecod": {"combine": "rows"},
    "gmm": {"n_components": "bic"},
    "kde": {"bandwidth": "scott"},
}
"""Parameters to use where no anomaly is known, of methods that are younger than the paper or not in it."""
# Such methods whose parameters depend on the numbers of rows and columns.
BY_SIZE = ("icl", "ntrl")
WITH_DEFAULTS = ("abod", "hbos", "if", "knn", "loda", "lof", "orbf", "osvm", "pidf", *OF_THEIR_OWN, *BY_SIZE)


def has_default(method: str) -> bool:
    """Whether a method has parameters to use where no anomaly is known.

    Example:
        >>> has_default("knn"), has_default("vae")
        (True, False)
    """
    return method in WITH_DEFAULTS


def default_of(method: str, points: FloatArray) -> Configuration:
    """Return the parameters that the paper's later version fixes for a classical method, or a newer method's own.

    Args:
        method: Its name in the paper's tables.
        points: (n, d) training points.

    Example:
        >>> default_of("knn", np.zeros((1000, 2)))
        {'n_neighbors': 30, 'distance': 'kappa'}
    """
    if not has_default(method):
        raise UnknownName(
            f"no fixed parameters for {method!r}.{did_you_mean(method, WITH_DEFAULTS)} "
            f"There are {', '.join(WITH_DEFAULTS)}."
        )
    if method in OF_THEIR_OWN:
        return OF_THEIR_OWN[method]
    if method in BY_SIZE:
        return _by_size(method, *points.shape)
    if method in ("orbf", "osvm"):
        return {"kernel": "rbf", "nu": 0.5, "gamma": 1.0 / median_distance(points)}
    n = len(points)
    k = min(max(10, math.ceil(0.03 * n)), n - 1)
    fixed: dict[str, Configuration] = {
        "abod": {"n_neighbors": max(3, math.ceil(0.1 * n))},
        "hbos": {"n_bins": 10, "alpha": 0.1, "tol": 0.5},
        "if": {"n_estimators": 100, "max_samples": min(1.0, 256 / n), "max_features": 1.0},
        "knn": {"n_neighbors": k, "distance": "kappa"},
        "loda": {"n_bins": "auto", "n_random_cuts": 100},
        "lof": {"n_neighbors": k},
        "pidf": {
            "max_depth": 10,
            "n_estimators": 50,
            "max_samples": 100,
            "max_buckets": 3,
            "epsilon": 0.1,
            "percentile": 10,
        },
    }
    return fixed[method]


def _by_size(method: str, rows: int, columns: int) -> Configuration:
    """Return the parameters of the public code of a method for a table of this size."""
    if method == "icl":
        return {
            "batch_size": min(rows, 3000),
            "hidden": 200,
            "learning_rate": 1e-3,
            "permutations": int(100 / (math.log(rows) + columns)) + 1,
            "temperature": 0.1,
            "window": "auto",
        }
    hidden, latent = (2 * columns, 2 * columns) if columns < 32 else (64, 32) if columns <= 300 else (256, 64)
    return {
        "batch_size": 128,
        "bias": False,
        "hidden": hidden,
        "latent": latent,
        "layers": 5,
        "learning_rate": 1e-3,
        "temperature": 0.1,
        "transform": "residual",
        "transform_hidden": columns,
        "transformations": 11,
        "weight_decay": 1e-5,
    }


def median_distance(points: FloatArray) -> float:
    """Return the median distance between training points, over evenly chosen ones if there are many."""
    from scipy.spatial.distance import pdist

    chosen = points[np.linspace(0, len(points) - 1, min(len(points), PAIRED)).astype(int)]
    return float(np.median(pdist(chosen))) or 1.0
