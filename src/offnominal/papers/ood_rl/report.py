"""What people look at after a study of agents in changed worlds: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.files import write_text
from offnominal.papers.ood_rl.figures import draw_figures
from offnominal.papers.ood_rl.report_tables import detection_leaderboard, report_tables
from offnominal.papers.ood_rl.results import OODResults
from offnominal.reports.kinds import ReportKind
from offnominal.reports.simple_page import simple_page
from offnominal.studies.results import RunResults


def write_ood_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a study; return the page."""
    outcomes = OODResults.of(results.table)
    tables = report_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    onset = int(results.manifest.get("config", {}).get("onset", 0))
    drawn = draw_figures(outcomes, folder / "figures", onset=onset)
    page = folder / "page.html"
    write_text(page, simple_page(results, _summary(outcomes, results), tables, drawn, folder / "figures"))
    return page


def _summary(outcomes: OODResults, results: RunResults) -> str:
    """Say how much was run."""
    counts = {world: max(len(each.settings) for each in outcomes.in_world(world)) for world in outcomes.worlds}
    places = ", ".join(f"{count} settings of {world}" for world, count in counts.items())
    agents = len({(each.world, each.uncertainty, number) for each in outcomes.returns for number in each.agents})
    return f"{places}; {agents} agents, {len(outcomes.labels)} methods, {results.cells} cells."


REPORT = ReportKind(write_ood_report, lambda results: detection_leaderboard(OODResults.of(results.table)))
