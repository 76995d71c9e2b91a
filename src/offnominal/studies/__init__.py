"""Which experiment, and how does it compare with print: studies as data, what does them, and the store of results."""

from offnominal.studies.catalogue import load_study, studies
from offnominal.studies.cell import AlarmEntry, Cell, DataEntry, key_of
from offnominal.studies.comparison import Comparison
from offnominal.studies.failure import Failure
from offnominal.studies.finished import Finished
from offnominal.studies.local import LocalPool
from offnominal.studies.results import RunResults
from offnominal.studies.rows import same_results
from offnominal.studies.runner import Outcome, run_study
from offnominal.studies.runs import open_run, run
from offnominal.studies.sinks import MLflow, Sink, TensorBoard, WeightsAndBiases
from offnominal.studies.store import Store
from offnominal.studies.study import DetectorEntry, Scale, Study
from offnominal.studies.summary import Standing, leaderboard
from offnominal.studies.verify import verify_run
from offnominal.studies.work import work

__all__ = [
    "AlarmEntry",
    "Cell",
    "Comparison",
    "DataEntry",
    "DetectorEntry",
    "Failure",
    "Finished",
    "LocalPool",
    "MLflow",
    "Outcome",
    "RunResults",
    "Scale",
    "Sink",
    "Standing",
    "Store",
    "Study",
    "TensorBoard",
    "WeightsAndBiases",
    "key_of",
    "leaderboard",
    "load_study",
    "open_run",
    "run",
    "run_study",
    "same_results",
    "studies",
    "verify_run",
    "work",
]
