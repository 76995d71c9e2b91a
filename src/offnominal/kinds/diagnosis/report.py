"""The report of a diagnosis study: tables, one figure and one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.plot_style import DOTTED, REFERENCE, markers, pyplot
from offnominal.kinds.diagnosis.tables import COLUMNS, DiagnosisResults, detector_table, diagnosis_tables
from offnominal.reports.colours import colours_in_order
from offnominal.reports.dot_panels import name_rows
from offnominal.reports.save_figures import save_figures
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

PANELS = ("sensor found", "onset error", "onset in interval", "kind of fault")
AXES = {
    "sensor found": "sensor faults whose\nchannel is named (share)",
    "onset error": "median error of\nthe onset (steps)",
    "onset in interval": "90 % intervals with the\nlabelled onset (share)",
    "kind of fault": "faults whose kind\nis named (share)",
}
STATED = 0.9
SPREAD = 0.6
CAPTION = (
    "Mean and 95 % interval by episode of each detector in each world, among faulty episodes with an onset. Dashed: a "
    "random answer, or the stated coverage of 0.9."
)
EXPLANATION = (
    "A fault of sensors or actuators is in one random channel. Channels, onset and kind are those of episodes in which "
    "an onset was found. The error of the onset is the median distance from the labelled one, in steps; a fault can be "
    "invisible at first. Kinds of faults are compared with a library of every other episode. A false onset is one in a "
    "nominal episode."
)


def write_diagnosis_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a diagnosis study; return the page."""
    found = DiagnosisResults.of(results.table)
    save_figures(pyplot(), {"diagnosis": lambda plt: diagnosis_figure(plt, found)}, folder / "figures", dpi=160)
    facts = {"detectors": len(found.names), "worlds": len(found.worlds)}
    tables, captions = diagnosis_tables(found), {"diagnosis": CAPTION}
    return write_table_report(results, _headline(found), tables, captions, folder, facts=facts, explanation=EXPLANATION)


def _headline(found: DiagnosisResults) -> str:
    """Return which detector names the faulty sensor most often."""
    label = "sensor found"
    rows = [row for row in detector_table(found).rows if row.get(label) not in (None, "–")]
    if not rows:
        return "No diagnosis has finished."
    return f"{rows[0]['detector']} names the faulty sensor most often: {rows[0][label]} of the sensor faults."


def diagnosis_figure(plt: Any, found: DiagnosisResults) -> Any:
    """Draw a panel for each number: a row per detector, a mark per world."""
    columns = {column.label: column for column in COLUMNS}
    names, worlds = found.names, found.worlds
    height = (0.16 * len(worlds) + 0.14) * len(names) + 1.1
    figure, grid = plt.subplots(1, len(PANELS), figsize=(9.0, height), sharey=True, layout="constrained")
    for axes, label in zip(grid, PANELS, strict=True):
        _draw(axes, found, columns[label])
        axes.set_xlabel(AXES[label])
        name_rows(axes, names)
    shades, shapes = colours_in_order(worlds), markers(worlds)
    marks = [grid[0].plot([], [], shapes[world], color=shades[world], label=world)[0] for world in worlds]
    figure.legend(handles=marks, loc="outside upper left", ncols=min(len(marks), 4))
    return figure


def _draw(axes: Any, found: DiagnosisResults, column: Any) -> None:
    worlds = found.worlds
    shades, shapes = colours_in_order(worlds), markers(worlds)
    step = SPREAD / max(len(worlds), 1)
    for row, name in enumerate(found.names):
        for number, world in enumerate(worlds):
            place = row + step * (number - (len(worlds) - 1) / 2)
            shade = shades[world]
            value, low, high = (found.value(name, world, column, part) for part in ("", "_low", "_high"))
            if value is None:
                continue
            if low is not None and high is not None:
                axes.plot([low, high], [place, place], color=shade, lw=3, alpha=0.4, solid_capstyle="butt")
            axes.plot(value, place, shapes[world], ms=4.5, color=shade, zorder=3)
            random = found.value(name, world, column, "random") if column.random else None
            if random is not None:
                axes.plot([random] * 2, [place - step / 2, place + step / 2], color=shade, lw=1.0, ls=(0, (2, 1)))
    if column.name == "onset_covered":
        axes.axvline(STATED, color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)
    if column.name != "onset_error":
        axes.set_xlim(-0.03, 1.03)
