"""The report of a transfer study: tables, one figure and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.plot_style import pyplot
from offnominal.reports.save_figures import save_figures
from offnominal.reports.simple_page import write_simple_report
from offnominal.reports.transfer.figure import transfer_figure
from offnominal.reports.transfer.results import TransferResults
from offnominal.reports.transfer.tables import transfer_tables
from offnominal.studies.results import RunResults

CAPTION = (
    "Above: time-matched AUROC with 95 % intervals; 0.5 is random (dashed). Below: fraction of nominal test episodes "
    "with a false alarm ({alarm}), threshold from the training world (dot) or from the tested world (diamond)."
)
EXPLANATION = (
    "A → B: trained and calibrated in A, tested in B. An asterisk marks a change whose 95 % interval excludes 0. "
    "Recalibrated alarms have their thresholds from nominal validation episodes of the tested world."
)


def write_transfer_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a transfer study; return the page."""
    found = TransferResults.of(results.table)
    save_figures(pyplot(), {"transfer": lambda plt: transfer_figure(plt, found)}, folder / "figures", dpi=200)
    captions = {"transfer": CAPTION.format(alarm=next(iter(found.alarms), "no alarm"))}
    return write_simple_report(results, _summary(found, results), transfer_tables(found), captions, folder)


def _summary(found: TransferResults, results: RunResults) -> str:
    """Return the size of the run and how to read it."""
    sizes = f"{len(found.names)} detectors, {len(found.worlds)} worlds, {results.cells} cells."
    return f"{sizes} {EXPLANATION}"
