"""The report of a transfer study: tables, one figure and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.plot_style import pyplot
from offnominal.core.rounding import fixed
from offnominal.kinds.transfer.figure import transfer_figure
from offnominal.kinds.transfer.results import TransferResults
from offnominal.kinds.transfer.tables import LABEL, transfer_tables
from offnominal.reports.save_figures import save_figures
from offnominal.reports.table_report import write_table_report
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
    facts = {"detectors": len(found.names), "worlds": len(found.worlds)}
    tables = transfer_tables(found)
    return write_table_report(results, _headline(found), tables, captions, folder, facts=facts, explanation=EXPLANATION)


def _headline(found: TransferResults) -> str:
    """Return the detector with the best mean over the pairs of different worlds, and its range over them."""
    pairs = [pair for pair in found.pairs if pair[0] != pair[1]]
    if not found.names or not pairs:
        return "No detector was tested in a world other than its own."
    estimates = [found.estimate(found.names[0], pair, found.shared_splits or None) for pair in pairs]
    values = [each.value for each in estimates if each is not None and each.value is not None]
    if not values:
        return "No detector was tested in a world other than its own."
    span = fixed(values[0], 3) if len(values) == 1 else f"{fixed(min(values), 3)} to {fixed(max(values), 3)}"
    return f"{found.names[0]} has the highest mean {LABEL} in worlds other than its own: {span}."
