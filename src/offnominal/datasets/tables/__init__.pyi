# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.tables.catalogue import TableEntry as TableEntry
from offnominal.datasets.tables.catalogue import table_entry as table_entry
from offnominal.datasets.tables.catalogue import table_names as table_names
from offnominal.datasets.tables.graded import graded_problem as graded_problem
from offnominal.datasets.tables.loading import load_table as load_table
from offnominal.datasets.tables.table import Column as Column
from offnominal.datasets.tables.table import Table as Table
from offnominal.datasets.tables.table_checks import TableFinding as TableFinding
from offnominal.datasets.tables.table_checks import check_table as check_table
from offnominal.datasets.tables.table_checks import find_twins as find_twins
from offnominal.datasets.tables.table_split import TablePart as TablePart
from offnominal.datasets.tables.table_split import TableSplit as TableSplit
from offnominal.datasets.tables.table_split import split_table as split_table

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
