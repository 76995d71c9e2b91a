"""The report of a study of streams: tables, two figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.plot_style import pyplot
from offnominal.core.rounding import fixed
from offnominal.kinds.streams.figures import alarm_figure, stream_figure
from offnominal.kinds.streams.results import StreamResults
from offnominal.kinds.streams.tables import alarm_table, stream_tables
from offnominal.reports.save_figures import save_figures
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

ALARMS = (
    "False alarms per hour in streams without faults against the mean delay of faults, a number per alarm. A fault "
    "that is missed, or whose alarm is raised without it, too, counts with its whole length. Dashed: the rate that "
    "all promise. Grey: no guarantee; blue: fixed threshold; green: guaranteed run length; purple: calibrated again "
    "after events; brick: adaptive."
)
STREAM = (
    "One stream of {world}, largest score of {detector} in each unit. Orange: faults. Blue dashes: maintenance or an "
    "update of the policy. Green ticks: the world has started again. Below: units with an alarm, of the alarm with "
    "the most net detection of each kind."
)
EXPLANATION = (
    "Streams run on without resets: training, calibration and test follow each other. Each stream has a twin with the"
    " same random numbers and drift, but without faults: false alarms are counted in the twin, and net detection is "
    "detection less the alarms of the twin in the same steps. All alarms that promise something promise the same "
    "rate."
)


def write_stream_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a study of streams; return the page."""
    found = StreamResults.of(results)
    drawn = {
        "alarms": lambda plt: alarm_figure(plt, found),
        "stream": lambda plt: stream_figure(plt, found),
    }
    save_figures(pyplot(), drawn, folder / "figures", dpi=160)
    captions = {"alarms": ALARMS, "stream": STREAM.format(world=found.worlds[0], detector=found.names[0])}
    facts = {"alarms": len(found.alarms), "worlds": len(found.worlds), "conditions": len(found.conditions)}
    return write_table_report(
        results,
        headline(found),
        stream_tables(found),
        captions,
        folder,
        facts=facts,
        explanation=EXPLANATION,
        leading=2,
    )


def headline(found: StreamResults) -> str:
    """Return how many promises were kept and broken, and the best alarm of those that broke none.

    Promises that no stream can break are not counted, and their alarms are none of those.
    """
    table = alarm_table(found).numbers
    kept, judged, broken = (sum(row[name] for row in table) for name in ("kept", "judged", "broken"))
    said = f"{kept} of {judged} promises were kept, {broken} were broken."
    safe = [row for row in table if row["judged"] and not row["broken"]]
    if not safe:
        return said + " No alarm broke none."
    best = safe[0]
    return (
        f"{said} Of the alarms that broke none, {best['alarm']} has the most net detection: "
        f"{fixed(best['net_detection'], 2)}, with {fixed(best['excess'], 2)} times the promised false alarms."
    )
