"""Numeric tables with normal and anomalous rows: forty public ones, and your own."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("TableEntry", "table_entry", "table_names"),
        "graded": ("graded_problem",),
        "loading": ("load_table",),
        "table": ("Column", "Table"),
        "table_checks": ("TableFinding", "check_table", "find_twins"),
        "table_split": ("TablePart", "TableSplit", "split_table"),
    },
)
