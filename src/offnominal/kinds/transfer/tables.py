"""The tables of a transfer study."""

from __future__ import annotations

from typing import Any

from offnominal.datasets.split import counted
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.metrics import METRICS
from offnominal.kinds.transfer.results import METRIC, Pair, Rate, TransferResults
from offnominal.reports.guarantees import NOTE, TITLE
from offnominal.reports.paired_comparison import signed
from offnominal.reports.study_tables import StudyTable
from offnominal.studies.leaderboards import differs_from_zero

Row = dict[str, Any]
ELSEWHERE = (
    "In a world other than the one of the calibration the guarantee does not apply: its assumption does not hold there."
)
LABEL = METRICS[METRIC].label


def transfer_tables(found: TransferResults) -> list[StudyTable]:
    """Return every table of a transfer study."""
    return [
        auroc_table(found),
        false_alarm_table(found),
        transfer_guarantees(found),
        difference_table(found),
        fault_table(found),
    ]


def pair_label(pair: Pair) -> str:
    """Return the heading of a pair of worlds."""
    return f"{pair[0]} → {pair[1]}"


def _pair_columns(found: TransferResults) -> tuple[str, ...]:
    return tuple(map(pair_label, found.pairs))


def auroc_table(found: TransferResults) -> StudyTable:
    """Return the mean time-matched AUROC of each detector for each pair of worlds."""
    splits = found.shared_splits or None
    rows: list[Row] = []
    numbers: list[Row] = []
    for name in found.names:
        values = {pair: found.estimate(name, pair, splits) for pair in found.pairs}
        rows.append({"detector": name, **{pair_label(pair): _shown(value) for pair, value in values.items()}})
        numbers += [{"detector": name, **_pair(pair), **_numbers(value)} for pair, value in values.items()]
    which = f"the {counted(len(splits), 'fault')} that all worlds have" if splits else "all faults of the tested world"
    return StudyTable(
        "transfer",
        f"{LABEL}, trained in → tested in, mean over {which}",
        rows,
        numbers,
        label="Leaderboard",
        auroc=_pair_columns(found),
    )


def difference_table(found: TransferResults) -> StudyTable:
    """Return what each detector loses or gains against the same detector trained in the tested world."""
    splits = found.shared_splits or None
    rows: list[Row] = []
    numbers: list[Row] = []
    for name in found.names:
        row: Row = {"detector": name}
        for pair in found.pairs:
            if pair[0] != pair[1] and (pair[1], pair[1]) in found.pairs:
                value = found.loss(name, pair, splits)
                row[pair_label(pair)] = signed_change(value)
                numbers.append({"detector": name, **_pair(pair), **_numbers(value)})
        rows.append(row)
    title = f"{LABEL}, change by transfer: trained elsewhere less trained in the tested world"
    return StudyTable("transfer_change", title, rows if numbers else [], numbers, label="Change by transfer")


def false_alarm_table(found: TransferResults) -> StudyTable:
    """Return the fraction of nominal test episodes with a false alarm."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for alarm in found.alarms:
        for name in found.names:
            rates = {pair: found.rates.get((name, alarm, pair)) for pair in found.pairs}
            if any(rates.values()):
                shown = {pair_label(pair): None if rate is None else str(rate) for pair, rate in rates.items()}
                rows.append({"detector": name, "alarm": alarm, **shown})
                numbers += [{"detector": name, "alarm": alarm, **_pair(p), **_rate(r)} for p, r in rates.items() if r]
    title = "Nominal episodes with a false alarm, trained in → tested in"
    return StudyTable("false_alarms", title, rows, numbers, label="False alarms")


def transfer_guarantees(found: TransferResults) -> StudyTable:
    """Return the guarantees of alarms, what was measured in each tested world, and the verdicts."""
    order = {pair: number for number, pair in enumerate(found.pairs)}
    rows: list[Row] = []
    numbers: list[Row] = []
    for alarm in found.alarms:
        for name in found.names:
            checks = {key[2]: check for key, check in found.checks.items() if key[:2] == (name, alarm)}
            for pair in sorted(checks, key=order.__getitem__):
                about = {"detector": name, "alarm": alarm}
                rows.append({**about, "trained in → tested in": pair_label(pair), **checks[pair].shown()})
                numbers.append({**about, **_pair(pair), **checks[pair].row()})
    return StudyTable("guarantees", TITLE, rows, numbers, f"{NOTE} {ELSEWHERE}", label="Guarantees")


def fault_table(found: TransferResults) -> StudyTable:
    """Return the time-matched AUROC of each detector on each fault."""
    rows: list[Row] = []
    numbers: list[Row] = []
    for split in dict.fromkeys(found.measured.split.tolist()):
        for name in found.names:
            values = {pair: found.estimate(name, pair, [split]) for pair in found.pairs}
            shown = {pair_label(pair): _shown(value) for pair, value in values.items()}
            rows.append({"fault": split, "detector": name, **shown})
            numbers += [
                {"fault": split, "detector": name, **_pair(pair), **_numbers(value)}
                for pair, value in values.items()
                if value is not None
            ]
    title = f"{LABEL} by fault, trained in → tested in"
    return StudyTable("faults", title, rows, numbers, label="Faults", auroc=_pair_columns(found))


def _pair(pair: Pair) -> Row:
    return {"trained in": pair[0], "tested in": pair[1]}


def _shown(value: Estimate | None) -> str | None:
    return None if value is None else str(value)


def signed_change(value: Estimate | None) -> str | None:
    """Return a difference with its interval; an asterisk where the interval excludes 0."""
    if value is None or value.value is None:
        return None
    mark = " *" if differs_from_zero(value) else ""
    return f"{signed(value)}{mark}"


def _numbers(value: Estimate | None) -> Row:
    return {part: None if value is None else getattr(value, part) for part in ("value", "low", "high")}


def _rate(rate: Rate) -> Row:
    return {"value": rate.value, "low": rate.low, "high": rate.high, "episodes": rate.episodes}
