"""Studies: experiments as data, their study kinds, the runner and the store of results."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "base": ("BaseCell", "BaseStudy"),
        "catalogue": ("load_study", "studies"),
        "cell_result": ("CellResult", "CellRows"),
        "cells": ("result_key",),
        "detector_study": ("DetectorEntry",),
        "execution": ("run_cell",),
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
        "variance": ("MetricVariance", "variance_of"),
        "verify": ("verify_run",),
    },
)
