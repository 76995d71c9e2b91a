"""A class of the user, whose configurations are fitted one after the other."""

from __future__ import annotations

from offnominal.papers.comparison.own_methods import own_methods
from offnominal.papers.comparison.runners.runner import ConfigurationRunner


class OwnRunner(ConfigurationRunner):
    """Configurations of a class that is named ``package.module:Class``.

    Args:
        name: The name.

    Example:
        >>> OwnRunner("offnominal.detectors.rows.mahalanobis:Mahalanobis").make.__name__
        'Mahalanobis'
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, own_methods.load(name))
