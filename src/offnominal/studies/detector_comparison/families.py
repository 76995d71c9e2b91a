"""The methods of the comparison, by name."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.studies.detector_comparison.family import Family
from offnominal.studies.detector_comparison.space import space_of


def family_of(name: str) -> Family:
    """Return a method by its name in the paper's tables.

    Example:
        >>> family_of("knn").name
        'knn'
    """
    family: Family = Spec(name, space_of(name).family).load()(name)
    return family
