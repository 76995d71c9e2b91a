"""The report of a run: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.rounding import fixed
from offnominal.papers.ood_rl.figures import draw_figures
from offnominal.papers.ood_rl.report_tables import detection_leaderboard, report_tables
from offnominal.papers.ood_rl.results import OODResults
from offnominal.reports.study_tables import Row
from offnominal.reports.table_report import write_table_report
from offnominal.reports.verdicts import listed
from offnominal.studies.results import RunResults


def write_ood_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a study; return the page."""
    outcomes = OODResults.of(results.table)
    captions = draw_figures(outcomes, results.examples, folder / "figures")
    facts = _sizes(outcomes)
    return write_table_report(results, _headline(outcomes), report_tables(outcomes), captions, folder, facts=facts)


def _sizes(outcomes: OODResults) -> dict[str, int]:
    """Return the numbers of settings, agents and methods."""
    settings = sum(max(len(each.settings) for each in outcomes.in_world(world)) for world in outcomes.worlds)
    agents = len({(each.world, each.uncertainty, number) for each in outcomes.returns for number in each.agents})
    return {"worlds": len(outcomes.worlds), "settings": settings, "agents": agents, "methods": len(outcomes.labels)}


def _headline(outcomes: OODResults) -> str:
    """Return the method with the highest mean AUC of each world."""
    best: dict[str, Row] = {}
    for row in detection_leaderboard(outcomes):
        if row["AUC"] is not None:
            best.setdefault(row["world"], row)
    parts = [f"{row['method']} in {world} ({fixed(row['AUC'], 3)})" for world, row in best.items()]
    if not parts:
        return "No agent fails in a modified setting, so there is no AUC to compare."
    return f"Highest mean AUC where agents fail: {listed(parts)}."
