"""Tables of numbers with normal and anomalous rows: the forty of one study, and any that you bring."""

from offnominal.datasets.tables.catalogue import TableEntry, table_entry, table_names
from offnominal.datasets.tables.check import Finding, check_table, find_twins
from offnominal.datasets.tables.graded import graded_problem
from offnominal.datasets.tables.load import load_table
from offnominal.datasets.tables.split import Part, TableSplit, split
from offnominal.datasets.tables.table import Column, Table

__all__ = [
    "Column",
    "Finding",
    "Part",
    "Table",
    "TableEntry",
    "TableSplit",
    "check_table",
    "find_twins",
    "graded_problem",
    "load_table",
    "split",
    "table_entry",
    "table_names",
]
