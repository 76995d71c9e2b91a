"""The report of a run: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.papers.ood_rl.figures import draw_figures
from offnominal.papers.ood_rl.report_tables import report_tables
from offnominal.papers.ood_rl.results import OODResults
from offnominal.reports.simple_page import write_simple_report
from offnominal.studies.results import RunResults


def write_ood_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a study; return the page."""
    outcomes = OODResults.of(results.table)
    captions = draw_figures(outcomes, results.examples, folder / "figures")
    return write_simple_report(results, _summary(outcomes, results), report_tables(outcomes), captions, folder)


def _summary(outcomes: OODResults, results: RunResults) -> str:
    """Return the numbers of settings, agents, methods and cells in one sentence."""
    counts = {world: max(len(each.settings) for each in outcomes.in_world(world)) for world in outcomes.worlds}
    places = ", ".join(f"{count} settings of {world}" for world, count in counts.items())
    agents = len({(each.world, each.uncertainty, number) for each in outcomes.returns for number in each.agents})
    return f"{places}; {agents} agents, {len(outcomes.labels)} methods, {results.cells} cells."
