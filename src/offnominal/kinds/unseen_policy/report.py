"""The report of a study of unseen policies: tables, one figure and one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import DOTTED, REFERENCE, pyplot
from offnominal.core.rounding import fixed
from offnominal.evaluation.metrics import METRICS
from offnominal.kinds.transfer.tables import signed_change
from offnominal.kinds.unseen_policy.results import AGAIN, METRIC, SAME, UNSEEN, UnseenPolicyResults
from offnominal.reports.colours import colours_in_order
from offnominal.reports.dot_panels import draw_estimate, name_rows
from offnominal.reports.paired_comparison import signed
from offnominal.reports.save_figures import save_figures
from offnominal.reports.study_figures import axis_label
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies.leaderboards import differs_from_zero
from offnominal.studies.results import RunResults

Row = dict[str, Any]
LABEL = METRICS[METRIC].label
CASES = (SAME, UNSEEN)
CAPTION = (
    "Left: time-matched AUROC with 95 % intervals, tested with the policy of the training (full) and with others "
    "(hollow); 0.5 is random (dashed). Right: share of nominal test episodes with a false alarm ({alarm}), threshold "
    "from the policy of the training."
)
EXPLANATION = (
    "Same policy: trained, calibrated and tested with one policy. Unseen policy: tested with each other policy of the "
    "world. An asterisk marks a change whose 95 % interval excludes 0; it counts test episodes and trainings, not "
    "worlds. Recalibrated alarms have their thresholds from nominal validation episodes of the tested policy."
)


def write_unseen_policy_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figure of a study of unseen policies; return the page."""
    found = UnseenPolicyResults.of(results.table)
    save_figures(pyplot(), {"unseen_policy": lambda plt: unseen_policy_figure(plt, found)}, folder / "figures", dpi=200)
    captions = {"unseen_policy": CAPTION.format(alarm=next(iter(found.alarms), "no alarm"))}
    facts = {"detectors": len(found.names), "worlds": len(found.worlds)}
    tables = [overall_table(found), false_alarm_table(found), world_table(found), fault_table(found)]
    return write_table_report(results, _headline(found), tables, captions, folder, facts=facts, explanation=EXPLANATION)


def overall_table(found: UnseenPolicyResults) -> StudyTable:
    """Return the mean of each detector with the policy of the training and with others, and the difference."""
    rows, numbers = _lines(found, [({"detector": name}, (name, None, None)) for name in found.names])
    title = f"{LABEL} by policy, mean over worlds, tested policies and faults"
    return StudyTable("unseen_policy", title, rows, numbers, label="Leaderboard", auroc=CASES)


def world_table(found: UnseenPolicyResults) -> StudyTable:
    """Return the same for each world."""
    places = [
        ({"world": world, "detector": name}, (name, world, None)) for world in found.worlds for name in found.names
    ]
    rows, numbers = _lines(found, places)
    return StudyTable("worlds", f"{LABEL} by policy in each world", rows, numbers, label="Worlds", auroc=CASES)


def fault_table(found: UnseenPolicyResults) -> StudyTable:
    """Return the same for each fault."""
    splits = list(dict.fromkeys(found.measured.split.tolist()))
    places = [({"fault": split, "detector": name}, (name, None, split)) for split in splits for name in found.names]
    rows, numbers = _lines(found, places)
    return StudyTable("faults", f"{LABEL} by policy for each fault", rows, numbers, label="Faults", auroc=CASES)


def false_alarm_table(found: UnseenPolicyResults) -> StudyTable:
    """Return the share of nominal test episodes with a false alarm."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for alarm in found.alarms:
        for name in found.names:
            rates = {case: found.rates.get((name, alarm, case)) for case in (SAME, UNSEEN, AGAIN)}
            about = {"detector": name, "alarm": alarm}
            rows.append(about | {case: None if rate is None else str(rate) for case, rate in rates.items()})
            numbers += [
                about
                | {"case": case, "value": rate.value, "low": rate.low, "high": rate.high, "episodes": rate.episodes}
                for case, rate in rates.items()
                if rate is not None
            ]
    title = "Nominal episodes with a false alarm by policy"
    note = (
        "With an unseen policy the guarantee of an alarm does not apply: its episodes are not those of the calibration."
    )
    return StudyTable("false_alarms", title, rows, numbers, note, label="False alarms")


def _lines(
    found: UnseenPolicyResults, places: Sequence[tuple[Row, tuple[str, str | None, str | None]]]
) -> tuple[list[Row], list[Row]]:
    rows: list[Row] = []
    numbers: list[Row] = []
    for about, (name, world, split) in places:
        values = {case: found.estimate(name, case, world, split) for case in CASES}
        values["change"] = found.change(name, world, split)
        shown = {case: None if values[case] is None else str(values[case]) for case in CASES}
        rows.append(about | shown | {"change": signed_change(values["change"])})
        numbers += [
            about | {"case": case, "value": each.value, "low": each.low, "high": each.high}
            for case, each in values.items()
            if each is not None
        ]
    return rows, numbers


def _headline(found: UnseenPolicyResults) -> str:
    """Return the best detector with unseen policies and what it lost, and how many lost something."""
    name = found.names[0] if found.names else ""
    value, change = (found.estimate(name, UNSEEN), found.change(name)) if name else (None, None)
    if value is None or value.value is None or change is None or change.value is None:
        return "No detector was tested with another policy than that of its training."
    lost = [
        each
        for each in map(found.change, found.names)
        if each is not None and each.value is not None and each.value < 0.0 and differs_from_zero(each)
    ]
    return (
        f"{name} has the highest mean {LABEL} with unseen policies, {fixed(value.value, 3)}: {signed(change)} against "
        f"the policy of the training. Of {len(found.names)} detectors {len(lost)} {'is' if len(lost) == 1 else 'are'} "
        f"worse with unseen policies."
    )


def unseen_policy_figure(plt: Any, found: UnseenPolicyResults) -> Any:
    """Draw the AUROC at the left, and the false alarms of the first alarm at the right."""
    names, alarm = found.names, next(iter(found.alarms), None)
    columns = 1 if alarm is None else 2
    figure, axes = plt.subplots(
        1,
        columns,
        figsize=(1.6 + 3.2 * columns, 0.36 * len(names) + 1.1),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    shades = colours_in_order(names)
    for row, name in enumerate(names):
        for case, shift in ((SAME, -0.14), (UNSEEN, 0.14)):
            value = found.estimate(name, case)
            if value is not None:
                draw_estimate(axes[0, 0], value, row + shift, shades[name], hollow=case == UNSEEN)
            rate = None if alarm is None else found.rates.get((name, alarm, case))
            if rate is not None:
                known = {"color": shades[name], "zorder": 3}
                axes[0, 1].plot([rate.low, rate.high], [row + shift] * 2, lw=4, alpha=0.4, **known)
                face = "white" if case == UNSEEN else shades[name]
                axes[0, 1].plot(rate.value, row + shift, "o", ms=5.5, mfc=face, mew=1.4, **known)
    axes[0, 0].axvline(METRICS[METRIC].random_value, color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)
    axes[0, 0].set_xlabel(axis_label(METRIC))
    if alarm is not None:
        axes[0, 1].set_xlim(-0.04, 1.04)
        axes[0, 1].set_xlabel("episodes with a false alarm (share)")
    for each in axes.flat:
        name_rows(each, names)
    return figure
