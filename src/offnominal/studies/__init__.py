"""Which experiment, and how does it compare with print: studies as data, what does them, and the store of results."""

from offnominal.studies.cell import AlarmEntry, Cell, DataEntry, key_of
from offnominal.studies.failure import Failure
from offnominal.studies.local import LocalPool
from offnominal.studies.rows import same_results
from offnominal.studies.runner import Outcome, run_study
from offnominal.studies.store import Store
from offnominal.studies.work import Finished, work

__all__ = [
    "AlarmEntry",
    "Cell",
    "DataEntry",
    "Failure",
    "Finished",
    "LocalPool",
    "Outcome",
    "Store",
    "key_of",
    "run_study",
    "same_results",
    "work",
]
