"""A class without a faster way for many configurations: they are fitted one after the other."""

from __future__ import annotations

from offnominal.papers.comparison.own_methods import own_methods
from offnominal.papers.comparison.runners.runner import ConfigurationRunner
from offnominal.papers.comparison.search_spaces import search_space_of


class OwnRunner(ConfigurationRunner):
    """Configurations of a class of the user, or of a method of ours that shares nothing between configurations.

    Args:
        name: ``"package.module:Class"``, or the name of a search space.

    Example:
        >>> OwnRunner("offnominal.detectors.rows.mahalanobis:Mahalanobis").make.__name__
        'Mahalanobis'
        >>> OwnRunner("kde").make.__name__
        'KernelDensity'
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, own_methods.load(search_space_of(name).detector))
