"""Numeric tables with normal and anomalous rows: forty public ones, and your own."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.tables.catalogue import TableEntry, table_entry, table_names
from offnominal.datasets.tables.graded import graded_problem
from offnominal.datasets.tables.loading import load_table
from offnominal.datasets.tables.table import Column, Table
from offnominal.datasets.tables.table_checks import TableFinding, check_table, find_twins
from offnominal.datasets.tables.table_split import TablePart, TableSplit, split_table

__all__ = [
    "Column",
    "Table",
    "TableEntry",
    "TableFinding",
    "TablePart",
    "TableSplit",
    "check_table",
    "find_twins",
    "graded_problem",
    "load_table",
    "split_table",
    "table_entry",
    "table_names",
]

name_wrong_arguments(__name__)
