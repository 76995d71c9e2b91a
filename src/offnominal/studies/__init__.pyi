# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.studies.base import BaseCell as BaseCell
from offnominal.studies.base import BaseStudy as BaseStudy
from offnominal.studies.catalogue import load_study as load_study
from offnominal.studies.catalogue import studies as studies
from offnominal.studies.cell_result import CellResult as CellResult
from offnominal.studies.cell_result import CellRows as CellRows
from offnominal.studies.cells import result_key as result_key
from offnominal.studies.detector_study import DetectorEntry as DetectorEntry
from offnominal.studies.execution import run_cell as run_cell
from offnominal.studies.failure import Failure as Failure
from offnominal.studies.kind import StudyKind as StudyKind
from offnominal.studies.kinds import study_kinds as study_kinds
from offnominal.studies.leaderboards import LeaderboardEntry as LeaderboardEntry
from offnominal.studies.leaderboards import leaderboard as leaderboard
from offnominal.studies.local import LocalPool as LocalPool
from offnominal.studies.paired_comparison import PairedComparison as PairedComparison
from offnominal.studies.paired_comparison import compare_pair as compare_pair
from offnominal.studies.published_comparison import PublishedComparison as PublishedComparison
from offnominal.studies.result_rows import same_results as same_results
from offnominal.studies.results import RunResults as RunResults
from offnominal.studies.runner import RunOutcome as RunOutcome
from offnominal.studies.runner import run_study as run_study
from offnominal.studies.runs import open_run as open_run
from offnominal.studies.runs import run as run
from offnominal.studies.sinks import MLflow as MLflow
from offnominal.studies.sinks import Sink as Sink
from offnominal.studies.sinks import TensorBoard as TensorBoard
from offnominal.studies.sinks import WeightsAndBiases as WeightsAndBiases
from offnominal.studies.store import Store as Store
from offnominal.studies.stored_runs import StoredRun as StoredRun
from offnominal.studies.stored_runs import stored_run as stored_run
from offnominal.studies.variance import MetricVariance as MetricVariance
from offnominal.studies.variance import variance_of as variance_of
from offnominal.studies.verify import verify_run as verify_run

__all__ = [
    "BaseCell",
    "BaseStudy",
    "CellResult",
    "CellRows",
    "DetectorEntry",
    "Failure",
    "LeaderboardEntry",
    "LocalPool",
    "MLflow",
    "MetricVariance",
    "PairedComparison",
    "PublishedComparison",
    "RunOutcome",
    "RunResults",
    "Sink",
    "Store",
    "StoredRun",
    "StudyKind",
    "TensorBoard",
    "WeightsAndBiases",
    "compare_pair",
    "leaderboard",
    "load_study",
    "open_run",
    "result_key",
    "run",
    "run_cell",
    "run_study",
    "same_results",
    "stored_run",
    "studies",
    "study_kinds",
    "variance_of",
    "verify_run",
]
