"""The methods of the comparison, by name."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.comparison.runners.runner import ConfigurationRunner
from offnominal.papers.comparison.search.search_space import search_space_of


def runner_of(name: str) -> ConfigurationRunner:
    """Return a method by its name in the paper's tables.

    Example:
        >>> runner_of("knn").name
        'knn'
    """
    runner: ConfigurationRunner = Spec(name, search_space_of(name).runner).load()(name)
    return runner
