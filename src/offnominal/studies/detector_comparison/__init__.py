"""A comparison of detectors on tables: search spaces, shared fits, selection, ranks."""

from offnominal.studies.detector_comparison.defaults import default_of
from offnominal.studies.detector_comparison.ensembles import ensemble
from offnominal.studies.detector_comparison.families import family_of
from offnominal.studies.detector_comparison.family import Family
from offnominal.studies.detector_comparison.metrics import METRICS, measure
from offnominal.studies.detector_comparison.polarity import Polarity, polarity
from offnominal.studies.detector_comparison.ranks import (
    compare_methods,
    critical_difference,
    mean_ranks,
    table_ranks,
)
from offnominal.studies.detector_comparison.selection import Selected, clean_protocol, max_protocol, mean_protocol
from offnominal.studies.detector_comparison.space import Configuration, Space, sample, space_names, space_of
from offnominal.studies.detector_comparison.tried import Tried, tried_rows

__all__ = [
    "METRICS",
    "Configuration",
    "Family",
    "Polarity",
    "Selected",
    "Space",
    "Tried",
    "clean_protocol",
    "compare_methods",
    "critical_difference",
    "default_of",
    "ensemble",
    "family_of",
    "max_protocol",
    "mean_protocol",
    "mean_ranks",
    "measure",
    "polarity",
    "sample",
    "space_names",
    "space_of",
    "table_ranks",
    "tried_rows",
]
