"""The comparison of anomaly detectors on tables and image sets: parameter search, selection and ranks.

``studies`` and ``cells`` say what is computed; ``table_search`` and ``image_search`` compute a cell: configurations
from ``search_spaces`` or ``optuna_search``, fitted by ``runners``, measured by ``metrics``, and written as rows by
``configuration_results``. ``comparison_results`` reads the rows of a run and selects by ``protocols``; ``ranks``,
``sensitivity`` and ``smaller_searches`` look at them, ``figures`` and ``report`` show them, and ``published`` compares
them with the paper.
"""
