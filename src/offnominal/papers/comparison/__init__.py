"""A comparison of detectors on tables: search spaces, shared fits, selection, ranks."""

from offnominal.papers.comparison.configuration_result import ConfigurationResult, configuration_rows
from offnominal.papers.comparison.defaults import default_of
from offnominal.papers.comparison.ensembles import ensemble
from offnominal.papers.comparison.metrics import METRICS, measure
from offnominal.papers.comparison.polarity import Polarity, measure_polarity
from offnominal.papers.comparison.ranks import (
    compare_methods,
    critical_difference,
    mean_ranks,
    table_ranks,
)
from offnominal.papers.comparison.runner import ConfigurationRunner
from offnominal.papers.comparison.runner_catalogue import runner_of
from offnominal.papers.comparison.search_space import (
    Configuration,
    SearchSpace,
    sample_configurations,
    search_space_of,
    space_names,
)
from offnominal.papers.comparison.selection import Selected, clean_protocol, max_protocol, mean_protocol

__all__ = [
    "METRICS",
    "Configuration",
    "ConfigurationResult",
    "ConfigurationRunner",
    "Polarity",
    "SearchSpace",
    "Selected",
    "clean_protocol",
    "compare_methods",
    "configuration_rows",
    "critical_difference",
    "default_of",
    "ensemble",
    "max_protocol",
    "mean_protocol",
    "mean_ranks",
    "measure",
    "measure_polarity",
    "runner_of",
    "sample_configurations",
    "search_space_of",
    "space_names",
    "table_ranks",
]
