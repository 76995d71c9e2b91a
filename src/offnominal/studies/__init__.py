"""Which experiment, and how does it compare with print: studies as data, what does them, and the store of results."""

from offnominal.studies.catalogue import load_study, studies
from offnominal.studies.cell import AlarmEntry, Cell, DataEntry, result_key
from offnominal.studies.cell_result import CellResult
from offnominal.studies.execution import run_cell
from offnominal.studies.failure import Failure
from offnominal.studies.leaderboards import LeaderboardEntry, leaderboard
from offnominal.studies.local import LocalPool
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.result_rows import same_results
from offnominal.studies.results import RunResults
from offnominal.studies.runner import RunOutcome, run_study
from offnominal.studies.runs import open_run, run
from offnominal.studies.sinks import MLflow, Sink, TensorBoard, WeightsAndBiases
from offnominal.studies.store import Store
from offnominal.studies.study import DetectorEntry, Scale, Study
from offnominal.studies.verify import verify_run

__all__ = [
    "AlarmEntry",
    "Cell",
    "CellResult",
    "DataEntry",
    "DetectorEntry",
    "Failure",
    "LeaderboardEntry",
    "LocalPool",
    "MLflow",
    "PublishedComparison",
    "RunOutcome",
    "RunResults",
    "Scale",
    "Sink",
    "Store",
    "Study",
    "TensorBoard",
    "WeightsAndBiases",
    "leaderboard",
    "load_study",
    "open_run",
    "result_key",
    "run",
    "run_cell",
    "run_study",
    "same_results",
    "studies",
    "verify_run",
]
