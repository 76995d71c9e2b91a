"""What people look at after a study of agents in changed worlds: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.files import write_text
from offnominal.reports.comparison_page import comparison_page
from offnominal.reports.kinds import ReportKind
from offnominal.reports.ood_figures import draw_ood
from offnominal.reports.ood_tables import leading_watchers, ood_tables
from offnominal.studies.ood_rl.outcomes import OODOutcomes
from offnominal.studies.results import RunResults


def write_ood(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a study; return the page."""
    outcomes = OODOutcomes.of(results.table)
    tables = ood_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    onset = int(results.manifest.get("config", {}).get("onset", 0))
    drawn = draw_ood(outcomes, folder / "figures", onset=onset)
    page = folder / "page.html"
    write_text(page, comparison_page(results, _told(outcomes, results), tables, drawn, folder / "figures"))
    return page


def _told(outcomes: OODOutcomes, results: RunResults) -> str:
    """Say how much was run."""
    counts = {world: max(len(each.settings) for each in outcomes.in_world(world)) for world in outcomes.worlds}
    places = ", ".join(f"{count} settings of {world}" for world, count in counts.items())
    agents = len({(each.world, each.uncertainty, number) for each in outcomes.earned for number in each.agents})
    return f"{places}; {agents} agents, {len(outcomes.labels)} methods, {results.cells} cells."


REPORT = ReportKind(write_ood, lambda results: leading_watchers(OODOutcomes.of(results.table)))
