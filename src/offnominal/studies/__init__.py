"""Studies: experiments as data, their study kinds, the runner and the store of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.studies.base import BaseCell, BaseStudy
    from offnominal.studies.catalogue import load_study, studies
    from offnominal.studies.cell_result import CellResult, make_result
    from offnominal.studies.cells import result_key
    from offnominal.studies.detector_study import DetectorEntry
    from offnominal.studies.failure import Failure
    from offnominal.studies.kind import StudyKind
    from offnominal.studies.kinds import study_kinds
    from offnominal.studies.leaderboards import LeaderboardEntry, leaderboard
    from offnominal.studies.local import LocalPool
    from offnominal.studies.paired_comparison import PairedComparison, compare_pair
    from offnominal.studies.published_comparison import PublishedComparison
    from offnominal.studies.result_rows import same_results
    from offnominal.studies.results import RunResults
    from offnominal.studies.runner import RunOutcome, run_study
    from offnominal.studies.runs import open_run, run
    from offnominal.studies.sinks import MLflow, Sink, TensorBoard, WeightsAndBiases
    from offnominal.studies.store import Store
    from offnominal.studies.stored_runs import StoredRun, stored_run
    from offnominal.studies.verify import verify_run

_NAMES = {
    "base": ("BaseCell", "BaseStudy"),
    "catalogue": ("load_study", "studies"),
    "cell_result": ("CellResult", "make_result"),
    "cells": ("result_key",),
    "detector_study": ("DetectorEntry",),
    "failure": ("Failure",),
    "kind": ("StudyKind",),
    "kinds": ("study_kinds",),
    "leaderboards": ("LeaderboardEntry", "leaderboard"),
    "local": ("LocalPool",),
    "paired_comparison": ("PairedComparison", "compare_pair"),
    "published_comparison": ("PublishedComparison",),
    "result_rows": ("same_results",),
    "results": ("RunResults",),
    "runner": ("RunOutcome", "run_study"),
    "runs": ("open_run", "run"),
    "sinks": ("MLflow", "Sink", "TensorBoard", "WeightsAndBiases"),
    "store": ("Store",),
    "stored_runs": ("StoredRun", "stored_run"),
    "verify": ("verify_run",),
}

__all__ = [
    "BaseCell",
    "BaseStudy",
    "CellResult",
    "DetectorEntry",
    "Failure",
    "LeaderboardEntry",
    "LocalPool",
    "MLflow",
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
    "make_result",
    "open_run",
    "result_key",
    "run",
    "run_study",
    "same_results",
    "stored_run",
    "studies",
    "study_kinds",
    "verify_run",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
