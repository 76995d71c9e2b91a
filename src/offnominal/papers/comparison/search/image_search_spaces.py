"""Search spaces on images, and the methods that share networks."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.papers.comparison.search.search_space import SearchSpace, search_space_of

NETWORKS = {
    "aae": "AAE-images",
    "dsvd": "DeepSVDD-images",
    "dsvp": "DeepSVDD-images",
    "fmgn": "FMGAN-images",
    "vae": "VAE-images",
}
"""Methods that train a network, with their space beside the detectors."""
WITHOUT_EFFECT = {"dsvp": ("nu", "objective")}
"""Parameters of a space that a method does not use."""
SECOND_STAGES = {"vaek": "knn", "vaeo": "osvm"}
"""Methods that score the codes of a variational autoencoder, with the method of the second stage."""
CLASSICAL = ("knn", "osvm")
CODED = ("vae", *SECOND_STAGES)
"""Methods that share their networks."""


def image_methods() -> tuple[str, ...]:
    """Return the methods that are compared on images.

    Example:
        >>> image_methods()
        ('aae', 'dsvd', 'dsvp', 'fmgn', 'knn', 'osvm', 'vae', 'vaek', 'vaeo')
    """
    return tuple(sorted((*CLASSICAL, *NETWORKS, *SECOND_STAGES)))


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


@cache
def _shared() -> dict[str, dict[str, list[object]]]:
    return tomllib.loads(files("offnominal.detectors.rows").joinpath("spaces.toml").read_text(encoding="utf-8"))
